/** What a run is started with: read by declared type, defaults filled in, checked. */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { suggest } from '../errors/suggest.ts';
import { describeInexact, readJson, type Inexact } from './exact-number.ts';
import type { FilePlan, InputField } from './model.ts';
import { checkValue } from './value-check.ts';

/** Text as it is typed, by the type that the input declares. Throws `validation.input`. */
export function readInput(plan: FilePlan, name: string, text: string): JsonValue {
  const field = plan.input[name];
  if (field === undefined) throw unknownInput(plan, name);
  if (field.type === 'string') return text;
  try {
    // checked with the rest below
    const { value, inexact } = readJson(text);
    if (inexact === undefined) return value;
    return refuseInexact(`The input ${name}`, inexact, isNumeric(field) ? name : undefined);
  } catch (error) {
    if (error instanceof ErrandError) throw error;
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

/**
 * With defaults; throws `validation.input` for what is missing, unknown or of another form, with the
 * advice for where it comes from: by default the command line.
 */
export function completeInput(plan: FilePlan, given: JsonObject, advice?: string): JsonObject {
  checkInput(plan, given, advice);
  const filled: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(plan.input)) {
    const value = Object.hasOwn(given, name) ? given[name] : field.default;
    if (value !== undefined) filled[name] = value;
    else if (field.required)
      throw missingInput(plan, name, advice ?? `Add -i ${name}=${example(field)}`);
  }
  return filled;
}

/** Throws `validation.input` for what is unknown or of another form; the rest may be missing. */
export function checkInput(plan: FilePlan, given: JsonObject, advice?: string): void {
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    if (field === undefined) throw unknownInput(plan, name);
    const [finding] = checkValue(field.schema, value);
    if (finding !== undefined)
      throw refused(
        `The input ${name} does not fit: ${finding.message}`,
        advice ?? adviceFor(name, field, value),
      );
  }
}

/** What is of the right type already is wrong in another way, which the message says. */
function adviceFor(name: string, { type }: InputField, value: JsonValue): string {
  const isOfType = checkValue({ type }, value).length === 0;
  return isOfType
    ? `Give another value for ${name}; its schema is in the file, under \`workflow.input\`.`
    : `Give ${name} as ${article(type)}.`;
}

/** Of a sub-workflow: what its caller has that it does not ask for stays with the caller. */
export function childInput(child: FilePlan, given: JsonObject): JsonObject {
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(child.input, name));
  const advice = 'Correct `input_mapping` of the node, or what it takes the value from.';
  return completeInput(child, Object.fromEntries(known), advice);
}

/** Digits that would be lost are not lost unseen. `whole`: the input that is nothing but the number. */
export function refuseInexact(what: string, inexact: Inexact, whole?: string): never {
  throw refused(
    `${what} ${describeInexact(inexact)}`,
    whole === undefined
      ? 'Put quotes around it, so that it stays as it is written.'
      : `Declare ${whole} as a string, so that it stays as it is written.`,
  );
}

function isNumeric({ type }: InputField): boolean {
  return type === 'number' || type === 'integer';
}

function missingInput(plan: FilePlan, name: string, advice: string): ErrandError {
  return refused(`${plan.name} needs the input ${name}`, advice);
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
