/**
 * A tool's schema in two uses: to check a value, and as JSON Schema for models and people. A zod schema
 * checks by itself; JSON Schema is checked by the same validator as everywhere.
 */
import {
  isArray,
  isPlainObject,
  keysOf,
  readProperty,
  type JsonObject,
} from '../../errors/support/safe-json.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';
import {
  checkSchema,
  checkValue,
  MAX_FINDINGS,
  type Finding,
} from '../../workflow/json-schema/check-value.ts';
import { AS_IT_IS, toOutput } from '../../machine/state/stored-output.ts';

export type Checked =
  /** The schema's own output: with defaults, without removed keys. */
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export interface ValueSchema {
  readonly json: JsonObject;
  /** Rejects only when code of the schema, such as a refinement, throws. */
  readonly check: (value: unknown) => Checked | Promise<Checked>;
}

export type SchemaReading =
  | { readonly ok: true; readonly schema: ValueSchema }
  /** The end of a sentence, such as `is not a schema`. */
  | { readonly ok: false; readonly problem: string; readonly advice: string };

type Side = 'input' | 'output';

const USE_ZOD = 'Use a zod schema (version 4), such as z.object({…}), or JSON Schema.';

/** Keywords that constrain; an object without any is probably not JSON Schema. */
const KEYWORDS = new Set(
  `type enum const properties required additionalProperties patternProperties propertyNames items
   prefixItems contains allOf anyOf oneOf not if $ref minProperties maxProperties dependentRequired
   dependentSchemas unevaluatedProperties`.split(/\s+/),
);

export async function readSchema(declared: unknown, side: Side): Promise<SchemaReading> {
  if (!isPlainObject(declared) && typeof declared !== 'function')
    return { ok: false, problem: 'is not a schema', advice: USE_ZOD };
  const standard = readProperty(declared, '~standard');
  const reading =
    standard === undefined
      ? fromJsonSchema(declared)
      : await fromStandard(declared, standard, side);
  return reading.ok ? accepted(reading.schema, side) : reading;
}

/** Arguments have names, so their schema must describe an object. */
function accepted(schema: ValueSchema, side: Side): SchemaReading {
  const { type } = schema.json;
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (side === 'output' || types.length === 0 || types.includes('object'))
    return { ok: true, schema };
  return {
    ok: false,
    problem: `is a schema of type ${types.join(' or ')}, but arguments are an object`,
    advice: 'Declare each argument by its name: z.object({id: z.string()}).',
  };
}

function fromJsonSchema(declared: object): SchemaReading {
  if (keysOf(declared).some((key) => isStandard(readProperty(declared, key)))) {
    return {
      ok: false,
      problem: 'is an object of schemas, not a schema',
      advice: 'Put z.object(…) around it.',
    };
  }
  const json = toOutput(declared, AS_IT_IS);
  if (!json.ok) {
    const where = json.pointer === '' ? 'it' : json.pointer;
    return { ok: false, problem: `is not JSON: ${where} ${json.problem}`, advice: USE_ZOD };
  }
  // a value with its own `toJSON` may not become an object
  const schema = json.value as JsonObject;
  const [flaw] = isPlainObject(schema) ? checkSchema(schema) : [];
  if (!isPlainObject(schema) || flaw !== undefined) {
    const problem = `is not JSON Schema: ${flaw?.pointer || 'it'} ${flaw?.message ?? 'must be an object'}`;
    return { ok: false, problem, advice: USE_ZOD };
  }
  const keywords = Object.keys(schema);
  if (keywords.length > 0 && !keywords.some((keyword) => KEYWORDS.has(keyword))) {
    return {
      ok: false,
      problem: `has no keyword of JSON Schema, only ${keywords.slice(0, 3).join(', ')}`,
      advice: "Write {type: 'object', properties: {…}}, or use zod.",
    };
  }
  return { ok: true, schema: { json: schema, check: (value) => checkJson(schema, value) } };
}

