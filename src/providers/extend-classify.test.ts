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
    const own: ClassifierExtension = {
      rules: [
        {
          id: 'mine.pelican',
          when: { mentions: /pelican/ },
          means: { kind: 'provider.overloaded', scope: 'provider', recovery: 'window' },
          why: 'the pelican is our pool',
        },
      ],
    };
    const [plain, extended, both] = [[], [own], [HOUSE, own]].map((extensions) =>
      extendClassify(...extensions),
    );
    const failureOf = (message: string): ProviderFailure => ({
      ...failing('x_y'),
      body: { error: { message } },
    });
    for (const message of ['rate limit of the pelican', 'rate limit of the heron', 'no pelican']) {
      const read = [plain, extended, both, extended, plain, both, extended].map(
        (classify) => classify?.(failureOf(message)).rule,
      );
      const fresh = extendClassify(own)(failureOf(message)).rule;
      expect(new Set([read[1], read[2], read[3], read[5], read[6], fresh])).toEqual(
        new Set([fresh]),
      );
      expect(read[4]).toBe(read[0]);
      expect(fresh === 'mine.pelican').toBe(message.includes('pelican'));
      expect(read[0]).not.toBe('mine.pelican');
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
