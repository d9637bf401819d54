/** Evaluates templates of the plan against the names of a scope. Throws `validation.template`. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import {
  isArray,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import {
  evaluateGuard,
  evaluateTemplate,
  parseExpression,
  parseTemplate,
  renderText,
  type ParseResult,
  type Template,
} from '../../workflow/template/template.ts';

/** Treats every string in the value as a template; other values stay unchanged. */
export function evaluateDeep(value: JsonValue, names: TemplateContext): JsonValue {
  if (typeof value === 'string')
    return evaluateTemplate(parsedOrThrow(parseTemplate(value)), names);
  if (isArray(value)) return value.map((item) => evaluateDeep(item, names));
  return isPlainObject(value) ? evaluateObject(value, names) : value;
}

export function evaluateObject(value: JsonObject, names: TemplateContext): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, evaluateDeep(item, names)]),
  );
}

export function evaluateText(source: string, names: TemplateContext): string {
  return renderText(parsedOrThrow(parseTemplate(source)), names);
}

/** A condition is a template, or a bare expression over the fields of the output. */
export function conditionHolds(guard: string, names: TemplateContext): boolean {
  return evaluateGuard(
    parsedOrThrow(isBare(guard) ? parseExpression(guard) : parseTemplate(guard)),
    names,
  );
}

export function isBare(guard: string): boolean {
  return !/\{[{%#]/.test(guard);
}

function parsedOrThrow(parsed: ParseResult): Template {
  if (parsed.ok) return parsed.template;
  throw new ErrandError({ kind: 'validation.template', message: parsed.problem.message });
}
