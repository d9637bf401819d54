/**
 * Jinja templates and guards: parse once, evaluate often. Pure and bounded: the same source and
 * scope give the same value or the same failure, on any machine, within the limits of `limits.ts`.
 */
import type { JsonValue } from '../../errors/json.ts';
import type { Body, Expression } from './ast.ts';
import { evaluate } from './evaluate.ts';
import { TEMPLATE_LIMITS } from './limits.ts';
import { memoise } from './memo.ts';
import { parseBareExpression, parseBody } from './parse-template.ts';
import { problemOf, refuseBeyond, type TemplateProblem } from './problem.ts';
import { referencesOf, type Reference } from './references.ts';
import { render } from './render.ts';
import { fail, newRun } from './run.ts';
import type { Scope } from './scope.ts';
import { structured } from './structured.ts';
import { toJson } from './to-text.ts';
import { isTruthy } from './values.ts';

export interface Template {
  readonly source: string;
  /** One `{{ expression }}` and nothing else but white space: its value keeps its type. */
  readonly isSingleExpression: boolean;
  /** What it reads from the scope, as often as it does. */
  readonly references: readonly Reference[];
  readonly body: Body;
}

export type ParseResult =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly problem: TemplateProblem };

const GUARD_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['', false],
]);

const MEMO_BOUNDS = { maxEntries: 1_000, maxChars: 1_048_576 };

/** Text with `{{ }}`, `{% %}` and `{# #}` in it. */
export const parseTemplate: (source: string) => ParseResult = memoise(
  (source) => parse(source, parseBody),
  MEMO_BOUNDS,
);

/** A bare expression, as in `when: exit_code == 0`. */
export const parseExpression: (source: string) => ParseResult = memoise(
  (source) => parse(source, (bare) => [{ kind: 'output', expression: parseBareExpression(bare) }]),
  MEMO_BOUNDS,
);

/**
 * The value of a single expression, in its type; otherwise the rendered text, or the object or list
 * that the whole text is as JSON. Throws `validation.template`.
 */
export function evaluateTemplate(template: Template, scope: Scope): JsonValue {
  const run = newRun(template.source, scope);
  const expression = singleExpression(template.body);
  if (expression === undefined) return structured(run, render(run, template.body));
  const value = evaluate(run, expression);
  run.at = expression;
  // what is passed on is as big as it was; what is put together has to be measured
  if (typeof value === 'object' && value !== null && run.built.has(value)) toJson(run, value);
  return value;
}

/** The text, whatever it looks like. Throws `validation.template`. */
export function renderText(template: Template, scope: Scope): string {
  return render(newRun(template.source, scope), template.body);
}

/**
 * Yes or no, for `when` and `assert`. A single expression by its truth, where a text that says no
 * means no; other text must say `true`, `1`
 * or `yes`, or `false`, `0`, `no` or nothing. Throws `validation.template`.
 */
export function evaluateGuard(template: Template, scope: Scope): boolean {
  const run = newRun(template.source, scope);
  const expression = singleExpression(template.body);
  if (expression !== undefined) {
    const value = evaluate(run, expression);
    // a script's "false" is a text, and every text but the empty one would be true
    const word =
      typeof value === 'string' ? GUARD_WORDS.get(value.trim().toLowerCase()) : undefined;
    return word ?? isTruthy(run, value);
  }
  const text = render(run, template.body).trim().toLowerCase();
  run.at = { offset: 0, length: template.source.length };
  return (
    GUARD_WORDS.get(text) ?? fail(run, 'A guard must say true or false, and this text says neither')
  );
}

function parse(source: string, parseSource: (source: string) => Body): ParseResult {
  try {
    if (source.length > TEMPLATE_LIMITS.sourceChars)
      refuseBeyond('sourceChars', { offset: 0, length: source.length });
    const body = parseSource(source);
    const isSingleExpression = singleExpression(body) !== undefined;
    const references = Object.freeze(referencesOf(body));
    return { ok: true, template: Object.freeze({ source, isSingleExpression, references, body }) };
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return { ok: false, problem };
  }
}

function singleExpression(body: Body): Expression | undefined {
  const [only, ...more] = body.filter((part) => part.kind !== 'text' || part.text.trim() !== '');
  return more.length === 0 && only?.kind === 'output' ? only.expression : undefined;
}
