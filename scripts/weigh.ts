/**
 * Writes the weights of the signs (`src/providers/classify/weighed/weights.ts`), learned from the
 * entries of the corpora: for each sign, how strongly it supports each conclusion. Logistic
 * regression in a fixed order, without randomness, so that the same corpora give the same weights.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { ALL_ENTRIES, type Entry } from '../test/corpus/entries.ts';
import { MORE_WORDINGS, WORDINGS } from '../test/corpus/wordings.ts';
import { RULE_CASES } from '../src/providers/classify/cases/rules.cases.ts';
import { catalogRow } from '../src/errors/catalog/catalog.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import type { ProviderFailure } from '../src/providers/provider-failure.ts';
import { gatherEvidence } from '../src/providers/classify/evidence.ts';
import { RULES } from '../src/providers/classify/table.ts';
import { signsOf } from '../src/providers/classify/weighed/signs.ts';
import { conclusionOf } from '../src/providers/classify/weighed/weigh.ts';
import {
  BEND,
  DIGITS,
  FIRST_SKIP,
  GAPS,
  LEVELS,
  SIGN_DIGITS,
  SIGN_SHIFT,
} from '../src/providers/classify/weighed/weight-table.ts';

const ROUNDS = 16;
const STEP = 0.5;
const SHRINKING = 1e-3;
/** Keeps the first lessons of a sign from deciding its weight. */
const FIRST_PACE = 1e-3;
/** A sign that occurred only once is chance. */
const MIN_SEEN = 2;
/** A smaller error teaches nothing; skipping it makes learning several times faster. */
const MIN_ERROR = 0.002;
/** How much a wording counts that nobody checked against a recorded failure. */
const UNCHECKED = 0.5;

/** A failure and its label. */
export interface Lesson {
  readonly failure: ProviderFailure;
  readonly label: string;
  /** How much it counts. */
  readonly force: number;
}

export interface Learned {
  readonly labels: readonly string[];
  /** One weight for each label, by sign. */
  readonly weights: ReadonlyMap<number, Float32Array>;
  readonly bias: Float64Array;
  /** How many lessons had each sign. */
  readonly seen: ReadonlyMap<number, number>;
}

/**
 * Everything that the weights are learned from: recorded failures, other words for them, and the
 * cases of the rules.
 */
export function allLessons(): Lesson[] {
  return [...lessonsIn(ALL_ENTRIES), ...lessonsInWords(), ...lessonsOfRules()];
}

/** Other words for failures. */
export function lessonsInWords(): Lesson[] {
  return [...lessonsIn(WORDINGS), ...lessonsIn(MORE_WORDINGS, UNCHECKED)];
}

export function lessonsIn(entries: readonly Entry[], force = 1): Lesson[] {
  return entries.flatMap((entry) => {
    const failure = extractFailure(entry);
    const { kind, category } = entry.expect;
    return failure === undefined ? [] : [{ failure, label: conclusionOf(kind, category), force }];
  });
}

export function lessonsOfRules(): Lesson[] {
  const rules = new Map(RULES.map((rule) => [rule.id, rule]));
  return RULE_CASES.map(({ rule, kind, failure }) => {
    const category = rules.get(rule)?.means.category ?? catalogRow(kind)?.category ?? 'unknown';
    return { failure: { ...NOTHING, ...failure }, label: conclusionOf(kind, category), force: 1 };
  });
}

const NOTHING: ProviderFailure = {
  operation: 'generate',
  headers: {},
  phase: 'headers',
  delivered: false,
  source: 'a case of a rule',
};

interface Sample {
  readonly signs: readonly number[];
  readonly label: number;
  readonly force: number;
}

export function learn(lessons: readonly Lesson[], labels = labelsOf(lessons)): Learned {
  const samples = lessons.map(({ failure, label, force }): Sample => {
    const { list, size } = signsOf(gatherEvidence(failure));
    return { signs: [...list.subarray(0, size)], label: labels.indexOf(label), force };
  });
  const seen = new Map<number, number>();
  for (const { signs } of samples)
    for (const sign of signs) seen.set(sign, (seen.get(sign) ?? 0) + 1);
  const frequent = [...seen].filter(([, count]) => count >= MIN_SEEN).map(([sign]) => sign);
  return { ...regress(samples, labels, frequent), seen };
}

