/** Filters for values of any type. */
import { demand, isMissing } from '../evaluate/missing.ts';
import { fail } from '../evaluate/evaluation.ts';
import { wantCount } from '../evaluate/text-functions.ts';
import { toJson, toText } from '../evaluate/to-text.ts';
import { aType, characterCount, isList, isObject, isTruthy, keysOf } from '../evaluate/values.ts';
import type { Filter, FilterCall } from './filter.ts';

const MAX_INDENT = 16;

const length: Filter = {
  parameters: [],
  apply: ({ run, name, input }) => {
    if (isList(input)) return input.length;
    if (isObject(input)) return keysOf(run, input).length;
    if (typeof input === 'string') return characterCount(run, input);
    return fail(run, `\`${name}\` does not work on ${aType(input)}`);
  },
};

/** Null counts as missing; so does any false value, if the second argument is true. */
const otherwise: Filter = {
  isForgiving: true,
  parameters: ['default_value?', 'boolean?'],
  apply: ({ run, input, args: [value = '', falsy = false] }) => {
    if (isMissing(input) || input === null) return value;
    return isTruthy(run, demand(run, falsy)) && !isTruthy(run, input) ? value : input;
  },
};

export const VALUE_FILTERS: Readonly<Record<string, Filter>> = {
  default: otherwise,
  d: otherwise,
  length,
  count: length,
  string: { parameters: [], apply: ({ run, input }) => toText(run, input) },
  json: {
    parameters: ['indent?'],
    apply: (call) => toJson(call.run, call.input, { indent: indentOf(call, 2) }),
  },
  tojson: {
    parameters: ['indent?'],
    apply: (call) => toJson(call.run, call.input, { indent: indentOf(call, 0) }),
  },
};

function indentOf({ run, args: [indent] }: FilterCall, fallback: number): string {
  const spaces = wantCount(run, indent, 'indent') ?? fallback;
  return ' '.repeat(Math.min(MAX_INDENT, Math.max(0, spaces)));
}
