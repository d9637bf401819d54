/**
 * A schema of a tool, as the engine uses it: to check a value, and as JSON Schema for models and
 * people. What zod declared, zod checks; JSON Schema is checked as it is everywhere else.
 */
import {
  isArray,
  isPlainObject,
  keysOf,
  readProperty,
  type JsonObject,
} from '../../errors/json.ts';
import { describe } from '../../errors/to-report.ts';
import { toPointer } from '../../workflow/path.ts';
import { checkSchema, checkValue, MAX_FINDINGS, type Finding } from '../../workflow/value-check.ts';
import { AS_IT_IS, toOutput } from '../output.ts';

export type Checked =
  /** As the schema gives it: with its defaults, without what it drops. */
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly findings: readonly Finding[] };

export interface ValueSchema {
  readonly json: JsonObject;
  /** Rejects only where the code of a schema, such as a refinement, throws. */
  readonly check: (value: unknown) => Checked | Promise<Checked>;
}

export type SchemaReading =
  | { readonly ok: true; readonly schema: ValueSchema }
  /** `is not a schema`: the rest of a sentence. */
  | { readonly ok: false; readonly problem: string; readonly todo: string };

type Side = 'input' | 'output';

const USE_ZOD = 'Give a zod schema (version 4), such as z.object({…}), or JSON Schema.';

/** Words that constrain; an object with none of them is probably no JSON Schema at all. */
const KEYWORDS = new Set(
  `type enum const properties required additionalProperties patternProperties propertyNames items
   prefixItems contains allOf anyOf oneOf not if $ref minProperties maxProperties dependentRequired
   dependentSchemas unevaluatedProperties`.split(/\s+/),
);

export async function readSchema(declared: unknown, side: Side): Promise<SchemaReading> {
  if (!isPlainObject(declared) && typeof declared !== 'function')
    return { ok: false, problem: 'is not a schema', todo: USE_ZOD };
  const standard = readProperty(declared, '~standard');
  const reading =
    standard === undefined
      ? fromJsonSchema(declared)
      : await fromStandard(declared, standard, side);
  return reading.ok ? accepted(reading.schema, side) : reading;
}

/** The schema of arguments is one of an object: arguments have names. */
function accepted(schema: ValueSchema, side: Side): SchemaReading {
  const { type } = schema.json;
  const types = [type].flat().filter((name) => typeof name === 'string');
  if (side === 'output' || types.length === 0 || types.includes('object'))
    return { ok: true, schema };
  return {
    ok: false,
    problem: `is a schema of type ${types.join(' or ')}, and arguments are an object`,
    todo: 'Declare each argument by its name: z.object({id: z.string()}).',
  };
}

function fromJsonSchema(declared: object): SchemaReading {
  if (keysOf(declared).some((key) => isStandard(readProperty(declared, key)))) {
    return {
      ok: false,
      problem: 'is an object of schemas and no schema',
      todo: 'Put z.object(…) around it.',
    };
  }
  const json = toOutput(declared, AS_IT_IS);
  if (!json.ok) {
    const where = json.pointer === '' ? 'it' : json.pointer;
    return { ok: false, problem: `is not JSON: ${where} ${json.problem}`, todo: USE_ZOD };
  }
  // a plain object becomes one; what has a `toJSON` of its own may not
  const schema = json.value as JsonObject;
  const [flaw] = isPlainObject(schema) ? checkSchema(schema) : [];
  if (!isPlainObject(schema) || flaw !== undefined) {
    const problem = `is not JSON Schema: ${flaw?.pointer || 'it'} ${flaw?.message ?? 'must be an object'}`;
    return { ok: false, problem, todo: USE_ZOD };
  }
  const words = Object.keys(schema);
  if (words.length > 0 && !words.some((word) => KEYWORDS.has(word))) {
    return {
      ok: false,
      problem: `has no word of JSON Schema, only ${words.slice(0, 3).join(', ')}`,
      todo: "Write {type: 'object', properties: {…}}, or use zod.",
    };
  }
  return { ok: true, schema: { json: schema, check: (value) => checkJson(schema, value) } };
}

/** What is not JSON is left to those who make an output of it: they say what it is. */
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
    return { ok: false, problem: 'cannot check a value', todo: USE_ZOD };
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
  const said = readProperty(issue, 'message');
  const message = typeof said === 'string' && said !== '' ? said : 'its schema refuses it';
  return {
    of: 'value',
    pointer: toPointer(isArray(path) ? path.map(toStep) : []),
    message: `is not valid: ${message.replace(/^Invalid input: /, '')}`,
  };
}

/** A step is a key, or an object that holds it. */
function toStep(step: unknown): string | number {
  const key = typeof step === 'object' ? readProperty(step, 'key') : step;
  return typeof key === 'number' ? key : String(key);
}

type JsonSchemaReading =
  | { readonly ok: true; readonly schema: JsonObject }
  | Extract<SchemaReading, { ok: false }>;

/** By the schema itself where it can; zod before 4.2 is asked through ours, which is loaded for that. */
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
      todo: USE_ZOD,
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
    return { ok: false, problem: 'gives no JSON Schema', todo: USE_ZOD };
  } catch (thrown) {
    return {
      ok: false,
      problem: `cannot be told as JSON Schema: ${describe(thrown)}`,
      todo: 'Use only what JSON can hold: texts, numbers, flags, lists and objects.',
    };
  }
}

/** It is the default one, and models are charged for every word. */
function withoutDialect(schema: object): JsonObject {
  // a plain object of `toOutput`
  const { $schema: _dialect, ...rest } = schema as JsonObject;
  return rest;
}
