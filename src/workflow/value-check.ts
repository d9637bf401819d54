/**
 * Whether a value has the shape that a JSON Schema declares (draft 2020-12, or the one its `$schema`
 * names). Total: a schema that is no good is a finding of its own, never a throw. Findings tell
 * pointers and what the schema wants, never what the value holds.
 */
import { dereference, validate, type Schema, type SchemaDraft } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { findSchemaFlaws } from './value-check-schema.ts';
import { tellValueFindings } from './value-check-words.ts';

export interface Finding {
  /** Of a finding of the schema, nothing is known about the value. */
  readonly of: 'value' | 'schema';
  /** JSON Pointer into that. */
  readonly pointer: string;
  /** The rest of a sentence about what is there: `must be a string`. */
  readonly message: string;
}

/** More would not help anyone. */
export const MAX_FINDINGS = 20;

/** Of a larger value only the first mismatch of each list and object is looked for. */
const MAX_NODES_IN_FULL = 5000;

/** Empty when the value fits. */
export function checkValue(schema: JsonObject, value: JsonValue): readonly Finding[] {
  const compiled = compile(schema);
  if (compiled.flaws.length > 0) return compiled.flaws;
  try {
    return bounded(run(compiled, value));
  } catch (thrown) {
    return [caught(thrown)];
  }
}

/** What is wrong with the schema itself, whatever the value. */
export function checkSchema(schema: JsonObject): readonly Finding[] {
  return compile(schema).flaws;
}

interface Compiled {
  readonly schema: Schema;
  readonly lookup: ReturnType<typeof dereference>;
  readonly draft: SchemaDraft;
  readonly flaws: readonly Finding[];
}

/** By identity: a plan's schema is checked against many times. */
const COMPILED = new WeakMap<JsonObject, Compiled>();

function compile(schema: JsonObject): Compiled {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  const compiled = compileAnew(schema);
  COMPILED.set(schema, compiled);
  return compiled;
}

function compileAnew(schema: JsonObject): Compiled {
  try {
    // a copy, because the library writes into it and a plan is frozen
    const copy = JSON.parse(JSON.stringify(schema)) as Schema;
    const lookup = dereference(copy);
    const isKnown = (reference: string, at: object): boolean => {
      const absolute = Reflect.get(at, '__absolute_ref__') as string | undefined;
      return Object.hasOwn(lookup, absolute ?? reference);
    };
    const flaws = findSchemaFlaws(copy, isKnown);
    return { schema: copy, lookup, draft: draftOf(schema), flaws: bounded(flaws) };
  } catch (thrown) {
    return {
      schema: {},
      lookup: {},
      draft: '2020-12',
      flaws: [{ ...caught(thrown), of: 'schema' }],
    };
  }
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  const named = typeof $schema === 'string' ? $schema : '';
  if (/draft-0[67]/.test(named)) return '7';
  if (/draft-04/.test(named)) return '4';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

function run({ schema, draft, lookup }: Compiled, value: JsonValue): readonly Finding[] {
  const readable = withWellFormedNames(value);
  const first = validate(readable, schema, draft, lookup, true);
  if (first.valid) return [];
  const isSmall = countNodes(value, MAX_NODES_IN_FULL) < MAX_NODES_IN_FULL;
  const { errors } = isSmall ? validate(readable, schema, draft, lookup, false) : first;
  return tellValueFindings(errors);
}

/** The library writes names into addresses, which cannot hold half a character. */
function withWellFormedNames(value: JsonValue): JsonValue {
  return hasBrokenName(value) ? mapNames(value) : value;
}

function hasBrokenName(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasBrokenName);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, item]) => !name.isWellFormed() || hasBrokenName(item));
}

function mapNames(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(mapNames);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.toWellFormed(), mapNames(item)]),
  );
}

function countNodes(value: JsonValue, max: number): number {
  const waiting: JsonValue[] = [value];
  let count = 0;
  while (waiting.length > 0 && count < max) {
    const next = waiting.pop();
    count++;
    if (typeof next === 'object' && next !== null)
      waiting.push(...Object.values(next).slice(0, max));
  }
  return count;
}

function bounded(findings: readonly Finding[]): readonly Finding[] {
  const unique = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...unique.values()].slice(0, MAX_FINDINGS);
}

/** What the library throws tells of the schema; only a stack that ran full may be the value's. */
function caught(thrown: unknown): Finding {
  const message =
    thrown instanceof RangeError
      ? 'refers to itself without end, or is too deep to be checked'
      : 'cannot be used as a JSON Schema';
  return { of: 'schema', pointer: '', message };
}
