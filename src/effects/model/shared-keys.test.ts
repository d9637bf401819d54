/** One request for a key serves every call that waits for it, and ends with the last of them. */
import { expect, it } from 'vitest';
import { createFindCredential, type Credential, type CredentialSource } from './credentials.ts';

const KEY = 'a-key-that-is-made';

function credentialOf(source: CredentialSource): Credential {
  const find = createFindCredential({ env: {}, credentials: { house: source } });
  const found = find({ provider: 'house', model: 'small' }, undefined, undefined);
  if (found === undefined) throw new Error('no credential');
  return found;
}

/** A source that ends at its signal, as `fetch` does, or with the key. */
function heldSource() {
  const asked: { readonly signal: AbortSignal; readonly give: () => void }[] = [];
  const source: CredentialSource = ({ signal }) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      asked.push({ signal, give: () => resolve(KEY) });
    });
  return { asked, source };
}

function caller(credential: Credential) {
  const { signal, abort } = withAbort();
  return { abort, key: credential.key({ isRefresh: false, signal }) };
}

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('cancelled')) };
}

it('does not end with the call that asked first, while another waits', async () => {
  const { asked, source } = heldSource();
  const credential = credentialOf(source);
  const first = caller(credential);
  const other = caller(credential);
  first.abort();
  await expect(first.key).rejects.toThrow('cancelled');
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([false]);
  asked[0]?.give();
  expect(await other.key).toBe(KEY);
});

it('ends with the last call, and the next one asks anew', async () => {
  const { asked, source } = heldSource();
  const credential = credentialOf(source);
  const callers = [caller(credential), caller(credential)];
  for (const each of callers) each.abort();
  await Promise.allSettled(callers.map(({ key }) => key));
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true]);
  const next = caller(credential);
  asked[1]?.give();
  expect(await next.key).toBe(KEY);
});

it('does not hold up later calls when its source never ends', async () => {
  let times = 0;
  const credential = credentialOf(() => (times++ === 0 ? new Promise(() => undefined) : KEY));
  const stuck = caller(credential);
  stuck.abort();
  await expect(stuck.key).rejects.toThrow('cancelled');
  expect(await caller(credential).key).toBe(KEY);
});

it('keeps the key for calls after it, also when an earlier one is cancelled then', async () => {
  let times = 0;
  const credential = credentialOf(() => `${KEY}-${++times}`);
  const first = caller(credential);
  expect(await first.key).toBe(`${KEY}-1`);
  first.abort();
  expect(await caller(credential).key).toBe(`${KEY}-1`);
});
