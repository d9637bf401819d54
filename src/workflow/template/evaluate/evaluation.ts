/**
 * State of one evaluation: its context, its used steps, and its failures. Every operation sets `at` before
 * it does anything that can fail, so that a failure knows its position in the source.
 */
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { limitMessage, TEMPLATE_LIMITS, type LimitName } from '../template-limits.ts';
import { lineAndColumn } from '../parse/position.ts';
import type { Span } from '../template-error.ts';
import type { TemplateContext } from '../context.ts';

export interface Evaluation {
  readonly source: string;
  readonly context: TemplateContext;
  /** Names bound by `for` and `set`, innermost first. */
  bindings: Bindings;
  at: Span;
  steps: number;
  iterations: number;
  /** Lists and objects that the template built: they may contain one big value many times. */
  readonly built: WeakSet<object>;
}

export interface Bindings {
  readonly names: Map<string, JsonValue>;
  readonly outer: Bindings | undefined;
}

/** Long enough to recognise the expression, short enough for a line. */
const MAX_EXPRESSION_CHARS = 200;
const CHARS_PER_STEP = 16;

export function newEvaluation(source: string, context: TemplateContext): Evaluation {
  return {
    source,
    context,
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

export function fail(run: Evaluation, message: string): never {
  throw failure(run, message, {});
}

export function exceed(run: Evaluation, limit: LimitName): never {
  throw failure(run, limitMessage(limit), { limit, max: TEMPLATE_LIMITS[limit] });
}

export function charge(run: Evaluation, steps: number): void {
  run.steps += steps;
  if (run.steps > TEMPLATE_LIMITS.steps) exceed(run, 'steps');
}

/** Charges for text that is read or rewritten character by character. */
export function chargeText(run: Evaluation, chars: number): void {
  charge(run, 1 + chars / CHARS_PER_STEP);
}

/** Called before text of that length is built. */
export function boundOutput(run: Evaluation, chars: number): void {
  if (chars > TEMPLATE_LIMITS.outputChars) exceed(run, 'outputChars');
}

/** Called before a list of that length is built. */
export function boundList(run: Evaluation, items: number): void {
  if (items > TEMPLATE_LIMITS.listItems) exceed(run, 'listItems');
  charge(run, items);
}

export function markBuilt<T extends object>(run: Evaluation, value: T): T {
  run.built.add(value);
  return value;
}

/** A list that is derived from a built one counts as built. */
export function carryBuilt<T>(run: Evaluation, from: JsonValue, to: T): T {
  const isBuilt = typeof from === 'object' && from !== null && run.built.has(from);
  if (isBuilt && Array.isArray(to)) run.built.add(to);
  return to;
}

/** The source of a span, shortened where it is long. */
export function excerpt({ source }: Evaluation, { offset, length }: Span): string {
  const text = source.slice(offset, offset + length).trim();
  return text.length <= MAX_EXPRESSION_CHARS ? text : `${text.slice(0, MAX_EXPRESSION_CHARS)}…`;
}

function failure(run: Evaluation, message: string, more: Record<string, JsonValue>): ErrandError {
  const { offset } = run.at;
  const details = {
    expression: excerpt(run, run.at),
    offset,
    ...lineAndColumn(run.source, offset),
    ...more,
  };
  return new ErrandError({ kind: 'validation.template', message, details });
}
