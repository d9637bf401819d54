/** Checks what must hold for every report, whatever it was made from. */
import { expect } from 'vitest';
import { MAX_REPORT_BYTES } from './report-limits.ts';
import { readReport, writeReport } from './read.ts';
import type { ErrorReport } from './report.ts';
import { reportSchema } from './report-schema.ts';

/** Accepted by the schema, by the writer also as plain data, unchanged by the reader, frozen, and small. */
export function expectValid(report: ErrorReport): void {
  const parsed = reportSchema.safeParse(report);
  expect(parsed.error?.issues ?? []).toEqual([]);
  const json = writeReport(report);
  expect(Buffer.byteLength(json)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
  // parsed anew it is not known to the builder, so every check is made again
  const data = JSON.parse(json) as ErrorReport;
  expect(writeReport(data).length).toBe(json.length);
  expect(readReport(data)).toEqual({ report, malformed: [], unknown: {} });
  expect(isFrozenThroughout(report)).toBe(true);
}

function isFrozenThroughout(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenThroughout);
}
