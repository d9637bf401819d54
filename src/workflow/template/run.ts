/**
 * One evaluation: what it reads, what it has spent, and how it fails. Every operation sets `at`
 * before it does anything that can fail, so that a failure knows its place in the source.
 */
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonValue } from '../../errors/json.ts';
import { limitMessage, TEMPLATE_LIMITS, type LimitName } from './limits.ts';
import { lineAndColumn } from './position.ts';
import type { Span } from './problem.ts';
import type { Scope } from './scope.ts';

export interface Run {
  readonly source: string;
  readonly scope: Scope;
  /** Names bound by `for` and `set`, innermost first. */
  bindings: Bindings;
  at: Span;
  steps: number;
  iterations: number;
  /** Lists and objects that were put together here: they may hold one big value many times. */
  readonly built: WeakSet<object>;
}

export interface Bindings {
  readonly names: Map<string, JsonValue>;
  readonly outer: Bindings | undefined;
}

/** Long enough to recognise the expression, short enough for a line. */
const MAX_EXPRESSION_CHARS = 200;
const CHARS_PER_STEP = 16;

export function newRun(source: string, scope: Scope): Run {
  return {
    source,
    scope,
    bindings: newBindings(undefined),
    at: { offset: 0, length: source.length },
    steps: 0,
    iterations: 0,
    built: new WeakSet(),
  };
}

export function newBindings(outer: Bindings | undefined): Bindings {
  return { names: new Map(), outer };
}

export function fail(run: Run, message: string): never {
  throw failure(run, message, {});
}

export function exceed(run: Run, limit: LimitName): never {
  throw failure(run, limitMessage(limit), { limit, max: TEMPLATE_LIMITS[limit] });
}

export function charge(run: Run, steps: number): void {
  run.steps += steps;
  if (run.steps > TEMPLATE_LIMITS.steps) exceed(run, 'steps');
}

/** For text that is read or rewritten character by character. */
export function chargeText(run: Run, chars: number): void {
  charge(run, 1 + chars / CHARS_PER_STEP);
}

/** Before text of that length is made. */
export function boundOutput(run: Run, chars: number): void {
  if (chars > TEMPLATE_LIMITS.outputChars) exceed(run, 'outputChars');
}

/** Before a list of that length is made. */
export function boundList(run: Run, items: number): void {
  if (items > TEMPLATE_LIMITS.listItems) exceed(run, 'listItems');
  charge(run, items);
}

export function markBuilt<T extends object>(run: Run, value: T): T {
  run.built.add(value);
  return value;
}

/** A list that is made of one that was built counts as built. */
export function carryBuilt<T>(run: Run, from: JsonValue, to: T): T {
  const isBuilt = typeof from === 'object' && from !== null && run.built.has(from);
  if (isBuilt && Array.isArray(to)) run.built.add(to);
  return to;
}

/** The source of a span, cut where it is long. */
export function excerpt({ source }: Run, { offset, length }: Span): string {
  const text = source.slice(offset, offset + length).trim();
  return text.length <= MAX_EXPRESSION_CHARS ? text : `${text.slice(0, MAX_EXPRESSION_CHARS)}…`;
}

function failure(run: Run, message: string, more: Record<string, JsonValue>): ErrandError {
  const { offset } = run.at;
  const details = {
    expression: excerpt(run, run.at),
    offset,
    ...lineAndColumn(run.source, offset),
    ...more,
  };
  return new ErrandError({ kind: 'validation.template', message, details });
}
