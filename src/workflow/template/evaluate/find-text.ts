/**
 * Finds a text in another. The built-in search is quadratic on hostile texts (searching for half a
 * megabyte took 52 s), so a long part is found with the algorithm of Knuth, Morris and Pratt, which reads
 * each character once.
 */
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { charge, chargeText, type Evaluation } from './evaluation.ts';

const LONG_PART_CHARS = 32;

/** The first `max` offsets, without overlaps. An empty part is found at the start. */
export function findAll(
  run: Evaluation,
  text: string,
  part: string,
  max: number,
): readonly number[] {
  chargeText(run, text.length + part.length);
  if (part === '') return max > 0 ? [0] : [];
  const find = part.length <= LONG_PART_CHARS ? findShort : findLong;
  const found = find(text, part, Math.min(max, TEMPLATE_LIMITS.steps));
  charge(run, found.length);
  return found;
}

function findShort(text: string, part: string, max: number): readonly number[] {
  const found: number[] = [];
  let offset = text.indexOf(part);
  while (offset !== -1 && found.length < max) {
    found.push(offset);
    offset = text.indexOf(part, offset + part.length);
  }
  return found;
}

function findLong(text: string, part: string, max: number): readonly number[] {
  const found: number[] = [];
  if (part.length > text.length) return found;
  const borders = bordersOf(part);
  let matched = 0;
  for (let index = 0; index < text.length && found.length < max; index++) {
    matched = extend(part, borders, matched, text.charCodeAt(index));
    if (matched < part.length) continue;
    found.push(index + 1 - matched);
    matched = 0;
  }
  return found;
}

/** For each prefix, the length of its longest border. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length + 1);
  let matched = 0;
  for (let length = 1; length < part.length; length++) {
    matched = extend(part, borders, matched, part.charCodeAt(length));
    borders[length + 1] = matched;
  }
  return borders;
}

function extend(part: string, borders: Uint32Array, matched: number, unit: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length] ?? 0;
  return part.charCodeAt(length) === unit ? length + 1 : 0;
}
