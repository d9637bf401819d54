/**
 * Leaf schemas of the file format. Each takes the description of its field (the editor shows it) and knows
 * the form it expects; the message of an issue is that form, and `issues.ts` builds the sentence.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { DELAY_PATTERN, DURATION_FORM, DURATION_PATTERN, MAX_SECONDS } from '../plan/duration.ts';
import {
  Schema,
  type Form,
  type FromFile,
  type FromShape,
  type Hints,
  type Range,
  type Shape,
} from './schema.ts';

export type { FromFile, FromShape, Schema } from './schema.ts';

const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_-]{0,99}$';
const NAME_FORM = 'a name of letters, digits, `_` and `-` that begins with a letter';

/** Adds texts for editors, or JSON Schema that a schema cannot express. */
export function hinted<T>(schema: Schema<T>, hints: Hints): Schema<T> {
  return schema.meta({ ...schema.hints, ...hints });
}

/** Text that is not empty. */
export function text(about: string, expected = 'text'): Schema<string> {
  return described(about, { is: 'text', expected, isFilled: true });
}

export function anyText(about: string, expected = 'text'): Schema<string> {
  return described(about, { is: 'text', expected });
}

export function name(about: string): Schema<string> {
  return matching(about, NAME_PATTERN, NAME_FORM);
}

export function matching(about: string, pattern: string, expected: string): Schema<string> {
  return described(about, { is: 'text', expected, pattern: new RegExp(pattern) });
}

export function flag(about: string): Schema<boolean> {
  return described(about, { is: 'flag', expected: '`true` or `false`' });
}

export function literal<const T extends string | boolean>(about: string, value: T): Schema<T> {
  return described(about, { is: 'literal', expected: `\`${String(value)}\``, value });
}

export function choice<const T extends readonly [string, ...string[]]>(
  about: string,
  values: T,
): Schema<T[number]> {
  return described(about, { is: 'choice', expected: `one of ${values.join(', ')}`, values });
}

export function wholeNumber(about: string, range: Range): Schema<number> {
  const expected = rangeForm('a whole number', range);
  return described(about, { is: 'number', expected, range, isWhole: true });
}

export function number(about: string, range: Range): Schema<number> {
  const expected = rangeForm('a number', range);
  return described(about, { is: 'number', expected, range, isWhole: false });
}

export function seconds(about: string): Schema<number> {
  return number(about, { above: 0, max: MAX_SECONDS });
}

/** Above zero. */
export function duration(about: string): Schema<string | number> {
  return durationLike(about, DURATION_PATTERN, { above: 0 });
}

/** Above zero, or a template that renders to a duration. */
export function durationOrTemplate(about: string): Schema<string | number> {
  return durationLike(about, `${DURATION_PATTERN}|\\{[{%]`, { above: 0 });
}

/** Zero included. */
export function delay(about: string): Schema<string | number> {
  return durationLike(about, DELAY_PATTERN, { min: 0 });
}

export function list<T>(about: string, item: Schema<T>, min = 0): Schema<T[]> {
  const expected = min === 0 ? 'a list' : 'a list with at least one item';
  return described(about, { is: 'list', expected, item, min });
}

/** A map whose keys the author chooses. */
export function map<T>(about: string, value: Schema<T>): Schema<Record<string, T>> {
  return described(about, { is: 'map', expected: 'a map', value });
}

/** A map whose keys are names that templates use. */
export function namedMap<T>(about: string, value: Schema<T>): Schema<Record<string, T>> {
  return described(about, { is: 'map', expected: 'a map', value, key: new RegExp(NAME_PATTERN) });
}

/** Any JSON; strings in it may be templates. */
export function json(about: string): Schema<JsonValue> {
  // a document contains only JSON values before a schema reads it
  return described(about, { is: 'anything' });
}

export function jsonMap(about: string): Schema<Record<string, JsonValue>> {
  return map(about, json('Any JSON; strings in it are templates.'));
}

/** Text, or a number or boolean that is used as written. */
export function scalar(about: string): Schema<string | number | boolean> {
  const expected = 'text, a number or a flag';
  const options = [
    new Schema({ is: 'text', expected }),
    new Schema({ is: 'number', expected, range: {}, isWhole: false }),
    new Schema({ is: 'flag', expected }),
  ];
  return described(about, { is: 'either', expected, options });
}

export function either<const T extends readonly [Schema, Schema, ...Schema[]]>(
  about: string,
  expected: string,
  options: T,
): Schema<FromFile<T[number]>> {
  return described(about, { is: 'either', expected, options });
}

/** Maps that differ in the value of one key. */
export function oneByKey<const T extends readonly Schema[]>(
  key: string,
  expected: string,
  options: T,
): Schema<FromFile<T[number]>> {
  return new Schema({ is: 'by-key', expected, key, options });
}

/** For a schema that contains itself. */
export function later<T>(schema: () => Schema<T>): Schema<T> {
  return new Schema({ is: 'later', schema });
}

/** An example for each key that needs one: a flag and a choice are their own. */
export type Examples<S extends Shape> = { readonly [K in keyof S]?: S[K]['value'] };

/** Adds examples, which editors and the reference show. */
export function exampled<S extends Shape>(shape: S, examples: Examples<NoInfer<S>>): S {
  for (const [key, value] of Object.entries(examples)) shape[key]?.addExample(value);
  return shape;
}

/** Keys of each strict map by its noun, for "did you mean". */
export const KEYS_OF: Map<string, readonly string[]> = new Map();

/** A map that has these keys and no others. `noun` is unique and reads well after "a key of". */
export function strict<S extends Shape>(
  noun: string,
  about: string,
  shape: S,
  examples: Examples<NoInfer<S>> = {},
): Schema<FromShape<S>> {
  KEYS_OF.set(noun, Object.keys(shape));
  return described(about, { is: 'strict', noun, shape: exampled(shape, examples) });
}

/** The caller names the type of the values that have the form. */
function described<T>(description: string, form: Form): Schema<T> {
  return new Schema(form, { description });
}

function durationLike(about: string, pattern: string, range: Range): Schema<string | number> {
  const expected = DURATION_FORM;
  const options = [
    new Schema({ is: 'text', expected, pattern: new RegExp(pattern) }),
    new Schema({
      is: 'number',
      expected,
      range: { ...range, max: MAX_SECONDS },
      isWhole: false,
    }),
  ];
  return described(about, { is: 'either', expected, options });
}

function rangeForm(noun: string, { min, max, above }: Range): string {
  if (above !== undefined) {
    return max === undefined ? `${noun} above ${above}` : `${noun} above ${above}, at most ${max}`;
  }
  if (min === undefined) return noun;
  return max === undefined ? `${noun}, ${min} or more` : `${noun} from ${min} to ${max}`;
}
