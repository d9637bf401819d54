import { describe, expect, it } from 'vitest';
import { keepHeaders } from './headers.ts';

const KEPT = { 'retry-after': '7', 'x-ratelimit-reset-tokens': '6m0s' };

describe('headers that matter', () => {
  it.each([
    ['Headers', new Headers({ ...KEPT, 'set-cookie': 'a=b' })],
    [
      'a plain object',
      { 'Retry-After': '7', 'X-RateLimit-Reset-Tokens': '6m0s', Authorization: 'k' },
    ],
    ['a Map', new Map([...Object.entries(KEPT), ['cookie', 'a=b']])],
    ['pairs', [...Object.entries(KEPT), ['openai-organization', 'org']]],
    ['Node’s flat list', ['Retry-After', '7', 'X-RateLimit-Reset-Tokens', '6m0s', 'Via', '1.1']],
  ])('are kept from %s, in lower case, and nothing else', (_, bag) => {
    expect(keepHeaders(bag)).toEqual(KEPT);
  });

  it('join several values and take numbers', () => {
    expect(keepHeaders({ 'retry-after': 7, 'x-request-id': ['a', 'b'] })).toEqual({
      'retry-after': '7',
      'x-request-id': 'a, b',
    });
  });

  it.each([undefined, null, 'retry-after: 7', 42, [], [1, 2], { 'retry-after': {} }])(
    'are none in %j',
    (bag) => {
      expect(keepHeaders(bag)).toEqual({});
    },
  );

  it('survive bags that throw', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no');
        },
      },
    );
    const broken = {
      forEach() {
        throw new Error('no');
      },
    };
    expect(keepHeaders(trap)).toEqual({});
    expect(keepHeaders(broken)).toEqual({});
  });
});
