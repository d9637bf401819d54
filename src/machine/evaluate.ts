/** Templates of the plan, evaluated against the names of a scope. Throws `validation.template`. */
import { ErrandError } from '../errors/errand-error.ts';
import { isArray, isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import type { Scope as TemplateScope } from '../workflow/template/scope.ts';
import {
  evaluateGuard,
  evaluateTemplate,
  parseExpression,
  parseTemplate,
  renderText,
  type ParseResult,
  type Template,
} from '../workflow/template/template.ts';

/** Strings anywhere in the value are templates; the rest is what it is. */
export function evaluateDeep(value: JsonValue, names: TemplateScope): JsonValue {
  if (typeof value === 'string') return evaluateTemplate(readable(parseTemplate(value)), names);
  if (isArray(value)) return value.map((item) => evaluateDeep(item, names));
  return isPlainObject(value) ? evaluateObject(value, names) : value;
}

export function evaluateObject(value: JsonObject, names: TemplateScope): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, evaluateDeep(item, names)]),
  );
}

export function evaluateText(source: string, names: TemplateScope): string {
  return renderText(readable(parseTemplate(source)), names);
}

/** A guard is a template, or a bare expression over the fields of the output. */
export function holds(guard: string, names: TemplateScope): boolean {
  return evaluateGuard(
    readable(isBare(guard) ? parseExpression(guard) : parseTemplate(guard)),
    names,
  );
}

export function isBare(guard: string): boolean {
  return !/\{[{%#]/.test(guard);
}

function readable(parsed: ParseResult): Template {
  if (parsed.ok) return parsed.template;
  throw new ErrandError({ kind: 'validation.template', message: parsed.problem.message });
}
