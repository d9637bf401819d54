/**
 * Leaf schemas of the file format. Each takes the description of its field (the editor shows it) and knows
 * the form it expects; the message of a zod issue is that form, and `issues.ts` builds the sentence. Only
 * this folder uses zod.
 */
import { z } from 'zod';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { DELAY_PATTERN, DURATION_FORM, DURATION_PATTERN, MAX_SECONDS } from '../plan/duration.ts';

export type Schema<T = unknown> = z.ZodType<T>;
export type FromFile<S extends z.ZodType> = z.infer<S>;
export type FromShape<S extends z.ZodRawShape> = z.infer<z.ZodObject<S, z.core.$strict>>;

const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,99}$';
const NAME_FORM = 'a name of letters, digits, `_` and `-` that begins with a letter';

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** The minimum itself is not allowed. */
  readonly above?: number;
}

/** Texts that editors show for a field; `markdownDescription` and snippets are extensions of VS Code. */
export interface Hints {
  readonly markdownDescription?: string;
  readonly defaultSnippets?: readonly object[];
  readonly examples?: readonly unknown[];
  readonly [key: string]: unknown;
}

/** Adds texts for editors, or JSON Schema that zod cannot express. */
export function hinted<S extends z.ZodType>(schema: S, hints: Hints): S {
  return schema.meta({ ...schema.meta(), ...hints });
}

/** Text that is not empty. */
export function text(about: string, expected = 'text'): z.ZodString {
  return described(about, z.string({ error: expected }).min(1, { error: expected }));
}

export function anyText(about: string): z.ZodString {
  return described(about, z.string({ error: 'text' }));
}

export function name(about: string): z.ZodString {
  return matching(about, NAME_PATTERN, NAME_FORM);
}

export function matching(about: string, pattern: string, expected: string): z.ZodString {
  const schema = z.string({ error: expected }).regex(new RegExp(pattern), { error: expected });
  return described(about, schema);
}

export function flag(about: string): z.ZodBoolean {
  return described(about, z.boolean({ error: '`true` or `false`' }));
}

export function literal<const T extends string | boolean>(
  about: string,
  value: T,
): z.ZodLiteral<T> {
  return described(about, z.literal(value, { error: `\`${String(value)}\`` }));
}

export function choice<const T extends readonly [string, ...string[]]>(
  about: string,
  values: T,
): z.ZodEnum<z.core.util.ToEnum<T[number]>> {
  return described(about, z.enum(values, { error: `one of ${values.join(', ')}` }));
}

export function wholeNumber(about: string, range: Range): z.ZodNumber {
  const error = rangeForm('a whole number', range);
  return described(about, ranged(z.int({ error }), range, error));
}

export function number(about: string, range: Range): z.ZodNumber {
  const error = rangeForm('a number', range);
  return described(about, ranged(z.number({ error }), range, error));
}

export function seconds(about: string): z.ZodNumber {
  return number(about, { above: 0, max: MAX_SECONDS });
}

/** Above zero. */
export function duration(about: string): z.ZodUnion<readonly [z.ZodString, z.ZodNumber]> {
  return durationLike(about, DURATION_PATTERN, { above: 0 });
}

/** Above zero, or a template that renders to a duration. */
export function durationOrTemplate(about: string): z.ZodUnion<readonly [z.ZodString, z.ZodNumber]> {
  return durationLike(about, `${DURATION_PATTERN}|\\{[{%]`, { above: 0 });
}

/** Zero included. */
export function delay(about: string): z.ZodUnion<readonly [z.ZodString, z.ZodNumber]> {
  return durationLike(about, DELAY_PATTERN, { min: 0 });
}

export function list<S extends z.ZodType>(about: string, item: S, min = 0): z.ZodArray<S> {
  const error = min === 0 ? 'a list' : 'a list that is not empty';
  return described(about, z.array(item, { error }).min(min, { error }));
}

