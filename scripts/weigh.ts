/**
 * Writes the weights of the signs (`src/providers/classify/weighed/weights.ts`), learned from the
 * entries of the corpora: for each sign, how strongly it supports each conclusion. Logistic
 * regression in a fixed order, without randomness, so that the same corpora give the same weights.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { ALL_ENTRIES, type Entry } from '../test/corpus/entries.ts';
import { WORDINGS } from '../test/corpus/wordings.ts';
import { RULE_CASES } from '../src/providers/classify/cases/rules.cases.ts';
import { catalogRow } from '../src/errors/catalog/catalog.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import type { ProviderFailure } from '../src/providers/provider-failure.ts';
import { gatherEvidence } from '../src/providers/classify/evidence.ts';
import { RULES } from '../src/providers/classify/table.ts';
import { signsOf } from '../src/providers/classify/weighed/signs.ts';
import { conclusionOf } from '../src/providers/classify/weighed/weigh.ts';

const ROUNDS = 12;
const STEP = 0.5;
const SHRINKING = 1e-3;
/** A sign that occurred only once is chance. */
const MIN_SEEN = 2;
const MAX_SIGNS = 3500;
/** A smaller error teaches nothing; skipping it makes learning several times faster. */
const MIN_ERROR = 0.002;

/** A failure and its label. */
export interface Lesson {
  readonly failure: ProviderFailure;
  readonly label: string;
}

export interface Learned {
  readonly labels: readonly string[];
  /** One weight for each label, by sign. */
  readonly weights: ReadonlyMap<number, Float32Array>;
  readonly bias: Float64Array;
}

/**
 * Everything that the weights are learned from: recorded failures, other words for them, and the
 * cases of the rules.
 */
export function allLessons(): Lesson[] {
  return [...lessonsIn(ALL_ENTRIES), ...lessonsIn(WORDINGS), ...lessonsOfRules()];
}

export function lessonsIn(entries: readonly Entry[]): Lesson[] {
  return entries.flatMap((entry) => {
    const failure = extractFailure(entry);
    const { kind, category } = entry.expect;
    return failure === undefined ? [] : [{ failure, label: conclusionOf(kind, category) }];
  });
}

export function lessonsOfRules(): Lesson[] {
  const rules = new Map(RULES.map((rule) => [rule.id, rule]));
  return RULE_CASES.map(({ rule, kind, failure }) => {
    const category = rules.get(rule)?.means.category ?? catalogRow(kind)?.category ?? 'unknown';
    return { failure: { ...NOTHING, ...failure }, label: conclusionOf(kind, category) };
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
}

export function learn(lessons: readonly Lesson[], labels = labelsOf(lessons)): Learned {
  const samples = lessons.map(({ failure, label }): Sample => {
    const { list, size } = signsOf(gatherEvidence(failure));
    return { signs: [...list.subarray(0, size)], label: labels.indexOf(label) };
  });
  const seen = new Map<number, number>();
  for (const { signs } of samples)
    for (const sign of signs) seen.set(sign, (seen.get(sign) ?? 0) + 1);
  const frequent = [...seen].filter(([, count]) => count >= MIN_SEEN).map(([sign]) => sign);
  const first = regress(samples, labels, frequent);
  const strongest = [...first.weights]
    .map(
      ([sign, row]) =>
        [sign, Math.max(...row.map(Math.abs)) * Math.sqrt(seen.get(sign) ?? 1)] as const,
    )
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_SIGNS)
    .map(([sign]) => sign);
  return regress(samples, labels, strongest);
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
): Learned {
  const { length } = labels;
  const placeOf = new Map(known.map((sign, index) => [sign, index * length]));
  const weights = new Float32Array(known.length * length);
  const paces = new Float32Array(known.length * length).fill(1e-8);
  const bias = new Float64Array(length);
  const prepared = samples.map(({ signs, label }) => ({
    label,
    places: signs.flatMap((sign) => placeOf.get(sign) ?? []),
  }));
  const errors = new Float64Array(length);
  const random = seeded(7);
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(prepared, random);
    for (const { label, places } of prepared) {
      const scale = 1 / Math.sqrt(Math.max(1, places.length));
      predict(errors, bias, { weights, places, scale });
      errors[label] = (errors[label] ?? 0) - 1;
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

/** Printable, without quotes and backslashes; 0 is the middle one. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LEVELS = 31;
const MIN_LEVEL = 5;

/** Each sign: six digits, then a letter for each conclusion and its weight, then a space. */
export function encode({ labels, weights, bias }: Learned): string {
  const all = [...weights.values()].flatMap((row) => [...row].map(Math.abs)).sort((a, b) => a - b);
  const top = all[Math.floor(all.length * 0.9995)] ?? 1;
  const digit = (value: number): string =>
    DIGITS[Math.max(0, Math.min(62, Math.round((value / top) * LEVELS) + LEVELS))] ?? '';
  const rows = [...weights]
    .sort(([a], [b]) => a - b)
    .flatMap(([sign, row]) => {
      const strong = [...row].flatMap((value, label) =>
        Math.abs(Math.round((value / top) * LEVELS)) >= MIN_LEVEL
          ? [`${DIGITS[label] ?? ''}${digit(value)}`]
          : [],
      );
      return strong.length === 0 ? [] : [digits(sign >>> 0) + strong.join('')];
    });
  return `/**
 * Written by \`npm run weigh\`; do not edit. How much each sign speaks for each conclusion, learned from the
 * entries of the corpora. A row is a sign (six digits), then for each conclusion its letter and its
 * weight.
 */

/** A fingerprint of the entries that the weights were learned from. */
export const LEARNED_FROM =
  '${fingerprint()}';

/** Weights are stated in steps of this. */
export const STEP = ${(top / LEVELS).toPrecision(8)};

export const LABELS: readonly string[] = [
${labels.map((label) => `  '${label}',`).join('\n')}
];

export const BIAS: readonly number[] = [
${[...bias].map((value) => `  ${value.toFixed(4)},`).join('\n')}
];

export const ROWS =
  '${rows.join(' ')}';
`;
}

function digits(sign: number): string {
  let text = '';
  for (let shift = 30; shift >= 0; shift -= 6) text += DIGITS[(sign / 2 ** shift) & 63] ?? '';
  return text;
}

/**
 * The test of the weights compares the same fingerprint: after a change of the lessons they must be
 * learned again.
 */
export function fingerprint(): string {
  const lessons = JSON.stringify([ALL_ENTRIES, WORDINGS, RULE_CASES]);
  return createHash('sha256').update(lessons).digest('hex');
}

if (import.meta.main) {
  const file = new URL('../src/providers/classify/weighed/weights.ts', import.meta.url);
  writeFileSync(file, encode(learn(allLessons())));
}
