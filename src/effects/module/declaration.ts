/**
 * Reads the declaration of a tool once and checks all of it, so that a mistake is refused when the module
 * is loaded and not when a model happens to call the tool.
 */
import { isArray, isPlainObject, keysOf, readProperty } from '../../errors/support/safe-json.ts';
import { isKindName, isReservedKind, isRuntimeKind } from '../../errors/catalog/kinds.ts';
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { MAX_SECONDS } from '../../workflow/plan/duration.ts';
import { omitUndefined } from '../../workflow/plan/omit-undefined.ts';
import { planRetry } from '../../workflow/nodes/plan-route.ts';
import { BACKOFFS } from '../../workflow/plan/route-plan.ts';
import type { Callable } from './callable.ts';
import { readSchema, type ValueSchema } from './value-schema.ts';

export type DeclarationReading =
  | { readonly ok: true; readonly declared: Omit<Callable, 'name'> }
  | { readonly ok: false; readonly problem: string; readonly advice: string };

const KEYS = [
  'description',
  'input',
  'output',
  'raises',
  'idempotent',
  'writes',
  'retry',
  'timeoutMs',
  'run',
] as const;

/** Keys of other libraries, and ours for the same. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  execute: 'run',
  handler: 'run',
  parameters: 'input',
  inputSchema: 'input',
  outputSchema: 'output',
  timeout: 'timeoutMs',
};

const RETRY_KEYS = ['max', 'backoff', 'initialSeconds', 'maxSeconds', 'jitter', 'on'] as const;

const MAX_RETRIES = 100;

class Wrong extends Error {
  readonly advice: string;
  constructor(problem: string, advice: string) {
    super(problem);
    this.advice = advice;
  }
}

/** Accepts a value of `tool`, also from another copy of this package. */
export async function readDeclaration(value: unknown): Promise<DeclarationReading> {
  try {
    return { ok: true, declared: await read(value) };
  } catch (thrown) {
    if (thrown instanceof Wrong)
      return { ok: false, problem: thrown.message, advice: thrown.advice };
    throw thrown;
  }
}

async function read(value: unknown): Promise<Omit<Callable, 'name'>> {
  knownKeys(value, KEYS, 'tool({…})');
  const run = readProperty(value, 'run');
  if (typeof run !== 'function')
    throw new Wrong('`run` is not a function', 'Write run: (input, context) => ….');
  const input = await schemaOf(value, 'input');
  const output = await schemaOf(value, 'output');
  const describes = omitUndefined({
    isDeclared: true,
    description: optional(value, 'description', 'a text', isText),
    inputSchema: input?.json,
    outputSchema: output?.json,
    raises: raisesOf(value),
    isIdempotent: optional(value, 'idempotent', 'true or false', isFlag) ?? false,
    writes: optional(value, 'writes', 'true or false', isFlag) ?? false,
    retry: retryOf(readProperty(value, 'retry')),
    timeoutMs: optional(value, 'timeoutMs', 'a number of milliseconds above 0', isDuration),
  });
  return {
    describes,
    ...omitUndefined({ input, output }),
    // bound, because it may be a method that uses `this`; its schema checks the input
    run: (argument, context): unknown => Reflect.apply(run, value, [argument, context]),
  };
}

function knownKeys(value: unknown, known: readonly string[], where: string): void {
  const odd = keysOf(value).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const other = Object.hasOwn(OTHER_NAMES, odd) ? OTHER_NAMES[odd] : undefined;
  const meant = other ?? suggest(odd, known);
  const advice = meant === undefined ? `It may have ${known.join(', ')}.` : `Write \`${meant}\`.`;
  throw new Wrong(`${where} has no \`${odd}\``, advice);
}

async function schemaOf(
  value: unknown,
  side: 'input' | 'output',
): Promise<ValueSchema | undefined> {
  const declared = readProperty(value, side);
  if (declared === undefined) return undefined;
  const reading = await readSchema(declared, side);
  if (reading.ok) return reading.schema;
  throw new Wrong(`\`${side}\` ${reading.problem}`, reading.advice);
}