/** A map whose keys the author chooses. */
export function map<S extends z.ZodType>(about: string, value: S): z.ZodRecord<z.ZodString, S> {
  return described(about, z.record(z.string(), value, { error: 'a map' }));
}

/** A map whose keys are names that templates use. */
export function namedMap<S extends z.ZodType>(
  about: string,
  value: S,
): z.ZodRecord<z.ZodString, S> {
  const key = z.string().regex(new RegExp(NAME_PATTERN));
  return described(about, z.record(key, value, { error: 'a map' }));
}

/** Any JSON; strings in it may be templates. */
export function json(about: string): z.ZodType<JsonValue> {
  // a document contains only JSON values before a schema reads it
  return described(about, z.unknown()) as unknown as z.ZodType<JsonValue>;
}

export function jsonMap(about: string): z.ZodRecord<z.ZodString, z.ZodType<JsonValue>> {
  return map(about, json('Any JSON; strings in it are templates.'));
}

/** Text, or a number or boolean that is used as written. */
export function scalar(
  about: string,
): z.ZodUnion<readonly [z.ZodString, z.ZodNumber, z.ZodBoolean]> {
  const error = 'text, a number or a flag';
  return described(about, z.union([z.string(), z.number(), z.boolean()], { error }));
}

export function either<const T extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  about: string,
  expected: string,
  options: T,
): z.ZodUnion<T> {
  return described(about, z.union(options, { error: expected }));
}

/** An example for each key that needs one: a flag and a choice are their own. */
export type Examples<S extends z.ZodRawShape> = { readonly [K in keyof S]?: z.input<S[K]> };

/** Adds examples, which editors and the reference show. */
export function exampled<S extends z.ZodRawShape>(shape: S, examples: Examples<NoInfer<S>>): S {
  for (const [key, value] of Object.entries(examples)) {
    const schema = shape[key];
    if (schema !== undefined)
      z.globalRegistry.add(schema as z.ZodType, {
        ...z.globalRegistry.get(schema as z.ZodType),
        examples: [value],
      });
  }
  return shape;
}

/** Keys of each strict map by its noun, for "did you mean". */
export const KEYS_OF: Map<string, readonly string[]> = new Map();

/** A map that has these keys and no others. `noun` is unique and reads well after "a key of". */
export function strict<S extends z.ZodRawShape>(
  noun: string,
  about: string,
  shape: S,
  examples: Examples<NoInfer<S>> = {},
): z.ZodObject<S, z.core.$strict> {
  KEYS_OF.set(noun, Object.keys(shape));
  const schema = z.strictObject(exampled(shape, examples), {
    error: (issue) => (issue.code === 'unrecognized_keys' ? noun : 'a map'),
  });
  return described(about, schema);
}

/** Describes a new schema in place: zod's own `describe` would copy each of hundreds. */
function described<S extends z.ZodType>(description: string, schema: S): S {
  z.globalRegistry.add(schema, { description });
  return schema;
}

function durationLike(
  about: string,
  pattern: string,
  range: Range,
): z.ZodUnion<readonly [z.ZodString, z.ZodNumber]> {
  const error = DURATION_FORM;
  const written = z.string({ error }).regex(new RegExp(pattern), { error });
  const inSeconds = ranged(z.number({ error }), { ...range, max: MAX_SECONDS }, error);
  return described(about, z.union([written, inSeconds], { error }));
}

function ranged<S extends z.ZodNumber>(schema: S, { min, max, above }: Range, error: string): S {
  let bounded: S = schema;
  if (min !== undefined) bounded = bounded.min(min, { error });
  if (above !== undefined) bounded = bounded.gt(above, { error });
  if (max !== undefined) bounded = bounded.max(max, { error });
  return bounded;
}

function rangeForm(noun: string, { min, max, above }: Range): string {
  if (above !== undefined) {
    return max === undefined ? `${noun} above ${above}` : `${noun} above ${above}, at most ${max}`;
  }
  if (min === undefined) return noun;
  return max === undefined ? `${noun}, ${min} or more` : `${noun} from ${min} to ${max}`;
}
