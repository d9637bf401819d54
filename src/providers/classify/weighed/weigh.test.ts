/** The second opinion: what it may change, what it must leave, and that it was learned from these corpora. */
import { describe, expect, it } from 'vitest';
import { encode, fingerprint } from '../../../../scripts/weigh.ts';
import { extendClassify } from '../../extend-classify.ts';
import type { ProviderFailure } from '../../provider-failure.ts';
import { classify, type Classification } from '../classify.ts';
import { RULES } from '../table.ts';
import { WEIGHED_RULES } from './weigh.ts';
import { DIGITS, unpack } from './weight-table.ts';
import { LEARNED_FROM } from './weights.ts';

function failing(status: number | undefined, message: string, code?: string): ProviderFailure {
  return {
    operation: 'generate',
    ...(status === undefined ? {} : { status }),
    headers: {},
    body: { error: { message, ...(code === undefined ? {} : { code }) } },
    phase: 'headers',
    delivered: false,
    source: 'test',
  };
}

function weighed({ rule, kind, confidence }: Classification): object {
  return { rule, kind, confidence };
}

describe('weighing all signs together', () => {
  it('was learned from the corpora as they are; after a change run `npm run weigh`', () => {
    expect(LEARNED_FROM).toBe(fingerprint());
  });

  it('outweighs a status that says little, and says which rule and by which words', () => {
    const found = classify(failing(400, 'Input or output data is blocked by a rule of the house.'));
    expect(weighed(found)).toEqual({
      rule: 'weighed.content_filter',
      kind: 'provider.content_filter',
      confidence: 'low',
    });
    expect(found.evidence[0]).toBe('over=status.4xx');
    expect(found.evidence[1]).toMatch(/^signs: (?:[a-z]+(?:, |$)){1,3}$/);
  });

  it('claims nothing about words that are like no failure', () => {
    const found = classify(failing(undefined, 'The quick brown fox jumps over the lazy dog'));
    expect(found).toMatchObject({ rule: 'none', kind: 'provider.unknown', retryable: null });
  });

  it('leaves what a code in full, a header or an observation decided', () => {
    const message = 'You have no credits left, add funds to your balance to pay the bill';
    expect(classify(failing(400, message, 'context_length_exceeded')).kind).toBe(
      'provider.context_length',
    );
    const lost = { ...failing(undefined, ''), transport: { code: 'ECONNRESET', message } };
    expect(classify({ ...lost, body: undefined }).kind).toBe('provider.network');
  });

  it('never outweighs a rule of the app', () => {
    const mine = extendClassify({
      rules: [
        {
          id: 'house.any-400',
          when: { statuses: [400] },
          means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
          why: 'the house answers so while it works on the same thing',
        },
      ],
    });
    const found = mine(failing(400, 'Input or output data is blocked by a rule of the house.'));
    expect(weighed(found)).toEqual({
      rule: 'house.any-400',
      kind: 'provider.conflict',
      confidence: 'high',
    });
  });

  it('gives the same result whatever was weighed before', () => {
    const one = failing(400, 'Input or output data is blocked by a rule of the house.');
    const first = classify(one);
    for (const status of [401, 403, 404, 429, 500, 503])
      classify(failing(status, 'try again later'));
    expect(classify(one)).toEqual(first);
  });

  it('names its conclusions apart from the rules', () => {
    const ids = [...RULES, ...WEIGHED_RULES].map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});

describe('the text of the weights', () => {
  const labels = Array.from({ length: 34 }, (_, label) => `kind-${label} category`);
  // the middle of each row is 0, and a sign of -1 is the last one
  const weights = new Map(
    [
      [-1, { 33: 4 }],
      [4, { 0: 4, 5: -4, 6: 2 }],
      [900_000_000, { 12: -4 }],
    ].map(([sign, row]) => [
      sign as number,
      Float32Array.from(labels, (_, label) => (row as Record<number, number>)[label] ?? 0),
    ]),
  );
  const text = encode({ labels, weights, bias: new Float64Array(34), seen: new Map() });
  const valueOf = (name: string): string =>
    new RegExp(`export const ${name} =\\s+'(.*)';`).exec(text)?.[1] ?? '';
  const table = unpack(valueOf('SIGNS'), valueOf('CELLS'));
  const signOf = (sign: number, label: number): number =>
    Math.sign(table.weigh(table.find(sign), label));

  it('says for each sign which conclusions it speaks for and against', () => {
    expect(labels.map((_, label) => signOf(-1, label)).lastIndexOf(1)).toBe(33);
    expect([0, 1, 5, 6, 7].map((label) => signOf(4, label))).toEqual([1, 0, -1, 1, 0]);
    expect(signOf(900_000_000, 12)).toBe(-1);
    expect(table.find(800_000_000)).toBe(-1);
  });

  it('adds the same weights up', () => {
    const scores = new Float64Array(34);
    table.add(table.find(4), scores);
    expect([...scores]).toEqual(labels.map((_, label) => table.weigh(table.find(4), label)));
  });

  it('has only characters that stand in any text as they are', () => {
    expect([...new Set(DIGITS)].join('')).toMatch(/^[!-~]{87}$/);
    expect(DIGITS).not.toMatch(/['"`\\<>& ]/);
  });
});
