/** Methods of objects and text that authors know from Python. */
import type { JsonObject, JsonValue } from '../../../errors/support/safe-json.ts';
import { concat } from './operators.ts';
import { boundOutput, chargeText, fail, type Evaluation } from './evaluation.ts';
import type { Signature } from '../signature.ts';
import { replaceText, splitText, stripText, wantText } from './text-functions.ts';
import { aType, isObject, itemsOf, keysOf, toKey } from './values.ts';

type Args = readonly (JsonValue | undefined)[];

interface ObjectMethod extends Signature {
  readonly on: 'object';
  apply(run: Evaluation, object: JsonObject, args: Args): JsonValue;
}

interface TextMethod extends Signature {
  readonly on: 'text';
  apply(run: Evaluation, text: string, args: Args): JsonValue;
}

export const METHODS: ReadonlyMap<string, ObjectMethod | TextMethod> = new Map(
  Object.entries<ObjectMethod | TextMethod>({
    items: { on: 'object', parameters: [], apply: entriesOf },
    keys: { on: 'object', parameters: [], apply: keysOf },
    values: {
      on: 'object',
      parameters: [],
      apply: (run, object) => keysOf(run, object).map((key) => object[key] ?? null),
    },
    get: {
      on: 'object',
      parameters: ['key', 'default?'],
      apply: (run, object, [key = null, otherwise = null]) => {
        const name = toKey(key) ?? fail(run, `A key is text, not ${aType(key)}`);
        return Object.hasOwn(object, name) ? (object[name] ?? null) : otherwise;
      },
    },
    strip: {
      on: 'text',
      parameters: ['chars?'],
      apply: (run, text, [chars]) => stripText(run, text, chars),
    },
    lower: { on: 'text', parameters: [], apply: (run, text) => recase(run, text.toLowerCase()) },
    upper: { on: 'text', parameters: [], apply: (run, text) => recase(run, text.toUpperCase()) },
    startswith: {
      on: 'text',
      parameters: ['prefix'],
      apply: (run, text, [prefix]) => text.startsWith(affix(run, prefix, 'prefix')),
    },
    endswith: {
      on: 'text',
      parameters: ['suffix'],
      apply: (run, text, [suffix]) => text.endsWith(affix(run, suffix, 'suffix')),
    },
    split: { on: 'text', parameters: ['separator?', 'most?'], apply: splitText },
    replace: { on: 'text', parameters: ['old', 'new', 'count?'], apply: replaceText },
    join: {
      on: 'text',
      parameters: ['items'],
      apply: (run, text, [items = null]) => concat(run, itemsOf(run, items), text),
    },
  }),
);

export function callMethod(run: Evaluation, name: string, value: JsonValue, args: Args): JsonValue {
  const method = METHODS.get(name);
  if (method?.on === 'object' && isObject(value)) return method.apply(run, value, args);
  if (method?.on === 'text' && typeof value === 'string') return method.apply(run, value, args);
  const wanted = method?.on === 'object' ? 'an object' : 'a string';
  return fail(run, `\`${name}()\` works on ${wanted}, not on ${aType(value)}`);
}

function affix(run: Evaluation, value: JsonValue | undefined, name: string): string {
  const text = wantText(run, value, name);
  chargeText(run, text.length);
  return text;
}

function recase(run: Evaluation, changed: string): string {
  boundOutput(run, changed.length);
  chargeText(run, changed.length);
  return changed;
}

export function entriesOf(run: Evaluation, object: JsonObject): readonly JsonValue[] {
  return keysOf(run, object).map((key) => [key, object[key] ?? null]);
}
