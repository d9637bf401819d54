/** Filters for text. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { boundOutput, charge, chargeText, fail, type Evaluation } from '../evaluate/evaluation.ts';
import {
  replaceText,
  splitText,
  stripText,
  wantCount,
  wantText,
} from '../evaluate/text-functions.ts';
import { charactersOf, hasPairs, isTruthy } from '../evaluate/values.ts';
import { textInput, type Filter, type FilterCall } from './filter.ts';

/** Characters that a new word may follow in a title. */
const WORD = /[^-\s({[<]+/g;
const MAX_INDENT = 1_000;

export const TEXT_FILTERS: Readonly<Record<string, Filter>> = {
  lower: rewrite((text) => text.toLowerCase()),
  upper: rewrite((text) => text.toUpperCase()),
  capitalize: rewrite(capitalized),
  title: rewrite((text) => text.replace(WORD, capitalized), { weight: 6 }),
  trim: {
    parameters: ['chars?'],
    apply: (call) => stripText(call.run, textInput(call), call.args[0]),
  },
  replace: {
    parameters: ['old', 'new', 'count?'],
    apply: (call) => replaceText(call.run, textInput(call), call.args),
  },
  split: {
    parameters: ['separator?', 'most?'],
    apply: (call) => splitText(call.run, textInput(call), call.args),
  },
  truncate: {
    parameters: ['length?', 'killwords?', 'end?', 'leeway?'],
    apply: (call) => truncate(call, textInput(call)),
  },
  indent: {
    parameters: ['width?', 'first?', 'blank?'],
    apply: (call) => indent(call, textInput(call)),
  },
};

/** The weight is its cost relative to a change of case. */
function rewrite(change: (text: string) => string, { weight } = { weight: 1 }): Filter {
  return {
    parameters: [],
    apply: (call) => {
      const text = textInput(call);
      chargeText(call.run, weight * text.length);
      const changed = change(text);
      boundOutput(call.run, changed.length);
      return changed;
    },
  };
}

function capitalized(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Cuts at a word unless `killwords`; keeps a text that is at most `leeway` longer. */
function truncate({ run, args }: FilterCall, text: string): string {
  const [length, killwords = false, end = '...', leeway] = args;
  const most = wantCount(run, length, 'length') ?? 255;
  const ending = wantText(run, end, 'end');
  const slack = wantCount(run, leeway, 'leeway') ?? 5;
  if (most < ending.length || slack < 0)
    fail(run, '`length` must have room for `end`, and `leeway` must not be negative');
  const start = firstCharacters(run, text, most + slack + 1);
  if (start.length <= most + slack) return text;

  const kept = start.slice(0, most - ending.length).join('');
  const lastSpace = isTruthy(run, killwords) ? -1 : kept.lastIndexOf(' ');
  return (lastSpace === -1 ? kept : kept.slice(0, lastSpace)) + ending;
}

/** Reads only the necessary part of a long text. */
function firstCharacters(run: Evaluation, text: string, count: number): readonly string[] {
  boundOutput(run, count);
  const start = text.slice(0, hasPairs(run, text.slice(0, 2 * count)) ? 2 * count : count);
  return charactersOf(run, start).slice(0, count);
}

function indent({ run, args }: FilterCall, text: string): string {
  const [width = 4, first = false, blank = false] = args;
  const margin = marginOf(run, width);
  chargeText(run, text.length);
  const lines = text.split('\n');
  charge(run, lines.length);
  boundOutput(run, text.length + lines.length * margin.length);
  chargeText(run, lines.length * margin.length);
  const isIndented = (line: string, index: number): boolean =>
    index === 0 ? isTruthy(run, first) : line !== '' || isTruthy(run, blank);
  return lines.map((line, i) => (isIndented(line, i) ? margin + line : line)).join('\n');
}

function marginOf(run: Evaluation, width: JsonValue): string {
  if (typeof width === 'string') return width;
  const spaces = wantCount(run, width, 'width') ?? 4;
  return ' '.repeat(Math.min(MAX_INDENT, Math.max(0, spaces)));
}
