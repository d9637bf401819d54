/**
 * Reads an export of a module, or a value that a host registers: a function or tool that nodes and agents
 * can call, or why it is neither. Nothing is called to find out.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { ToolDescription } from '../../workflow/authoring/tool-description.ts';
import { TOOL } from '../../workflow/authoring/define-tool.ts';
import type { FunctionContext } from '../function/call-function.ts';
import { readDeclaration } from './declaration.ts';
import type { ValueSchema } from './value-schema.ts';

export type Run = (input: JsonValue, context: FunctionContext) => unknown;

export interface Callable {
  readonly name: string;
  readonly describes: ToolDescription;
  readonly run: Run;
  readonly input?: ValueSchema;
  readonly output?: ValueSchema;
}

export type CallableReading =
  | { readonly type: 'callable'; readonly callable: Callable }
  /** The end of a sentence that says why it cannot be called, such as `is a class`. */
  | { readonly type: 'other'; readonly what: string };

const UNDECLARED: ToolDescription = { isDeclared: false, isIdempotent: false, writes: null };

/** Throws `extension.contract` for a wrong declaration; `owner` is the module or the host. */
export async function readCallable(
  name: string,
  value: unknown,
  owner: string,
): Promise<CallableReading> {
  if (readProperty(value, TOOL) !== undefined) {
    const reading = await readDeclaration(value);
    if (!reading.ok) throw badDeclaration(name, owner, reading);
    return { type: 'callable', callable: { name, ...reading.declared } };
  }
  if (typeof value !== 'function') return { type: 'other', what: whatItIs(value) };
  const what = uncallable(value);
  if (what !== undefined) return { type: 'other', what };
  // input and output types are unknown here; both are checked at each call
  return { type: 'callable', callable: { name, describes: UNDECLARED, run: value as Run } };
}

function badDeclaration(
  name: string,
  owner: string,
  { problem, advice }: { readonly problem: string; readonly advice: string },
): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `The tool ${name} of ${owner} is declared wrongly: ${problem}`,
    details: { tool: name, problem },
    action: { kind: 'fix_code', detail: advice },
  });
}

function whatItIs(value: unknown): string {
  if (typeof readProperty(value, 'run') === 'function')
    return 'is an object with `run`, without tool({…}) around it';
  if (value === null || value === undefined) return `is ${String(value)}`;
  const article = typeof value === 'object' ? 'an' : 'a';
  return `is ${article} ${typeof value} and not a function`;
}

/** Kinds of functions that cannot be called for a result. */
function uncallable(value: object): string | undefined {
  const source = sourceOf(value);
  if (/^class\b/.test(source)) return 'is a class, which cannot be called';
  const name = tagOf(value);
  return name.endsWith('GeneratorFunction')
    ? 'is a generator function, which returns no result'
    : undefined;
}

function sourceOf(value: object): string {
  try {
    return Function.prototype.toString.call(value);
  } catch {
    // a revoked proxy; calling it throws
    return '';
  }
}

function tagOf(value: object): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1);
  } catch {
    // a proxy whose traps throw is not a generator function
    return '';
  }
}
