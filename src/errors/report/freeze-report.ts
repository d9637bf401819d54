/** Freezes a finished report, and finds out on the way whether it certainly fits into its size. */
import { readProperty } from '../support/safe-json.ts';
import type { ErrorReport } from './report.ts';
import { MAX_REPORT_BYTES } from './report-limits.ts';

/**
 * Freezes a report that certainly fits, and counts its bytes on the way: most are a hundred times
 * smaller than the limit. Undefined for any other.
 */
export function freezeSmall(report: ErrorReport): ErrorReport | undefined {
  const isSmall = report.cause === undefined && freezeAndCount(report) <= MAX_REPORT_BYTES;
  return isSmall ? report : undefined;
}

/** The most bytes that a unit of text needs, when it is written as an escape. */
const MOST_BYTES = 6;
/** Quotes, a colon and a comma; a number, or a word of JSON. */
const MOST_BYTES_AROUND = 32;

/** Freezes everything, and returns the most bytes that it can have. */
function freezeAndCount(value: unknown): number {
  if (typeof value === 'string') return value.length * MOST_BYTES + MOST_BYTES_AROUND;
  if (typeof value !== 'object' || value === null) return MOST_BYTES_AROUND;
  let bytes = MOST_BYTES_AROUND;
  for (const name of Object.keys(value))
    bytes += name.length * MOST_BYTES + freezeAndCount(readProperty(value, name));
  Object.freeze(value);
  return bytes;
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // a report consists of plain objects and lists, which inherit no names
  for (const name in value) deepFreeze(value[name]);
  return value;
}
