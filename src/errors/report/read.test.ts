import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDraft, anyReport, anyText, anything, anyThrown, STAMP } from './arbitraries.cases.ts';
import { buildReport } from './build.ts';
import { ErrandError } from '../thrown/errand-error.ts';
import { FIELDS } from './fields.ts';
import { readReport, writeReport } from './read.ts';
import type { ErrorReport } from './report.ts';
import { reportSchema } from './report-schema.ts';
import { expectValid } from './valid-report.cases.ts';
import { runs } from '../../../test/runs.ts';

type Data = Record<string, unknown>;

const asData = (report: ErrorReport): Data => JSON.parse(writeReport(report)) as Data;

describe('report → JSON → report', () => {
  it('is the identity, through causes too', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        expect(readReport(asData(report))).toEqual({ report, malformed: [], unknown: {} });
      }),
    );
  });

  it('is the identity whatever order the fields come in', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        const reversed = reverseKeys(asData(report));
        expect(readReport(reversed).report).toEqual(report);
        expect(writeReport(reversed as never)).toHaveLength(writeReport(report).length);
      }),
    );
  });
});

const NAMES = Object.keys(FIELDS).filter((name) => name !== 'kind');

describe('a report that someone else changed', () => {
  const junk = fc.oneof(anyText, anything, fc.constantFrom(null, -1, Number.NaN, [], {}, [{}]));

  it('keeps its kind, and every unchanged field, beside malformed fields', () => {
    fc.assert(
      fc.property(
        anyReport,
        fc.dictionary(fc.constantFrom(...NAMES, 'cause', 'v'), junk, { minKeys: 1, maxKeys: 5 }),
        (report, changes) => {
          const { report: read } = readReport({ ...asData(report), ...changes });
          expectValid(read);
          expect(read.kind).toBe(report.kind);
          for (const name of ['category', 'retryable', 'outcome', 'domain', 'message'] as const) {
            if (!Object.hasOwn(changes, name)) expect(read[name]).toEqual(report[name]);
          }
        },
      ),
      { numRuns: runs(120) },
    );
  });

  it('keeps its kind under fields that this version does not know, and sets those aside', () => {
    fc.assert(
      fc.property(
        anyReport,
        fc.dictionary(fc.stringMatching(/^new[A-Z][a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }), {
          minKeys: 1,
        }),
        (report, more) => {
          const read = readReport({ ...asData(report), ...more, v: 2 });
          expect(read.report).toEqual(report);
          expect(read.malformed).toEqual([]);
          expect(Object.keys(read.unknown).toSorted()).toEqual(Object.keys(more).toSorted());
        },
      ),
    );
  });

  it('is read from the text that it was written as', () => {
    fc.assert(
      fc.property(anyReport, (report) => {
        expect(readReport(writeReport(report))).toEqual({ report, malformed: [], unknown: {} });
      }),
    );
  });

  it.each(['', 'no JSON', '[]', '7', 7, null, undefined])(
    'is reported as malformed: %j',
    (value) => {
      expect(readReport(value).malformed).toEqual(['report']);
    },
  );

  it('names the fields that could not be used', () => {
    const read = readReport({
      v: 1,
      kind: 'order.missing',
      category: 'nonsense',
      retryable: 'maybe',
      provider: { status: '429', retryAfterMs: -5 },
      attempts: [{ number: 1 }],
      cause: 'text',
      at: 'yesterday',
    });
    expect(read.malformed).toEqual(['category', 'retryable', 'attempts', 'at', 'cause']);
    // a whole number that a gateway made a string is read back; only a bad member is dropped
    expect(read.report).toMatchObject({ kind: 'order.missing', provider: { status: 429 } });
    expect(read.report.provider).not.toHaveProperty('retryAfterMs');
  });

  it('takes what is missing from the catalog', () => {
    expect(readReport({ kind: 'provider.rate_limited' }).report).toMatchObject({
      class: 'provider_transient',
      category: 'transient',
      retryable: true,
      message: 'A failure arrived whose report could not be read',
      action: { kind: 'wait_and_retry' },
    });
  });

  it('is a valid report of its own when nothing of it can be read', () => {
    fc.assert(
      fc.property(anyThrown, (make) => {
        expectValid(readReport(make(), { stamp: STAMP }).report);
      }),
    );
  });

  it('keeps its root fault however many causes are between', () => {
    let data: Data = { v: 1, kind: 'root.fault', message: 'root' };
    for (let depth = 0; depth < 500; depth++)
      data = { v: 1, kind: 'a.b', message: 'm', cause: data };
    const { report } = readReport(data);
    expect(rootOf(report).kind).toBe('root.fault');
    expect(report.cut?.causes).toBe(500 - 8);
    expectValid(report);
  });

  it('takes no secret in, not even aside', () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwx';
    const read = readReport({ kind: 'a.b', message: secret, later: { secret, apiKey: 'plain' } });
    expect(JSON.stringify(read)).not.toContain(secret);
    expect(read.unknown).toEqual({ later: { secret: '[redacted]', apiKey: '[redacted]' } });
  });
});

describe('the writer', () => {
  it('and the schema accept the same values', () => {
    const changed = fc.tuple(
      anyDraft,
      fc.dictionary(
        fc.constantFrom(...NAMES, 'kind', 'v', 'extra'),
        fc.oneof(anyText, fc.constantFrom(null, -1, [], {}, 1, true)),
        {
          maxKeys: 1,
        },
      ),
    );
    fc.assert(
      fc.property(changed, ([draft, changes]) => {
        const data = { ...asData(buildReport(draft, { stamp: STAMP })), ...changes };
        // the schema knows no secrets and no control characters, so it may accept more
        if (isWritten(data)) expect(reportSchema.safeParse(data).success).toBe(true);
        if (!reportSchema.safeParse(data).success) expect(isWritten(data)).toBe(false);
      }),
      { numRuns: runs(120) },
    );
  });

  it.each<[string, unknown, string[]]>([
    ['no object', null, ['report']],
    ['a field too many', { ...good(), extra: 1 }, ['extra']],
    ['a field too few', { ...good(), title: undefined }, ['title']],
    ['a number as text', { ...good(), attempt: { number: '1' } }, ['attempt']],
    ['an empty location', { ...good(), location: {} }, ['location']],
    ['a message too long', { ...good(), message: 'x'.repeat(2001) }, ['message', 'cut']],
    ['a secret', { ...good(), details: { a: 'sk-proj-abcdefghijklmnop' } }, ['details']],
    ['what is no JSON', { ...good(), details: { a: 1n } }, ['details']],
    ['another version', { ...good(), v: 2 }, ['v']],
    ['no time', { ...good(), at: '' }, ['at']],
    ['no id', { ...good(), id: '' }, ['id']],
    ['a bad cause', { ...good(), cause: { ...good(), kind: 'BAD' } }, ['cause']],
  ])('refuses %s', (_, value, flaws) => {
    const refusal = caught(() => writeReport(value as ErrorReport));
    expect(refusal).toMatchObject({ kind: 'internal.invariant', details: { flaws } });
  });
});

function good(): Data {
  return asData(buildReport({ kind: 'a.b', message: 'm' }, { stamp: STAMP }));
}

function isWritten(value: unknown): boolean {
  try {
    return writeReport(value as ErrorReport).length > 0;
  } catch (error) {
    if (error instanceof ErrandError) return false;
    throw error;
  }
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function rootOf(report: ErrorReport): ErrorReport {
  return report.cause === undefined ? report : rootOf(report.cause);
}

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reverseKeys(item)]),
  );
}
