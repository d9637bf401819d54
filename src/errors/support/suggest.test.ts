import { expect, it } from 'vitest';
import { RUNTIME_KINDS } from '../catalog/catalog.ts';
import { suggest } from './suggest.ts';

it.each([
  ['provider.rate_limit', 'provider.rate_limited'],
  ['provider.rate_limted', 'provider.rate_limited'],
  ['provider.ratelimited', 'provider.rate_limited'],
  ['Provider.Rate_Limited', 'provider.rate_limited'],
  ['porvider.auth', 'provider.auth'],
  ['rate_limited', 'provider.rate_limited'],
  ['quota_exhausted', 'provider.quota_exhausted'],
])('suggests for %s: %s', (word, meant) => {
  expect(suggest(word, RUNTIME_KINDS)).toBe(meant);
});

it.each(['', 'x', 'zebra.crossing', 'a'.repeat(10_000)])(
  'knows nothing that %j could mean',
  (word) => {
    expect(suggest(word, RUNTIME_KINDS)).toBeUndefined();
  },
);
