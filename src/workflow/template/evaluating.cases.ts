/** Parses and evaluates in one call, for tests of results. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { TemplateProblem } from './template-error.ts';
import { contextOf } from './context.ts';
import {
  evaluateGuard,
  evaluateTemplate,
  parseExpression,
  parseTemplate,
  renderText,
  type ParseResult,
  type Template,
} from './template.ts';

type Names = Readonly<Record<string, JsonValue>>;

export function valueOf(source: string, names: Names = {}): JsonValue {
  return evaluateTemplate(parsed(parseTemplate(source)), contextOf(names));
}

export function textOf(source: string, names: Names = {}): string {
  return renderText(parsed(parseTemplate(source)), contextOf(names));
}

/** Evaluates a bare expression. */
export function resultOf(source: string, names: Names = {}): JsonValue {
  return evaluateTemplate(parsed(parseExpression(source)), contextOf(names));
}

export function guardOf(source: string, names: Names = {}): boolean {
  const result = /\{[{%#]/.test(source) ? parseTemplate(source) : parseExpression(source);
  return evaluateGuard(parsed(result), contextOf(names));
}

export function failureOf(evaluate: () => unknown): ErrandError {
  try {
    evaluate();
  } catch (error) {
    if (error instanceof ErrandError && error.kind === 'validation.template') return error;
    throw error;
  }
  throw new Error('It did not fail');
}

export function detailsOf(evaluate: () => unknown): JsonObject {
  return failureOf(evaluate).report.details ?? {};
}

export function problemOf(result: ParseResult): TemplateProblem {
  if (result.ok) throw new Error('It parsed');
  return result.problem;
}

export function parsed(result: ParseResult): Template {
  if (!result.ok) throw new Error(`${result.problem.message} at ${result.problem.offset}`);
  return result.template;
}
