/**
 * Finds the learned weights of a sign. Signs stand in their order, each as its distance from the one before
 * it and the number of letters that its weights take. A letter says how many conclusions to skip and how
 * strongly the sign speaks for the one that is reached, or against it. Only the signs are unpacked, at the
 * first use; weights are read where they are needed.
 */
import { once } from '../../../errors/support/once.ts';
import { CELLS, SIGNS, STRONGEST } from './weights.ts';

/** Printable, without quotes, backslashes, spaces and what a page of HTML would read. */
export const DIGITS =
  '!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~';
export const SIGN_DIGITS = 3;
/** The last bits of a sign are left out: two signs that differ by them alone are one in a million. */
export const SIGN_SHIFT = 2;
/** Weights of one sign lie between these steps, upwards and downwards. */
export const LEVELS = 8;
/** Steps are finer where weights are small, which most are. */
export const BEND = 1.5;
const SIGNED = 2 * LEVELS;
/** How many conclusions a letter with a weight can skip. */
export const GAPS = 5;
/** Letters from here on skip conclusions only, each as many more as fit. */
export const FIRST_SKIP = SIGNED * GAPS;

export interface WeightTable {
  /** The row of a sign, or -1. */
  readonly find: (sign: number) => number;
  /** Adds the weights of a row to the scores of the conclusions. */
  readonly add: (row: number, scores: Float64Array) => void;
  /** The weight of a row for one conclusion. */
  readonly weigh: (row: number, label: number) => number;
}

export const weightTable = once((): WeightTable => unpack(SIGNS, CELLS));

const UNITS = 128;
const ROW_UNITS = SIGN_DIGITS + 1;

export function unpack(packed: string, cells: string): WeightTable {
  const { values, skips, strengths } = meanings();
  const rows = packed.length / ROW_UNITS;
  const starts = new Int32Array(rows + 1);
  const slots = 2 ** Math.ceil(Math.log2(2 * rows));
  const mask = slots - 1;
  // 0 is an empty slot
  const signs = new Int32Array(slots);
  const places = new Int32Array(slots);
  let sign = 0;
  for (let row = 0, at = 0; row < rows; row++, at += ROW_UNITS) {
    let distance = 0;
    for (let digit = at; digit < at + SIGN_DIGITS; digit++)
      distance = distance * DIGITS.length + (values[packed.charCodeAt(digit)] ?? 0);
    sign += distance;
    const length = values[packed.charCodeAt(at + SIGN_DIGITS)] ?? 0;
    starts[row + 1] = (starts[row] ?? 0) + length;
    // a row without weights only bridges a distance
    if (length === 0) continue;
    let slot = sign & mask;
    while (places[slot] !== 0) slot = (slot + 1) & mask;
    signs[slot] = sign;
    places[slot] = row + 1;
  }
  return {
    find: (wanted) => {
      const short = wanted >>> SIGN_SHIFT;
      let slot = short & mask;
      while (places[slot] !== 0 && signs[slot] !== short) slot = (slot + 1) & mask;
      return (places[slot] ?? 0) - 1;
    },
    add: (row, scores) => {
      const end = starts[row + 1] ?? 0;
      for (let at = starts[row] ?? 0, label = 0; at < end; at++) {
        const unit = cells.charCodeAt(at);
        label += skips[unit] ?? 0;
        const strength = strengths[unit] ?? 0;
        if (strength !== 0) scores[label] = (scores[label++] ?? 0) + strength;
      }
    },
    weigh: (row, wanted) => {
      const end = starts[row + 1] ?? 0;
      for (let at = starts[row] ?? 0, label = 0; at < end; at++) {
        const unit = cells.charCodeAt(at);
        label += skips[unit] ?? 0;
        const strength = strengths[unit] ?? 0;
        if (strength !== 0 && label++ === wanted) return strength;
      }
      return 0;
    },
  };
}

/** The meaning of each letter: its value as a digit, how many conclusions it skips, and its weight. */
function meanings(): {
  readonly values: Uint8Array;
  readonly skips: Uint8Array;
  readonly strengths: Float64Array;
} {
  const values = new Uint8Array(UNITS);
  const skips = new Uint8Array(UNITS);
  const strengths = new Float64Array(UNITS);
  for (let digit = 0; digit < DIGITS.length; digit++) {
    const unit = DIGITS.charCodeAt(digit);
    values[unit] = digit;
    skips[unit] = digit < FIRST_SKIP ? Math.floor(digit / SIGNED) : (digit - FIRST_SKIP + 1) * GAPS;
    strengths[unit] = digit < FIRST_SKIP ? strengthOf(digit % SIGNED) : 0;
  }
  return { values, skips, strengths };
}

/** Levels below the middle are negative; 0 is none of them. */
function strengthOf(level: number): number {
  const steps = level < LEVELS ? level - LEVELS : level - LEVELS + 1;
  return Math.sign(steps) * STRONGEST * (Math.abs(steps) / LEVELS) ** BEND;
}
