import { describe, expect, it } from 'vitest';
import { isKind } from '../errors/thrown/errand-error.ts';
import type { ProviderFailure } from './provider-failure.ts';
import { extendClassify, type ClassifierExtension } from './extend-classify.ts';

const HOUSE: ClassifierExtension = {
  vocabularies: [
    {
      name: 'house',
      providers: ['gateway'],
      codes: {
        'HOUSE-07': { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
        HouseBusy: {
          kind: 'provider.overloaded',
          scope: 'provider',
          recovery: 'window',
          why: 'our pool is full',
        },
      },
    },
  ],
};

function failing(code: string, provider = 'gateway'): ProviderFailure {
  return {
    provider,
    operation: 'generate',
    status: 400,
    headers: {},
    body: { error: { code, message: 'no' } },
    phase: 'headers',
    delivered: false,
    source: 'test',
  };
}

function refusal(build: () => unknown): unknown {
  try {
    return build();
  } catch (error) {
    return error;
  }
}

describe('an app’s own vocabulary', () => {
  it('is checked before the built-in table, however the code is spelled', () => {
    const classify = extendClassify(HOUSE);
    expect(classify(failing('house_07'))).toMatchObject({
      kind: 'provider.request_too_large',
      rule: 'house.house_07',
    });
    expect(classify(failing('house.busy'))).toMatchObject({
      kind: 'provider.overloaded',
      retryable: true,
    });
  });

  it('applies only to the providers that it names', () => {
    expect(extendClassify(HOUSE)(failing('HOUSE-07', 'openai')).rule).toBe('status.4xx');
  });

  it('leaves other classifiers as they are, whoever read the words first', () => {
    const pools = Array.from({ length: 300 }, (_, pool) => `pool-${pool}-of-ours`);
    const own: ClassifierExtension = {
      rules: pools.map((pool) => ({
        id: `mine.${pool}`,
        when: { mentions: new RegExp(pool) },
        means: { kind: 'provider.overloaded', scope: 'provider', recovery: 'window' },
        why: 'the message names our pool',
      })),
    };
    const plain = extendClassify();
    const extended = extendClassify(own);
    for (const pool of pools) {
      const refused = { ...failing('x_y'), body: { error: { message: `All is lost in ${pool}` } } };
      const before = plain(refused).rule;
      expect(extended(refused).rule).toBe(`mine.${pool}`);
      expect(plain(refused).rule).toBe(before);
    }
  });

  it('is refused at the start when two claim one code, and both are named', () => {
    const other: ClassifierExtension = {
      rules: [
        {
          id: 'mine.busy',
          when: { providers: ['gateway'], codes: ['house_busy'] },
          means: { kind: 'provider.timeout', scope: 'request', recovery: 'now' },
          why: 'mine',
        },
      ],
    };
    const error = refusal(() => extendClassify(HOUSE, other));
    expect(isKind(error, 'extension.contract')).toBe(true);
    expect(error).toMatchObject({
      report: { details: { rules: ['house.house_busy', 'mine.busy'] } },
    });
  });

  it('may not take the id of a built-in rule', () => {
    const rule = {
      id: 'status.429',
      when: {},
      means: { kind: 'provider.timeout', scope: 'request', recovery: 'now' },
      why: '',
    } as const;
    expect(
      isKind(
        refusal(() => extendClassify({ rules: [rule] })),
        'extension.contract',
      ),
    ).toBe(true);
  });
});
