/** What a run is started with: read by declared type, defaults filled in, checked. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { suggest } from '../errors/suggest.ts';
import type { FilePlan, InputField } from './model.ts';
import { checkValue } from './value-check.ts';

/** Text as it is typed, by the type that the input declares. Throws `validation.input`. */
export function readInput(plan: FilePlan, name: string, text: string): JsonValue {
  const field = plan.input[name];
  if (field === undefined) throw unknownInput(plan, name);
  if (field.type === 'string') return text;
  try {
    // parsed as JSON, and checked with the rest below
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `The input ${name} must be ${article(field.type)}`,
        action: {
          kind: 'change_input',
          detail: `Write ${name} as JSON, for example ${example(field)}.`,
        },
      },
      { cause: error },
    );
  }
}

/** With defaults; throws `validation.input` for what is missing, unknown or of another form. */
export function completeInput(plan: FilePlan, given: JsonObject): JsonObject {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(plan.input, name)) throw unknownInput(plan, name);
  const complete: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(plan.input)) {
    const value = Object.hasOwn(given, name) ? given[name] : field.default;
    if (value === undefined) {
      if (field.required) throw missingInput(plan, name, field);
      continue;
    }
    const [finding] = checkValue(field.schema, value);
    if (finding !== undefined)
      throw refused(
        `The input ${name} does not fit: ${finding.message}`,
        `Give ${name} as ${article(field.type)}.`,
      );
    complete[name] = value;
  }
  return complete;
}

function missingInput(plan: FilePlan, name: string, field: InputField): ErrandError {
  return refused(`${plan.name} needs the input ${name}`, `Add -i ${name}=${example(field)}`);
}

function unknownInput(plan: FilePlan, name: string): ErrandError {
  const known = Object.keys(plan.input);
  const meant = suggest(name, known);
  const hint = known.length === 0 ? 'It takes no input.' : `It takes: ${known.join(', ')}.`;
  return refused(
    `${plan.name} has no input called ${name}`,
    meant === undefined ? hint : `Did you mean ${meant}?`,
  );
}

function refused(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'change_input', detail },
  });
}

function article(type: string): string {
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

const EXAMPLES: Readonly<Record<InputField['type'], string>> = {
  string: 'text',
  number: '1.5',
  integer: '3',
  boolean: 'true',
  array: '[1,2]',
  object: '{"key":"value"}',
};

function example({ type }: InputField): string {
  return EXAMPLES[type];
}
