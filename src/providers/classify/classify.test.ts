import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  ALL_ENTRIES,
  ENTRIES,
  type Entry,
  type Expectation,
} from '../../../test/corpus/entries.ts';
import { RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import type { ProviderFailure } from '../provider-failure.ts';
import { extractFailure } from '../extract/extract.ts';
import { CONCEPTS } from './concepts/lexicon.ts';
import { families } from './phrases.ts';
import { CONTESTED } from './cases/contested.cases.ts';
import { RULE_CASES } from './cases/rules.cases.ts';
import { classify, createClassify, NO_RULE, type Classification } from './classify.ts';
import { RULES } from './table.ts';

const BARE: ProviderFailure = {
  operation: 'generate',
  headers: {},
  phase: 'sent',
  delivered: false,
  source: 'test',
};

function classified(entry: object): Classification {
  const failure = extractFailure(entry);
  if (failure === undefined) throw new Error('the entry was not recognised as a failure');
  return classify(failure);
}

function conclusion({ kind, category, retryable, retryAfterMs }: Classification): object {
  return { kind, category, retryable, retryAfterMs };
}

function expected({ kind, category, retryable, retryAfterMs }: Expectation): object {
  return { kind, category, retryable, retryAfterMs };
}

describe('the corpus of real failures', () => {
  const settled = ALL_ENTRIES.filter((entry) => !entry.contested);
  const contested = ALL_ENTRIES.filter((entry) => entry.contested);

  it.each(settled)('classifies $id correctly', (entry) => {
    expect(conclusion(classified(entry))).toEqual(expected(entry.expect));
  });

  it('differs from contested entries of the first corpus only where a reason is given', () => {
    const differing = contested.filter(differs).map(({ id }) => id);
    const known = new Set(ENTRIES.map(({ id }) => id));
    expect(differing.filter((id) => known.has(id)).sort()).toEqual(Object.keys(CONTESTED).sort());
  });

  it('differs from all other contested entries exactly where it did', async () => {
    const differing = contested.filter(differs).map(differenceIn);
    const golden = new URL('../../../test/corpus/contested-differences.txt', import.meta.url);
    await expect(`${differing.sort().join('\n')}\n`).toMatchFileSnapshot(fileURLToPath(golden));
  });

  it('reads no other hint from an entry where a clock is given, long after or at its time', () => {
    const later = Date.parse('2031-01-01T00:00:00Z');
    const changed = ALL_ENTRIES.filter((entry) => {
      const failure = extractFailure(entry);
      return failure !== undefined && hintAt(failure, later) !== hintAt(failure, undefined);
    });
    expect(changed.map(({ id }) => id)).toEqual([]);
  });
});

function differs(entry: Entry): boolean {
  const ours = JSON.stringify(conclusion(classified(entry)));
  return ours !== JSON.stringify(expected(entry.expect));
}

function differenceIn(entry: Entry): string {
  const { kind, category } = classified(entry);
  return `${entry.id}: ${entry.expect.kind} (${entry.expect.category}) -> ${kind} (${category})`;
}

function hintAt(failure: ProviderFailure, nowMs: number | undefined): number | null {
  return classify(failure, { nowMs }).retryAfterMs;
}

describe('the table of rules', () => {
  it.each(RULE_CASES)('$rule concludes $kind from its own case', ({ rule, kind, failure }) => {
    const found = classify({ ...BARE, ...failure });
    expect({ rule: found.rule, kind: found.kind }).toEqual({ rule, kind });
  });

  it('has no unused rule', () => {
    const needed = new Set([
      ...ENTRIES.map((entry) => classified(entry).rule),
      ...RULE_CASES.map(({ rule }) => rule),
    ]);
    expect(RULES.map(({ id }) => id).filter((id) => !needed.has(id))).toEqual([]);
  });

  it('names each rule once', () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has a bit for each family and each concept', () => {
    expect(Object.keys(families()).length).toBeLessThanOrEqual(64);
    expect(CONCEPTS.length).toBeLessThanOrEqual(128);
  });

  it('concludes only kinds of the catalog', () => {
    const known = new Set<string>(RUNTIME_KINDS);
    expect(RULES.filter(({ means }) => !known.has(means.kind))).toEqual([]);
  });

  it('gives conclusions from prose alone low confidence', () => {
    const readsProse = RULES.filter(
      ({ when }) =>
        when.phrases !== undefined || when.says !== undefined || when.transportText !== undefined,
    );
    for (const { rule, failure } of RULE_CASES) {
      const isProse = readsProse.some(({ id }) => id === rule);
      const { confidence } = classify({ ...BARE, ...failure });
      expect({ rule, confidence }).toEqual({ rule, confidence: isProse ? 'low' : 'high' });
    }
  });

  it('claims nothing where no rule holds', () => {
    expect(classify(BARE)).toMatchObject({
      kind: 'provider.unknown',
      retryable: null,
      rule: NO_RULE.id,
      confidence: 'low',
    });
  });

  it('gives the same result with and without rules that do not hold', () => {
    const never = { id: 'x', when: { codes: ['no_such_code'] }, means: NO_RULE.means, why: '' };
    const extended = createClassify([never, ...RULES]);
    for (const entry of ENTRIES) {
      const failure = extractFailure(entry);
      if (failure !== undefined) expect(extended(failure)).toEqual(classify(failure));
    }
  });
});