export function labelsOf(lessons: readonly Lesson[]): string[] {
  return [...new Set(lessons.map(({ label }) => label))].sort();
}

/**
 * Learns weights that lie flat in one array, sign by sign; a sample is the list of its places in
 * it.
 */
function regress(
  samples: readonly Sample[],
  labels: readonly string[],
  known: readonly number[],
): Omit<Learned, 'seen'> {
  const { length } = labels;
  const placeOf = new Map(known.map((sign, index) => [sign, index * length]));
  const weights = new Float32Array(known.length * length);
  const paces = new Float32Array(known.length * length).fill(FIRST_PACE);
  const bias = new Float64Array(length);
  const prepared = samples.map(({ signs, label, force }) => ({
    label,
    force,
    places: signs.flatMap((sign) => placeOf.get(sign) ?? []),
  }));
  const errors = new Float64Array(length);
  const random = seeded(7);
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(prepared, random);
    for (const { label, force, places } of prepared) {
      const scale = 1 / Math.sqrt(Math.max(1, places.length));
      predict(errors, bias, { weights, places, scale });
      errors[label] = (errors[label] ?? 0) - 1;
      for (let at = 0; at < length; at++) errors[at] = (errors[at] ?? 0) * force;
      for (let at = 0; at < length; at++) bias[at] = (bias[at] ?? 0) - 0.02 * (errors[at] ?? 0);
      for (const place of places) mend(place, errors, { weights, paces, scale });
    }
  }
  return {
    labels,
    weights: new Map(
      [...placeOf].map(([sign, place]) => [sign, weights.subarray(place, place + length)]),
    ),
    bias,
  };
}

/** The probability of each label. */
function predict(
  likely: Float64Array,
  bias: Float64Array,
  {
    weights,
    places,
    scale,
  }: { readonly weights: Float32Array; readonly places: readonly number[]; readonly scale: number },
): void {
  likely.set(bias);
  for (const place of places)
    for (let at = 0; at < likely.length; at++)
      likely[at] = (likely[at] ?? 0) + (weights[place + at] ?? 0) * scale;
  const top = Math.max(...likely);
  let total = 0;
  for (let at = 0; at < likely.length; at++)
    total += likely[at] = Math.exp((likely[at] ?? 0) - top);
  for (let at = 0; at < likely.length; at++) likely[at] = (likely[at] ?? 0) / total;
}

function mend(
  place: number,
  errors: Float64Array,
  {
    weights,
    paces,
    scale,
  }: { readonly weights: Float32Array; readonly paces: Float32Array; readonly scale: number },
): void {
  for (let at = 0; at < errors.length; at++) {
    const error = errors[at] ?? 0;
    if (Math.abs(error) < MIN_ERROR) continue;
    const weight = weights[place + at] ?? 0;
    const slope = error * scale + SHRINKING * weight;
    const pace = (paces[place + at] ?? 0) + slope * slope;
    paces[place + at] = pace;
    weights[place + at] = weight - (STEP * slope) / Math.sqrt(pace);
  }
}

function seeded(start: number): () => number {
  let seed = start;
  return () => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
}

function shuffle(items: unknown[], random: () => number): void {
  for (let at = items.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [items[at], items[other]] = [items[other], items[at]];
  }
}

/** A weight that is smaller than this part of the strongest is left out, unless it is that of a frequent sign. */
const LEAST = 1 / 6;
const OFTEN = 3;
/** The largest weights are rare; the part of all that are within the scale. */
const IN_SCALE = 0.9999;

/**
 * Rows in the order of their signs, as `weight-table.ts` reads them. What a sign says of all
 * conclusions alike tells none from another, so the middle of its weights is taken from each, and
 * most become too small to count.
 */