function optional<T>(
  value: unknown,
  key: string,
  wanted: string,
  fits: (found: unknown) => found is T,
): T | undefined {
  const found = readProperty(value, key);
  if (found === undefined || fits(found)) return found;
  throw new Wrong(`\`${key}\` must be ${wanted}`, `Correct \`${key}\`, or leave it out.`);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isDuration = (value: unknown): value is number =>
  isNumber(value) && value > 0 && value <= MAX_SECONDS * 1000;
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value);
const isSeconds = (value: unknown): value is number =>
  isNumber(value) && value >= 0 && value <= MAX_SECONDS;

function raisesOf(value: unknown): readonly string[] | undefined {
  const raises = readProperty(value, 'raises');
  if (raises === undefined) return undefined;
  const kinds = isArray(raises) ? [...raises] : [undefined];
  const grammar = 'Name kinds of your own: dotted lowercase words, such as order.missing.';
  for (const kind of kinds) {
    if (!isKindName(kind)) throw new Wrong('`raises` must be a list of kinds', grammar);
    if (isReservedKind(kind))
      throw new Wrong(`\`raises\` has ${kind}, which belongs to the runtime`, grammar);
  }
  return [...new Set(kinds.filter(isKindName))];
}

function retryOf(retry: unknown): Callable['describes']['retry'] {
  if (retry === undefined) return undefined;
  if (!isPlainObject(retry))
    throw new Wrong('`retry` must be an object', 'Write retry: {max: 2}, or leave it out.');
  knownKeys(retry, RETRY_KEYS, '`retry`');
  const max = readProperty(retry, 'max');
  if (!isNumber(max) || !Number.isInteger(max) || max < 1 || max > MAX_RETRIES) {
    const problem = `\`retry.max\` must be a whole number from 1 to ${MAX_RETRIES}`;
    throw new Wrong(problem, 'It counts the retries after the first call.');
  }
  const isBackoff = (value: unknown): value is (typeof BACKOFFS)[number] =>
    BACKOFFS.some((known) => known === value);
  const isShare = (value: unknown): value is number => isNumber(value) && value >= 0 && value <= 1;
  const { type: _type, ...move } = planRetry(
    omitUndefined({
      max,
      backoff: optional(retry, 'backoff', `one of ${BACKOFFS.join(', ')}`, isBackoff),
      initial_seconds: optional(retry, 'initialSeconds', 'a number of seconds', isSeconds),
      max_seconds: optional(retry, 'maxSeconds', 'a number of seconds', isSeconds),
      jitter: optional(retry, 'jitter', 'a number from 0 to 1', isShare),
    }),
  );
  return omitUndefined({ ...move, on: patternsOf(readProperty(retry, 'on')) });
}

function patternsOf(on: unknown): readonly string[] | undefined {
  if (on === undefined) return undefined;
  const list = isArray(on) ? [...on] : [];
  const advice = "Name kinds, such as on: ['tool.busy', 'provider.*'], or leave it out.";
  if (list.length === 0) throw new Wrong('`retry.on` must be a list of kinds', advice);
  return list.map((pattern) => {
    const kind = typeof pattern === 'string' ? pattern.replace(/\.\*$/, '.x') : undefined;
    if (typeof pattern !== 'string' || !isKindName(kind))
      throw new Wrong('`retry.on` has an entry that is not a kind', advice);
    const isUnknown = isReservedKind(kind) && !pattern.endsWith('.*') && !isRuntimeKind(pattern);
    if (!isUnknown) return pattern;
    const meant = suggest(pattern, RUNTIME_KINDS);
    throw new Wrong(
      `\`retry.on\` has ${pattern}, which is not a kind of the runtime`,
      meant === undefined ? advice : `Write ${meant}.`,
    );
  });
}
