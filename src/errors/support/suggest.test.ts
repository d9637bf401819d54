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
  ['provider.quota', 'provider.quota_exhausted'],
  ['Provider.Rate', 'provider.rate_limited'],
])('suggests for %s: %s', (word, meant) => {
  expect(suggest(word, RUNTIME_KINDS)).toBe(meant);
});

it('takes the beginning of a name for that name only where no other begins so', () => {
  expect(suggest('a.send', ['a.send_mail', 'a.sent'])).toBe('a.send_mail');
  expect(suggest('a.send', ['a.send_mail', 'a.send_note', 'a.sent'])).toBe('a.sent');
  // only kinds are called by their beginning
  expect(suggest('keep', ['keep_partial'])).toBeUndefined();
});

it.each(['', 'x', 'zebra.crossing', 'a'.repeat(10_000)])(
  'knows nothing that %j could mean',
  (word) => {
    expect(suggest(word, RUNTIME_KINDS)).toBeUndefined();
  },
);
