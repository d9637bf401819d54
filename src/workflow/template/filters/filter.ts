/** Types of filters, and readers for their input. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { Value } from '../evaluate/missing.ts';
import { fail, type Evaluation } from '../evaluate/evaluation.ts';
import type { Signature } from '../signature.ts';
import { toText } from '../evaluate/to-text.ts';
import { aType, itemsOf } from '../evaluate/values.ts';

export interface FilterCall<Input extends Value = JsonValue> {
  readonly run: Evaluation;
  readonly name: string;
  readonly input: Input;
  /** In the order of the parameters; undefined where absent. */
  readonly args: readonly (Input | undefined)[];
  /** The filter or test to apply to each item, if one is named. */
  readonly each: ((item: Value) => Value) | undefined;
}

/** Accepts the name of a filter or a test, and its arguments, after this many arguments of its own. */
export interface EachSignature {
  readonly kind: 'filter' | 'test';
  readonly after: number;
}

interface StrictFilter extends Signature {
  readonly isForgiving?: false;
  readonly each?: EachSignature;
  apply(call: FilterCall): Value;
}

/** Accepts missing values. */
interface ForgivingFilter extends Signature {
  readonly isForgiving: true;
  readonly each?: undefined;
  apply(call: FilterCall<Value>): Value;
}

export type Filter = StrictFilter | ForgivingFilter;

/** Converts numbers and booleans to text; refuses null, lists and objects. */
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
