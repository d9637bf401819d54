import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDraft, anyText, STAMP } from './arbitraries.cases.ts';
import { MAX_REPORT_BYTES } from './report-limits.ts';
import { buildReport, crossBoundary } from './build.ts';
import type { JsonObject } from '../support/safe-json.ts';
import { writeReport } from './read.ts';
import type { ErrorReport, ReportDraft } from './report.ts';
import { reportBytes } from './fit-size.ts';
import { expectValid } from './valid-report.cases.ts';
import { runs } from '../../../test/runs.ts';

const built = (draft: Partial<ReportDraft>): ErrorReport =>
  buildReport({ kind: 'a.b', message: 'm', ...draft }, { stamp: STAMP });

/** Six bytes in JSON for one character: the largest text possible. */
const LARGE = '\ud800';

/** A draft with every field as large as it can be. */
function enormous(kind: string, text: string): ReportDraft {
  const word = text.repeat(300);
  const location = { workflow: word, node: word, path: word };
  const kinds = Array.from({ length: 400 }, (_, index) => `k${'x'.repeat(190)}.k${index}`);
  return {
    kind,
    message: text.repeat(3000),
    title: word,
    details: {
      members: Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [
          `${word}${index}`,
          { v: 1, kind: 'a.b', message: text.repeat(2000), location, details: { word } },
        ]),
      ),
      counts: Object.fromEntries(kinds.map((name, index) => [name, index + 1])),
      others: Array.from({ length: 200 }, () => word),
    },
    action: { kind: 'find_out', detail: text.repeat(2000) },
    location: { ...location, file: word, pointer: word },
    frames: Array.from({ length: 40 }, () => location),
    attempts: Array.from({ length: 80 }, (_, number) => ({
      number,
      kind: 'a.b',
      message: word,
      target: word,
    })),
    provider: { name: word, model: word, code: word, type: word, requestId: word, limit: word },
    rule: { id: word, evidence: Array.from({ length: 20 }, () => word), confidence: 'low' },
  };
}

describe('a report of any size', () => {
  it('fits into 64 KiB', () => {
    fc.assert(
      fc.property(fc.array(anyDraft, { minLength: 3, maxLength: 12 }), (drafts) => {
        const report = drafts.reduce<ErrorReport | undefined>(
          (cause, draft) => built(cause === undefined ? draft : { ...draft, cause }),
          undefined,
        );
        expect(bytesOf(report)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
      }),
      { numRuns: runs(25) },
    );
  });

  it.each([
    ['plain', 'x'],
    ['quoted', '"'],
    ['large in JSON', LARGE],
    ['wide', '値'],
  ])('fits even when all of it is as long as it can be: %s', (_, text) => {
    for (const kind of ['a.b', 'group.failed']) {
      let report = built(enormous(kind, text));
      for (let depth = 0; depth < 4; depth++)
        report = built({ ...enormous(kind, text), cause: report });
      expectValid(report);
    }
  });

  it('is measured as it is written', () => {
    fc.assert(
      fc.property(anyDraft, anyDraft, (outer, inner) => {
        const report = built({ ...outer, cause: built(inner) });
        expect(reportBytes(report)).toBe(Buffer.byteLength(writeReport(report)));
      }),
    );
  });
});

describe('what is left out of a report that is too large', () => {
  const message = 'y'.repeat(1900);
  const member = (index: number): JsonObject => ({
    v: 1,
    kind: 'tool.failed',
    message,
    location: { node: `n${index}` },
    details: { log: 'z'.repeat(3000) },
  });
  const group = (): ErrorReport =>
    built({
      kind: 'group.failed',
      details: {
        members: Object.fromEntries(
          Array.from({ length: 25 }, (_, index) => [`m${index}`, member(index)]),
        ),
        counts: { 'tool.failed': 25 },
        log: 'z'.repeat(3000),
      },
    });

  it('is first the details of a group’s members; kinds, messages and locations of 20 stay', () => {
    const { details, cut } = group();
    const members = Object.entries(details?.['members'] ?? {});
    expect(members).toHaveLength(20);
    for (const [index, [, member]] of members.entries()) {
      expect(member).toEqual({
        v: 1,
        kind: 'tool.failed',
        message,
        location: { node: `n${index}` },
      });
    }
    expect(details).toMatchObject({ counts: { 'tool.failed': 25 }, log: 'z'.repeat(3000) });
    expect(cut?.details).toBeGreaterThan(0);
  });

  it('is never the counts of a group, whatever else is in it and in which order', () => {
    fc.assert(
      fc.property(
        anyDraft,
        fc.dictionary(fc.constantFrom('a.b', 'tool.failed'), fc.nat(), { minKeys: 1 }),
        (draft, counts) => {
          const details = { ...(enormous('group.failed', LARGE).details as object), counts };
          const report = crossBoundary(built({ ...draft, kind: 'group.quorum', details }), {
            node: 'x',
          });
          expect(report.details?.['counts']).toEqual(counts);
        },
      ),
      { numRuns: runs(10) },
    );
  });

  it('does not change the sum: the rarest of too many kinds are counted together', () => {
    const { details } = built({
      kind: 'group.failed',
      details: enormous('group.failed', 'x').details,
    });
    const counts = Object.values((details?.['counts'] ?? {}) as Record<string, number>);
    expect(counts).toHaveLength(200);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe((400 * 401) / 2);
  });

  it('is the middle of a long chain and never its root', () => {
    let report = built({ kind: 'root.fault', message: 'root' });
    for (let depth = 0; depth < 20; depth++) report = built({ message: `${depth}`, cause: report });
    const chain = chainOf(report);
    expect(chain.map((link) => link.message).join(' ')).toBe('19 18 17 16 15 14 13 12 root');
    const counted = chain.map((link) => link.cut?.causes ?? 0);
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(12);
  });

  it('is never where it was raised', () => {
    let report = built({ ...enormous('a.b', LARGE), frames: [{ node: 'raised' }] });
    for (let depth = 0; depth < 3; depth++)
      report = built({ ...enormous('a.b', LARGE), frames: report.frames ?? [], cause: report });
    report = crossBoundary(report, { node: 'top' });
    expect(report.frames?.[0]).toEqual({ node: 'raised' });
  });

  it('is counted once, however often the report is built again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const report = built(enormous('group.failed', text || 'x'));
        const again = crossBoundary(report, { node: 'x' });
        expect(again.details).toEqual(report.details);
        expect(again.cut?.details).toBe(report.cut?.details);
      }),
      { numRuns: runs(10) },
    );
  });
});

function bytesOf(report: ErrorReport | undefined): number {
  return Buffer.byteLength(JSON.stringify(report) ?? '');
}

function chainOf(report: ErrorReport): ErrorReport[] {
  return report.cause === undefined ? [report] : [report, ...chainOf(report.cause)];
}
