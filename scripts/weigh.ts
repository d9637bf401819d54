/**
 * Writes the weights of the signs (`src/providers/classify/weighed/weights.ts`), learned from the
 * entries of the corpora: for each sign how much it speaks for each conclusion. Logistic regression, with a
 * fixed order and no randomness, so that the same corpora give the same weights.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { ALL_ENTRIES, type Entry } from '../test/corpus/entries.ts';
import { extractFailure } from '../src/providers/extract/extract.ts';
import { gatherEvidence } from '../src/providers/classify/evidence.ts';
import { signsOf } from '../src/providers/classify/weighed/signs.ts';
import { conclusionOf } from '../src/providers/classify/weighed/weigh.ts';

const ROUNDS = 25;
const STEP = 0.5;
const SHRINKING = 1e-4;
/** A sign that was seen once is chance. */
const MIN_SEEN = 2;
const MAX_SIGNS = 3500;

interface Sample {
  readonly signs: readonly number[];
  readonly label: number;
}

export interface Learned {
  readonly labels: readonly string[];
  /** By sign, one weight for each label. */
  readonly weights: ReadonlyMap<number, Float64Array>;
  readonly bias: Float64Array;
}

export function learn(entries: readonly Entry[], maxSigns = MAX_SIGNS): Learned {
  const labelled = entries.flatMap((entry) => {
    const failure = extractFailure(entry);
    if (failure === undefined) return [];
    const { list, size } = signsOf(gatherEvidence(failure));
    return [{ signs: [...list.subarray(0, size)], name: labelOf(entry) }];
  });
  const labels = [...new Set(labelled.map(({ name }) => name))].sort();
  const samples = labelled.map(({ signs, name }) => ({ signs, label: labels.indexOf(name) }));
  const seen = new Map<number, number>();
  for (const { signs } of samples)
    for (const sign of signs) seen.set(sign, (seen.get(sign) ?? 0) + 1);
  const frequent = new Set(
    [...seen].filter(([, count]) => count >= MIN_SEEN).map(([sign]) => sign),
  );
  const first = regress(samples, labels, frequent);
  const strongest = [...first.weights]
    .map(
      ([sign, row]) =>
        [sign, Math.max(...row.map(Math.abs)) * Math.sqrt(seen.get(sign) ?? 1)] as const,
    )
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxSigns)
    .map(([sign]) => sign);
  return regress(samples, labels, new Set(strongest));
}

function labelOf({ expect: { kind, category } }: Entry): string {
  return conclusionOf(kind, category);
}

function regress(
  samples: readonly Sample[],
  labels: readonly string[],
  known: ReadonlySet<number>,
): Learned {
  const { length } = labels;
  const rows = new Map([...known].map((sign) => [sign, new Float64Array(length)]));
  const paces = new Map([...known].map((sign) => [sign, new Float64Array(length).fill(1e-8)]));
  const bias = new Float64Array(length);
  const prepared = samples.map(({ signs, label }) => ({
    label,
    rows: signs.flatMap((sign) => rows.get(sign) ?? []),
    paces: signs.flatMap((sign) => paces.get(sign) ?? []),
  }));
  const scores = new Float64Array(length);
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  for (let round = 0; round < ROUNDS; round++) {
    shuffle(prepared, random);
    for (const sample of prepared) {
      const scale = 1 / Math.sqrt(Math.max(1, sample.rows.length));
      for (let label = 0; label < length; label++) {
        let score = bias[label] ?? 0;
        for (const row of sample.rows) score += (row[label] ?? 0) * scale;
        scores[label] = score;
      }
      const top = Math.max(...scores);
      const total = scores.reduce((sum, score) => sum + Math.exp(score - top), 0);
      for (let label = 0; label < length; label++) {
        const error =
          Math.exp((scores[label] ?? 0) - top) / total - (label === sample.label ? 1 : 0);
        bias[label] = (bias[label] ?? 0) - 0.02 * error;
        for (const [at, row] of sample.rows.entries()) {
          const weight = row[label] ?? 0;
          const slope = error * scale + SHRINKING * weight;
          const pace = sample.paces[at];
          if (pace === undefined) continue;
          pace[label] = (pace[label] ?? 0) + slope * slope;
          row[label] = weight - (STEP * slope) / Math.sqrt(pace[label] ?? 1);
        }
      }
    }
  }
  return { labels, weights: rows, bias };
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
const MIN_LEVEL = 4;

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

/** Of the entries that the weights were learned from. */
export const LEARNED_FROM =
  '${fingerprint(ALL_ENTRIES)}';

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

/** The test of the weights computes the same: after a change of the corpora they must be learned again. */
export function fingerprint(entries: readonly Entry[]): string {
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

if (import.meta.main) {
  const file = new URL('../src/providers/classify/weighed/weights.ts', import.meta.url);
  writeFileSync(file, encode(learn(ALL_ENTRIES)));
}
