/** Filters for numbers, and from text to numbers. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { keepsDigits } from '../../json-schema/exact-number.ts';
import { finite } from '../evaluate/operators.ts';
import { fail } from '../evaluate/evaluation.ts';
import { wantCount } from '../evaluate/text-functions.ts';
import { aType } from '../evaluate/values.ts';
import { numberInput, type Filter, type FilterCall } from './filter.ts';

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
/** Longer text is not a number that a person wrote. */
const MAX_NUMBER_CHARS = 400;
const MAX_DIGITS = 15;

export const NUMBER_FILTERS: Readonly<Record<string, Filter>> = {
  int: {
    parameters: ['default?'],
    apply: (call) => convert(call, Math.trunc),
  },
  float: {
    parameters: ['default?'],
    apply: (call) => convert(call, (value) => value),
  },
  abs: { parameters: [], apply: (call) => Math.abs(numberInput(call)) },
  round: { parameters: ['precision?', 'method?'], apply: round },
};

/** Fails for text that is not a number, unless there is a default: Jinja's silent 0 hides the mistake. */
function convert(call: FilterCall, change: (value: number) => number): JsonValue {
  const { run, name, input, args } = call;
  const value = toNumber(input);
  const isUsable = value !== undefined && Number.isFinite(value);
  if (isUsable && (name === 'float' || isWritten(input, value))) return change(value) + 0;
  if (args[0] !== undefined) return args[0];
  if (isUsable)
    return fail(run, `\`${name}\` cannot convert this text: the number is too large to be exact`);
  return fail(run, `\`${name}\` cannot convert ${described(input)} to a number`);
}

function toNumber(input: JsonValue): number | undefined {
  if (typeof input === 'number') return input;
  if (typeof input === 'boolean') return Number(input);
  const isNumber =
    typeof input === 'string' && input.length <= MAX_NUMBER_CHARS && NUMBER.test(input);
  return isNumber ? Number(input) : undefined;
}

/** Whether the number keeps all digits of its text. */
function isWritten(input: JsonValue, value: number): boolean {
  if (typeof input !== 'string') return true;
  return keepsDigits(input.trim().replace(/^\+?(-?)0*(?=\d)/, '$1'), value);
}

function described(input: JsonValue): string {
  return typeof input === 'string' ? 'this text' : aType(input);
}

/** Rounds halves away from zero. */
function round(call: FilterCall): JsonValue {
  const { run, args } = call;
  const [precision, method = 'common'] = args;
  const value = numberInput(call);
  const digits = wantCount(run, precision, 'precision') ?? 0;
  if (Math.abs(digits) > MAX_DIGITS) fail(run, `\`precision\` must be within ${MAX_DIGITS} digits`);
  const scale = 10 ** Math.abs(digits);
  const scaled = digits >= 0 ? value * scale : value / scale;
  const back = (whole: number): number => finite(run, digits >= 0 ? whole / scale : whole * scale);
  if (method === 'ceil') return back(Math.ceil(scaled));
  if (method === 'floor') return back(Math.floor(scaled));
  if (method !== 'common') fail(run, '`method` must be common, ceil or floor');
  // toFixed rounds the exact decimal value, so that 1.005 becomes 1 and not 1.01
  if (digits >= 0 && Math.abs(value) < 1e21) return Number(value.toFixed(digits)) + 0;
  return back(Math.sign(scaled) * Math.round(Math.abs(scaled)));
}
