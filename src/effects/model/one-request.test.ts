import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { oneRequest } from './one-request.ts';

const MODEL = { provider: 'groq', model: 'm' };
/** Nothing listens there: a request that is sent fails in another way. */
const NOWHERE = 'http://127.0.0.1:1';

describe('a request', () => {
  it.each([
    ['without a signal', {}],
    ['with a signal of no call', { signal: new AbortController().signal }],
  ])('is not sent %s, because nobody would read its events', async (_, init) => {
    const { fetch } = oneRequest(MODEL);
    const thrown: unknown = await fetch(NOWHERE, init).catch((error: unknown) => error);
    expect(isKind(thrown, 'provider.not_configured')).toBe(true);
  });

  it('is sent once for a call', async () => {
    const { fetch, takeEventsOf } = oneRequest(MODEL);
    const { signal } = new AbortController();
    takeEventsOf?.(signal, () => true);
    await expect(fetch(NOWHERE, { signal })).rejects.toThrow(TypeError);
    const thrown: unknown = await fetch(NOWHERE, { signal }).catch((error: unknown) => error);
    expect(isKind(thrown, 'provider.truncated')).toBe(true);
  });
});
