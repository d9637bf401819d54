/**
 * One evaluation in QuickJS: a fresh runtime and context each time, in a WebAssembly memory that
 * cannot grow. The engine's own memory limit is soft and its time limit is polled, so neither is
 * used: the memory is ours, and whoever started the worker ends it at the deadline.
 */
import build from '@jitl/quickjs-wasmfile-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { explainThrown, explainSyntax } from './explain.ts';
import { PRELUDE, type RunAnswer } from './prelude.ts';
import { MEMORY_PAGES, STACK_BYTES, type Answer, type Job } from './protocol.ts';

export type Engine = QuickJSWASMModule;

// true: it is the default export of an ES module whose types describe its CommonJS twin
const variant = build as unknown as (typeof build)['default'];

/** TypeScript knows the global only together with the whole browser. */
interface MemoryMaker {
  readonly WebAssembly: {
    readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
  };
}

export async function loadEngine(): Promise<Engine> {
  const { Memory } = (globalThis as unknown as MemoryMaker).WebAssembly;
  const memory = new Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES });
  return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmMemory: memory }));
}

/** Throws only what the host threw; the engine cannot be trusted after that. */
export function evaluate(engine: Engine, job: Job): Answer {
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
  const answer = evaluateIn(context, job);
  context.dispose();
  runtime.dispose();
  return answer;
}

function evaluateIn(context: QuickJSContext, { code, input }: Job): Answer {
  const run = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
  const compiled = compile(context, code);
  if ('ok' in compiled) {
    run.dispose();
    return compiled;
  }
  const text = context.newString(input);
  const called = context.callFunction(run, context.undefined, compiled, text);
  for (const handle of [text, compiled, run]) handle.dispose();
  if (called.error) {
    called.error.dispose();
    return explainThrown({ name: '', message: '', stack: '' });
  }
  const said = context.getString(called.value);
  called.value.dispose();
  // what cannot be copied out of a full memory arrives as nothing
  if (said === '') return { ok: false, fault: 'memory', reason: 'the result found no room' };
  return read(JSON.parse(said) as RunAnswer);
}

function read(answer: RunAnswer): Answer {
  if ('json' in answer) return { ok: true, json: answer.json };
  if ('thrown' in answer) return explainThrown(answer.thrown);
  return { ok: false, fault: 'result', reason: answer.unusable };
}

/** As an expression, and where that is none, as a body. */
function compile(context: QuickJSContext, code: string): QuickJSHandle | Answer {
  const asExpression = define(context, `(input) => (\n${code.replace(/[;\s]+$/, '')}\n)`);
  if (!('ok' in asExpression)) return asExpression;
  const asBody = define(context, `(input) => {\n${code}\n}`);
  if (!('ok' in asBody)) return asBody;
  return /\breturn\b/.test(code) ? asBody : asExpression;
}

function define(context: QuickJSContext, source: string): QuickJSHandle | Answer {
  const defined = context.evalCode(source, 'code.js', { strict: true });
  if (defined.error) {
    const stack = textOf(context, defined.error, 'stack');
    const message = textOf(context, defined.error, 'message');
    defined.error.dispose();
    return explainSyntax({ message, stack });
  }
  if (context.typeof(defined.value) === 'function') return defined.value;
  defined.value.dispose();
  // brackets that close the ones around the code
  return { ok: false, fault: 'syntax', reason: 'its brackets do not match' };
}

function textOf(context: QuickJSContext, error: QuickJSHandle, name: string): string {
  const value = context.getProp(error, name);
  const text = context.getString(value);
  value.dispose();
  return text;
}
