/**
 * Checks a value against a JSON Schema (draft 2020-12, or the one its `$schema` names). Total and bounded:
 * an invalid schema, or one that needs too many steps, is a finding, never a throw and never a hang.
 * Findings contain pointers and what the schema requires, never content of the value.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { createMeter, OutOfSteps, type Meter } from './step-budget.ts';
import { fits } from './evaluate-schema.ts';
import type { Finding } from './finding.ts';
import { MAX_FINDINGS, type Check, type Draft } from './keyword-context.ts';
import { findReferences, type References } from './schema-references.ts';
import { readSchemaForm, type SchemaReading } from './schema-flaws.ts';

export type { Finding } from './finding.ts';
export { MAX_FINDINGS } from './keyword-context.ts';

/** Enough for any schema that a person would write, and done in milliseconds. */
const BASE_STEPS = 500_000;

/** Steps for each character and each value of the checked value. */
const STEPS_PER_SIZE = 8;

/** Empty when the value fits. */
export function checkValue(schema: JsonObject, value: JsonValue): readonly Finding[] {
  const compiled = compile(schema);
  if (compiled.flaws.length > 0) return compiled.flaws;
  try {
    return run(compiled, value);
  } catch (thrown) {
    return [caught(thrown)];
  }
}

/** Finds flaws of the schema itself, whatever the value. */
export function checkSchema(schema: JsonObject): readonly Finding[] {
  return compile(schema).flaws;
}

/** The parts of one schema, for a search that checks many values against them on its own steps. */
export interface SchemaParts {
  /** Throws `OutOfSteps`, or a `RangeError` for a part that refers to itself endlessly. */
  readonly fits: (part: JsonObject, value: JsonValue) => boolean;
  readonly target: References['target'];
}

/** Undefined for a schema that cannot be used. */
export function partsOf(schema: JsonObject, meter: Meter): SchemaParts | undefined {
  const compiled = compile(schema);
  if (compiled.flaws.length > 0) return undefined;
  const check = checkOf(compiled, meter, undefined);
  return {
    fits: (part, value) => fits(part, { value, path: undefined }, check, undefined),
    target: check.target,
  };
}

interface Compiled extends SchemaReading {
  readonly schema: JsonObject;
  readonly references: References;
  readonly draft: Draft;
}

/** Cached by identity: a plan's schema is used many times. */
const COMPILED = new WeakMap<JsonObject, Compiled>();

function compile(schema: JsonObject): Compiled {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  const compiled = compileAnew(schema);
  COMPILED.set(schema, compiled);
  return compiled;
}

function compileAnew(schema: JsonObject): Compiled {
  const draft = draftOf(schema);
  const references = findReferences(schema);
  try {
    const { flaws, programs } = readSchemaForm(schema, references);
    return { schema, references, draft, programs, flaws: flaws.slice(0, MAX_FINDINGS) };
  } catch (thrown) {
    return { schema, references, draft, programs: new Map(), flaws: [caught(thrown)] };
  }
}

function draftOf({ $schema }: JsonObject): Draft {
  const named = typeof $schema === 'string' ? $schema : '';
  if (/draft-0[67]/.test(named)) return '7';
  if (/draft-04/.test(named)) return '4';
  return named.includes('2019-09') ? '2019-09' : '2020-12';
}

function checkOf(
  { draft, references, programs }: Compiled,
  meter: Meter,
  findings: Check['findings'],
): Check {
  return {
    draft,
    meter,
    findings,
    program: (pattern) => programs.get(pattern),
    target: (holder, reference) => references.target(holder, reference),
    rootOf: (holder) => references.rootOf(holder),
    matchers: new Map(),
    fits,
  };
}

function run(compiled: Compiled, value: JsonValue): readonly Finding[] {
  const steps = BASE_STEPS + STEPS_PER_SIZE * sizeOf(value);
  const checkWith = (findings: Check['findings']): boolean => {
    const check = checkOf(compiled, createMeter(steps), findings);
    return fits(compiled.schema, { value, path: undefined }, check, undefined);
  };
  if (checkWith(undefined)) return [];
  const findings = new Map<string, Finding>();
  try {
    checkWith(findings);
  } catch (thrown) {
    // the value is known not to fit; report the findings so far
    if (!(thrown instanceof OutOfSteps) || findings.size === 0) throw thrown;
  }
  return [...findings.values()];
}

/** Number of values and characters. */
function sizeOf(value: JsonValue): number {
  const waiting: JsonValue[] = [value];
  let size = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    size += typeof next === 'string' ? 1 + next.length : 1;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, item] of Object.entries(next)) {
      if (!Array.isArray(next)) size += name.length;
      waiting.push(item);
    }
  }
  return size;
}

function caught(thrown: unknown): Finding {
  return { of: 'schema', pointer: '', message: problemOf(thrown) };
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof OutOfSteps)
    return 'takes too many steps to be checked: its choices or references multiply';
  return thrown instanceof RangeError
    ? 'refers to itself endlessly, or is too deep to be checked'
    : 'cannot be used as a JSON Schema';
}
