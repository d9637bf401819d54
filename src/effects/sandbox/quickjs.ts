/**
 * One evaluation in QuickJS: a fresh runtime and context each time, in a WebAssembly memory that cannot
 * grow. QuickJS's own memory limit is soft and its time limit is polled, so neither is used: we own the
 * memory, and the sandbox ends the worker at the deadline.
 */
import { readFile } from 'node:fs/promises';
import build from '@jitl/quickjs-wasmfile-release-sync';
import {
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { explainThrown, explainSyntax } from './explain-exception.ts';
import { PRELUDE, type RunAnswer } from './prelude.ts';
import { MEMORY_PAGES, STACK_BYTES, type Answer, type Job } from './worker-messages.ts';

export interface Engine {
  readonly module: QuickJSWASMModule;
  readonly memory: { wasFull: boolean };
}

// true: it is the default export of an ES module whose types describe its CommonJS twin
const variant = build as unknown as (typeof build)['default'];

/** TypeScript declares the global only in its browser library. */
interface HasWebAssembly {
  readonly WebAssembly: {
    readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => object;
    compile(bytes: Uint8Array): Promise<object>;
  };
}

const { WebAssembly } = globalThis as unknown as HasWebAssembly;

/** Compiles the engine; workers that share the module share its compiled code. */
export async function compileEngine(): Promise<object> {
  const file = import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
  return WebAssembly.compile(await readFile(new URL(file)));
}

/** Evaluates once to warm up, so that compilation does not count against the first job. */
export async function loadEngine(compiled: object): Promise<Engine> {
  const memory = { wasFull: false };
  const wasmMemory = Object.assign(
    new WebAssembly.Memory({ initial: MEMORY_PAGES, maximum: MEMORY_PAGES }),
    {
      // the engine grows memory when an allocation does not fit, and treats a throw as a refusal
      grow: (): never => {
        memory.wasFull = true;
        throw new RangeError('The memory of the sandbox does not grow');
      },
    },
  );
  const own = newVariant(variant, { wasmMemory, wasmModule: compiled });
  const engine = { module: await newQuickJSWASMModuleFromVariant(own), memory };
  evaluate(engine, WARM_UP);
  return engine;
}

const WARM_UP: Job = {
  code: '[...Object.keys(input)].map((name) => input[name] + name)',
  input: '{"a":1}',
};

/** Throws only errors of the host; the engine must not be used after that. */
export function evaluate(engine: Engine, job: Job): Answer {
  engine.memory.wasFull = false;
  const runtime = engine.module.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const context = runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Date: false } });
  const answer = evaluateIn(context, job, engine.memory);
  context.dispose();
  runtime.dispose();
  return answer;
}

function evaluateIn(
  context: QuickJSContext,
  { code, input }: Job,
  memory: Engine['memory'],
): Answer {
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
    return explainThrown({ name: '', message: '', stack: '' }, memory.wasFull);
  }
  const json = context.getString(called.value);
  called.value.dispose();
  // a result that does not fit into a full memory arrives as an empty text
  if (json === '')
    return { ok: false, fault: 'memory', reason: 'the result did not fit into memory' };
  return read(JSON.parse(json) as RunAnswer, memory.wasFull);
}

function read(answer: RunAnswer, wasFull: boolean): Answer {
  if ('json' in answer) return { ok: true, json: answer.json };
  if ('thrown' in answer) return explainThrown(answer.thrown, wasFull);
  return { ok: false, fault: 'result', reason: answer.unusable };
}

/** Compiles as an expression, else as a function body. */
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
  // brackets that close those of the wrapper
  return { ok: false, fault: 'syntax', reason: 'its brackets do not match' };
}

function textOf(context: QuickJSContext, error: QuickJSHandle, name: string): string {
  const value = context.getProp(error, name);
  const text = context.getString(value);
  value.dispose();
  return text;
}