/** A value that is not JSON passes here: `toOutput` refuses it with a better message. */
function checkJson(schema: JsonObject, value: unknown): Checked {
  const json = toOutput(value, AS_IT_IS);
  const findings = json.ok ? checkValue(schema, json.value) : [];
  return findings.length === 0 ? { ok: true, value } : { ok: false, findings };
}

function isStandard(value: unknown): boolean {
  return typeof readProperty(readProperty(value, '~standard'), 'validate') === 'function';
}

async function fromStandard(
  declared: object,
  standard: unknown,
  side: Side,
): Promise<SchemaReading> {
  const validate = readProperty(standard, 'validate');
  if (typeof validate !== 'function')
    return { ok: false, problem: 'cannot check a value', advice: USE_ZOD };
  const json = await jsonSchemaOf(declared, standard, side);
  if (!json.ok) return json;
  const check = async (value: unknown): Promise<Checked> =>
    toChecked(await Reflect.apply(validate, standard, [value]));
  return { ok: true, schema: { json: json.schema, check } };
}

function toChecked(result: unknown): Checked {
  const issues = readProperty(result, 'issues');
  if (issues === undefined || issues === null)
    return { ok: true, value: readProperty(result, 'value') };
  const listed = isArray(issues) ? issues : [undefined];
  return { ok: false, findings: listed.slice(0, MAX_FINDINGS).map(toFinding) };
}

function toFinding(issue: unknown): Finding {
  const path = readProperty(issue, 'path');
  const issueMessage = readProperty(issue, 'message');
  const message =
    typeof issueMessage === 'string' && issueMessage !== ''
      ? issueMessage
      : 'the schema rejects it';
  return {
    of: 'value',
    pointer: toPointer(isArray(path) ? path.map(toStep) : []),
    message: `is not valid: ${message.replace(/^Invalid input: /, '')}`,
  };
}

/** A step is a key, or an object with a `key`. */
function toStep(step: unknown): string | number {
  const key = typeof step === 'object' ? readProperty(step, 'key') : step;
  return typeof key === 'number' ? key : String(key);
}

type JsonSchemaReading =
  | { readonly ok: true; readonly schema: JsonObject }
  | Extract<SchemaReading, { ok: false }>;

/** Uses the schema's own conversion if it has one; zod before 4.2 is converted by our copy, loaded here. */
async function jsonSchemaOf(
  declared: object,
  standard: unknown,
  side: Side,
): Promise<JsonSchemaReading> {
  const convert = readProperty(readProperty(standard, 'jsonSchema'), side);
  const isZod = readProperty(declared, '_zod') !== undefined;
  if (!isZod && typeof convert !== 'function') {
    const vendor = readProperty(standard, 'vendor');
    const library = typeof vendor === 'string' ? vendor : 'another library';
    return {
      ok: false,
      problem: `is a schema of ${library === 'zod' ? 'zod 3' : library}, which gives no JSON Schema`,
      advice: USE_ZOD,
    };
  }
  try {
    const options = { target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } };
    const json: unknown =
      typeof convert === 'function'
        ? Reflect.apply(convert, undefined, [options])
        : (await import('../../workflow/schema/zod-to-json.ts')).zodToJson(declared, side);
    const plain = toOutput(json, AS_IT_IS);
    if (plain.ok && isPlainObject(plain.value))
      return { ok: true, schema: withoutDialect(plain.value) };
    return { ok: false, problem: 'gives no JSON Schema', advice: USE_ZOD };
  } catch (thrown) {
    return {
      ok: false,
      problem: `cannot be converted to JSON Schema: ${describe(thrown)}`,
      advice: 'Use only types that JSON has: strings, numbers, booleans, lists and objects.',
    };
  }
}

/** `$schema` is the default one, and every token sent to a model costs money. */
function withoutDialect(schema: object): JsonObject {
  // true: `toOutput` returns a plain object
  const { $schema: _dialect, ...rest } = schema as JsonObject;
  return rest;
}
