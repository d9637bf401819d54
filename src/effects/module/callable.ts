/**
 * What a module exports, or a host registers, under one name: something that nodes and agents can
 * call, or something else and what it is. Nothing is called to find out.
 */
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonValue } from '../../errors/json.ts';
import { readProperty } from '../../errors/json.ts';
import type { ToolDescription } from '../../workflow/tool-description.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { FunctionContext } from '../function.ts';
import { readDeclaration } from './declaration.ts';
import type { ValueSchema } from './schema.ts';

export type Run = (input: JsonValue, context: FunctionContext) => unknown;

export interface Callable {
  readonly name: string;
  readonly describes: ToolDescription;
  readonly run: Run;
  readonly input?: ValueSchema;
  readonly output?: ValueSchema;
}

export type Reading =
  | { readonly type: 'callable'; readonly callable: Callable }
  /** `is a class`: the rest of a sentence about why it cannot be called. */
  | { readonly type: 'other'; readonly what: string };

const UNDECLARED: ToolDescription = { isDeclared: false, isIdempotent: false, writes: null };

/** Throws `extension.contract` for a tool that is declared wrongly; `owner` is the module or the host. */
export async function readCallable(name: string, value: unknown, owner: string): Promise<Reading> {
  if (readProperty(value, TOOL) !== undefined) {
    const reading = await readDeclaration(value);
    if (!reading.ok) throw badDeclaration(name, owner, reading);
    return { type: 'callable', callable: { name, ...reading.declared } };
  }
  if (typeof value !== 'function') return { type: 'other', what: whatItIs(value) };
  const what = uncallable(value);
  if (what !== undefined) return { type: 'other', what };
  // what it takes and gives is not known; both are checked where it is called
  return { type: 'callable', callable: { name, describes: UNDECLARED, run: value as Run } };
}

function badDeclaration(
  name: string,
  owner: string,
  { problem, todo }: { readonly problem: string; readonly todo: string },
): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `The tool ${name} of ${owner} is declared wrongly: ${problem}`,
    details: { tool: name, problem },
    action: { kind: 'fix_code', detail: todo },
  });
}

function whatItIs(value: unknown): string {
  if (typeof readProperty(value, 'run') === 'function')
    return 'is an object with `run`, without tool({…}) around it';
  if (value === null || value === undefined) return `is ${String(value)}`;
  const article = typeof value === 'object' ? 'an' : 'a';
  return `is ${article} ${typeof value} and not a function`;
}

/** Functions of the language that give no answer when they are called. */
function uncallable(value: object): string | undefined {
  const source = sourceOf(value);
  if (/^class\b/.test(source)) return 'is a class, which cannot be called';
  const name = tagOf(value);
  return name.endsWith('GeneratorFunction')
    ? 'is a generator function, which has no answer'
    : undefined;
}

function sourceOf(value: object): string {
  try {
    return Function.prototype.toString.call(value);
  } catch {
    // a proxy that was revoked; calling it will say so
    return '';
  }
}

function tagOf(value: object): string {
  try {
    return Object.prototype.toString.call(value).slice(8, -1);
  } catch {
    // a proxy whose traps throw is no generator of the language
    return '';
  }
}
