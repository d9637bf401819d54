/** Inputs of a run: read by their declared types, completed with defaults, checked. */
import { createRedactor } from '../../errors/redaction/redact.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import {
  describeInexact,
  inexactAdvice,
  readJson,
  type Inexact,
} from '../json-schema/exact-number.ts';
import type { FilePlan, InputField } from './plan.ts';
import { checkValue } from '../json-schema/check-value.ts';

/** Converts typed text to the declared type of the input. Throws `validation.input`. */
export function readInput(plan: FilePlan, name: string, text: string): JsonValue {
  const field = plan.input[name];
  if (field === undefined) throw unknownInput(plan, name);
  if (field.type === 'string') return text;
  try {
    // checked with the others below
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

export interface InputOrigin {
  /** The advice of a refusal. Default: for programs and the command line. */
  readonly advice?: string;
  /** Secrets of the file: its schema may hold them, and a refusal quotes the schema. */
  readonly secrets?: readonly string[] | undefined;
}

/** Fills in defaults. Throws `validation.input` for a missing, unknown or malformed input. */
export function completeInput(
  plan: FilePlan,
  values: JsonObject,
  origin: InputOrigin = {},
): JsonObject {
  checkInput(plan, values, origin);
  const { advice } = origin;
  const filled: Record<string, JsonValue> = {};
  for (const [name, field] of Object.entries(plan.input)) {
    const value = Object.hasOwn(values, name) ? values[name] : field.default;
    if (value !== undefined) filled[name] = value;
    else if (field.required) throw missingInput(plan, name, advice ?? missingAdvice(name, field));
  }
  return filled;
}

/** Throws `validation.input` for an unknown or malformed input; inputs may be missing. */
export function checkInput(
  plan: FilePlan,
  values: JsonObject,
  { advice, secrets }: InputOrigin = {},
): void {
  // a program without types may pass anything
  if (!isPlainObject(values))
    throw refused('The input is not an object', 'Pass an object with a value for each input.');
  for (const [name, value] of Object.entries(values)) {
    const field = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    if (field === undefined) throw unknownInput(plan, name);
    const [finding] = checkValue(field.schema, value);
    if (finding !== undefined)
      throw refused(
        createRedactor(secrets).values(`The input ${name} does not fit: ${finding.message}`),
        advice ?? adviceFor(name, field, value),
      );
  }
}

/** The input whose value `completeInput` refuses; undefined if it accepts all. */
export function inputAtFault(plan: FilePlan, values: JsonObject): string | undefined {
  const isWrong = ([name, value]: readonly [string, JsonValue]): boolean => {
    const field = Object.hasOwn(plan.input, name) ? plan.input[name] : undefined;
    return field === undefined || checkValue(field.schema, value).length > 0;
  };
  const isMissing = ([name, field]: readonly [string, InputField]): boolean =>
    field.required && field.default === undefined && !Object.hasOwn(values, name);
  const [wrong] = Object.entries(values).find(isWrong) ?? [];
  const [missing] = Object.entries(plan.input).find(isMissing) ?? [];
  return wrong ?? missing;
}

/** Says nothing about a type that is right: the message names the actual problem. */
function adviceFor(name: string, { type }: InputField, value: JsonValue): string {
  const isOfType = checkValue({ type }, value).length === 0;
  return isOfType
    ? `Pass another value for ${name}; its schema is in the file, under \`workflow.input\`.`
    : `Pass ${name} as ${article(type)}.`;
}

/** Selects the inputs that a sub-workflow declares from those of its caller. */
export function childInput(child: FilePlan, values: JsonObject): JsonObject {
  const known = Object.entries(values).filter(([name]) => Object.hasOwn(child.input, name));
  const advice = 'Correct `input_mapping` of the node, or the source of its value.';
  return completeInput(child, Object.fromEntries(known), { advice });
}

/**
 * Refuses a number that would lose digits, or a key that occurs twice. `whole`: the input is the
 * number itself.
 */
export function refuseInexact(what: string, inexact: Inexact, whole?: string): never {
  throw refused(
    `${what} ${describeInexact(inexact)}`,
    whole === undefined || inexact.isRepeated === true
      ? inexactAdvice(inexact)
      : `Declare ${whole} as a string to keep it exactly as written.`,
  );
}

function isNumeric({ type }: InputField): boolean {
  return type === 'number' || type === 'integer';
}

/** For programs and for the command line. */
function missingAdvice(name: string, field: InputField): string {
  return `Pass ${name} as ${article(field.type)}; on the command line: -i ${name}=${example(field)}`;
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