export function encode({ labels, weights, bias, seen }: Learned): string {
  const centred = [...weights].map(([sign, row]) => ({ sign, row: centre(row) }));
  const all = Float32Array.from(centred.flatMap(({ row }) => [...row].map(Math.abs))).sort();
  const top = all[Math.floor(all.length * IN_SCALE)] ?? 1;
  const rows = centred
    .map(({ sign, row }) => {
      const least = (top * LEAST) / ((seen.get(sign) ?? 1) / OFTEN) ** 0.5;
      return {
        key: sign >>> SIGN_SHIFT,
        cells: cellsOf(
          [...row].map((value) => (Math.abs(value) < least ? 0 : levelOf(value, top))),
        ),
      };
    })
    .filter(({ cells }) => cells !== '')
    .sort((a, b) => a.key - b.key);
  return `/**
 * Written by \`npm run weigh\`; do not edit. How much each sign speaks for each conclusion, learned from the
 * entries of the corpora. \`weight-table.ts\` says how a row is read.
 */

/** A fingerprint of the entries that the weights were learned from. */
export const LEARNED_FROM =
  '${fingerprint()}';

/** The strongest weight. */
export const STRONGEST = ${top.toPrecision(8)};

export const LABELS: readonly string[] = [
${labels.map((label) => `  '${label}',`).join('\n')}
];

export const BIAS: readonly number[] = [
${[...bias].map((value) => `  ${value.toFixed(4)},`).join('\n')}
];

/** A row of digits for each sign, then the number of its cells. */
export const SIGNS =
  '${signsIn(rows)}';

export const CELLS =
  '${rows.map(({ cells }) => cells).join('')}';
`;
}

function centre(row: Float32Array): Float32Array {
  const sorted = Float32Array.from(row).sort();
  const { length } = sorted;
  const middle = ((sorted[(length - 1) >> 1] ?? 0) + (sorted[length >> 1] ?? 0)) / 2;
  return row.map((value) => value - middle);
}

function levelOf(value: number, top: number): number {
  const level = Math.round(LEVELS * Math.min(1, Math.abs(value) / top) ** (1 / BEND));
  return Math.sign(value) * level;
}

/** A letter for each weight that is not 0. */
function cellsOf(levels: readonly number[]): string {
  let text = '';
  let gap = 0;
  for (const level of levels) {
    if (level === 0) gap++;
    else {
      while (gap >= GAPS) {
        const skip = Math.min(Math.floor(gap / GAPS), DIGITS.length - FIRST_SKIP);
        text += DIGITS[FIRST_SKIP + skip - 1] ?? '';
        gap -= skip * GAPS;
      }
      text += DIGITS[gap * 2 * LEVELS + level + LEVELS - (level > 0 ? 1 : 0)] ?? '';
      gap = 0;
    }
  }
  return text;
}

const FARTHEST = DIGITS.length ** SIGN_DIGITS - 1;

/** Each sign as its distance from the one before it; a row without weights bridges one that is too far. */
function signsIn(rows: readonly { readonly key: number; readonly cells: string }[]): string {
  let last = 0;
  let text = '';
  for (const { key, cells } of rows) {
    for (; key - last > FARTHEST; last += FARTHEST) text += `${digits(FARTHEST)}${DIGITS[0] ?? ''}`;
    text += `${digits(key - last)}${DIGITS[cells.length] ?? ''}`;
    last = key;
  }
  return text;
}

function digits(distance: number): string {
  let text = '';
  for (let at = 0, left = distance; at < SIGN_DIGITS; at++) {
    text = (DIGITS[left % DIGITS.length] ?? '') + text;
    left = Math.floor(left / DIGITS.length);
  }
  return text;
}

/**
 * The test of the weights compares the same fingerprint: after a change of the lessons they must be
 * learned again.
 */
export function fingerprint(): string {
  const lessons = JSON.stringify([ALL_ENTRIES, WORDINGS, MORE_WORDINGS, RULE_CASES]);
  return createHash('sha256').update(lessons).digest('hex');
}

if (import.meta.main) {
  const file = new URL('../src/providers/classify/weighed/weights.ts', import.meta.url);
  writeFileSync(file, encode(learn(allLessons())));
}
