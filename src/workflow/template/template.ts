/**
 * Jinja templates and guards: parse once, evaluate often. Pure and bounded: the same source and
 * context give the same value or the same failure, on any machine, within the limits of `template-limits.ts`.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Body, Expression } from './parse/ast.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { TEMPLATE_LIMITS } from './template-limits.ts';
import { memoise } from './memo.ts';
import { parseBareExpression, parseBody } from './parse/parse-template.ts';
import { problemOf, refuseBeyond, type TemplateProblem } from './template-error.ts';
import { referencesOf, type Reference } from './analyse/template-references.ts';
import { render } from './evaluate/render.ts';
import { fail, newEvaluation } from './evaluate/evaluation.ts';
import type { TemplateContext } from './context.ts';
import { structured } from './evaluate/structured.ts';
import { toJson } from './evaluate/to-text.ts';
import { isTruthy } from './evaluate/values.ts';

export interface Template {
  readonly source: string;
  /** One `{{ expression }}` and nothing else but white space: its value keeps its type. */
  readonly isSingleExpression: boolean;
  /** Every read of a name from the context. */
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

/** Parses text with `{{ }}`, `{% %}` and `{# #}` in it. */
export const parseTemplate: (source: string) => ParseResult = memoise(
  (source) => parse(source, parseBody),
  MEMO_BOUNDS,
);

/** Parses a bare expression, as in `when: exit_code == 0`. */
export const parseExpression: (source: string) => ParseResult = memoise(
  (source) => parse(source, (bare) => [{ kind: 'output', expression: parseBareExpression(bare) }]),
  MEMO_BOUNDS,
);

/**
 * The value of a single expression, in its type; otherwise the rendered text, or its value if it is
 * a whole JSON object or list. Throws `validation.template`.
 */
export function evaluateTemplate(template: Template, context: TemplateContext): JsonValue {
  const run = newEvaluation(template.source, context);
  const expression = singleExpression(template.body);
  if (expression === undefined) return structured(run, render(run, template.body));
  const value = evaluate(run, expression);
  run.at = expression;
  // a value that is passed on was measured before; one built here was not
  if (typeof value === 'object' && value !== null && run.built.has(value)) toJson(run, value);
  return value;
}

/** Renders to text, without parsing it as JSON. Throws `validation.template`. */
export function renderText(template: Template, context: TemplateContext): string {
  return render(newEvaluation(template.source, context), template.body);
}

/**
 * True or false, for `when` and `assert`. A single expression counts by its truth, and a text such
 * as `no` is false; other text must be `true`, `1` or `yes`, or `false`, `0`, `no` or empty. Throws
 * `validation.template`.
 */
export function evaluateGuard(template: Template, context: TemplateContext): boolean {
  const run = newEvaluation(template.source, context);
  const expression = singleExpression(template.body);
  if (expression !== undefined) {
    const value = evaluate(run, expression);
    // a script's "false" is a text, and any text but the empty one would be true
    const word =
      typeof value === 'string' ? GUARD_WORDS.get(value.trim().toLowerCase()) : undefined;
    return word ?? isTruthy(run, value);
  }
  const text = render(run, template.body).trim().toLowerCase();
  run.at = { offset: 0, length: template.source.length };
  return (
    GUARD_WORDS.get(text) ?? fail(run, 'A guard must be true or false, but this text is neither')
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
