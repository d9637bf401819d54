/** Reads a token count from a foreign source. */
import { readProperty } from '../../errors/support/safe-json.ts';

/** A thousand times the longest context; a higher number is not a count. */
const MOST_TOKENS = 1_000_000_000;

/** Undefined for an invalid count: hosts send NaN, fractions, negative and absurdly large numbers. */
export function tokenCount(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0;
  return isCount && value <= MOST_TOKENS ? value : undefined;
}

export function readCount(usage: unknown, key: string): number | undefined {
  return tokenCount(readProperty(usage, key));
}
