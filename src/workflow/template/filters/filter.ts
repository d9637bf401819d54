/** What a filter is, and how one reads its input. */
import type { JsonValue } from '../../../errors/json.ts';
import type { Value } from '../missing.ts';
import { fail, type Run } from '../run.ts';
import type { Signature } from '../signature.ts';
import { toText } from '../to-text.ts';
import { aType, itemsOf } from '../values.ts';

export interface FilterCall<Input extends Value = JsonValue> {
  readonly run: Run;
  readonly name: string;
  readonly input: Input;
  /** In the order of the parameters; undefined where one was left out. */
  readonly args: readonly (Input | undefined)[];
  /** The filter or test that was named for the items, if one was. */
  readonly each: ((item: Value) => Value) | undefined;
}

/** Takes the name of a filter or a test, and its arguments, after so many of its own. */
export interface EachSignature {
  readonly kind: 'filter' | 'test';
  readonly after: number;
}

interface StrictFilter extends Signature {
  readonly isForgiving?: false;
  readonly each?: EachSignature;
  apply(call: FilterCall): Value;
}

/** Takes what is missing as well as what is there. */
interface ForgivingFilter extends Signature {
  readonly isForgiving: true;
  readonly each?: undefined;
  apply(call: FilterCall<Value>): Value;
}

export type Filter = StrictFilter | ForgivingFilter;

/** Numbers and booleans count as the text they are printed as; null, lists and objects do not. */
export function textInput({ run, name, input }: FilterCall): string {
  if (typeof input !== 'object') return toText(run, input);
  return fail(run, `\`${name}\` works on text, not on ${aType(input)}`);
}

export function numberInput({ run, name, input }: FilterCall): number {
  if (typeof input === 'number') return input;
  return fail(run, `\`${name}\` works on a number, not on ${aType(input)}`);
}

export function itemsInput({ run, name, input }: FilterCall): readonly JsonValue[] {
  if (input === null || typeof input === 'number' || typeof input === 'boolean')
    return fail(run, `\`${name}\` works on a list, not on ${aType(input)}`);
  return itemsOf(run, input);
}