describe('what happened to the work', () => {
  const overloaded = { error: { type: 'overloaded_error', message: 'Overloaded' } };

  it('calls a transient failure ambiguous once a part of the reply was delivered', () => {
    const cut = classify({
      ...BARE,
      status: 200,
      body: overloaded,
      phase: 'streaming',
      delivered: true,
    });
    expect(cut).toMatchObject({
      kind: 'provider.overloaded',
      category: 'ambiguous',
      retryable: false,
      outcome: 'partial',
    });
  });

  it('keeps it transient when the stream had brought nothing but the error', () => {
    const body = `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`;
    const first = classify({ ...BARE, status: 200, body, phase: 'streaming', delivered: true });
    expect(first).toMatchObject({
      kind: 'provider.overloaded',
      category: 'transient',
      retryable: true,
    });
  });

  it.each(['streaming', 'headers'] as const)(
    'sees content before the error of a stream: %s',
    (phase) => {
      const body = [
        'data: {"choices":[{"delta":{"content":"Once"}}]}',
        `data: ${JSON.stringify(overloaded)}`,
      ].join('\n\n');
      const late = classify({ ...BARE, status: 200, body, phase, delivered: false });
      expect(late).toMatchObject({ category: 'ambiguous', outcome: 'partial' });
    },
  );

  it.each([
    [{ status: 500 }, 'ambiguous'],
    [{ status: 429 }, 'transient'],
    [{ status: 408 }, 'transient'],
    [{ transport: { code: 'UND_ERR_HEADERS_TIMEOUT' } }, 'ambiguous'],
    [{ transport: { code: 'ECONNREFUSED' }, phase: 'before_send' as const }, 'transient'],
    [{ status: 400, body: { error: { message: 'no' } } }, 'content'],
  ])('classifies a submit that ended with %j as %s', (how, category) => {
    expect(classify({ ...BARE, ...how, operation: 'submit' }).category).toBe(category);
  });
});

describe('a stop that the provider calls its own fault', () => {
  const stopped = (finish_reason: string, seen: Pick<ProviderFailure, 'phase' | 'delivered'>) =>
    classify({
      provider: 'deepseek',
      operation: 'generate',
      status: 200,
      headers: {},
      body: { finish_reason },
      source: 'test',
      ...seen,
    });

  it.each(['error', 'insufficient_system_resource'])(
    '%s may be repeated before content',
    (word) => {
      const { category, retryable, outcome } = stopped(word, {
        phase: 'streaming',
        delivered: false,
      });
      expect({ category, retryable, outcome }).toEqual({
        category: 'transient',
        retryable: true,
        outcome: 'unknown',
      });
    },
  );

  it.each(['error', 'insufficient_system_resource'])('%s is half an answer after it', (word) => {
    const { category, outcome } = stopped(word, { phase: 'streaming', delivered: true });
    expect({ category, outcome }).toEqual({ category: 'ambiguous', outcome: 'partial' });
  });
});
