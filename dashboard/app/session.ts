/** The session: a token is exchanged for a cookie that no script can read. */
import { signal } from '@preact/signals';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { BASE, call, freshness, isSignedOut, Refusal } from './api.ts';

/** The refusal of the token in the address, until there is a session. */
export const refusedToken = signal<ShownProblem | undefined>(undefined);

/**
 * Accepts a token, or the whole address with it. Rejects with the refusal if the token is wrong.
 */
export async function signIn(written: string): Promise<void> {
  const token = written.trim().replace(/^.*#token=/, '');
  await call(`${BASE}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  signedIn();
  tabs.postMessage('signed in');
}

function signedIn(): void {
  isSignedOut.value = false;
  refusedToken.value = undefined;
  freshness.value++;
}

/** All tabs share the cookie: those that ask for the token can stop. */
const tabs = new BroadcastChannel(`errand ${BASE}`);

export function listenToOtherTabs(): void {
  tabs.addEventListener('message', () => {
    if (isSignedOut.value) signedIn();
  });
}

/** Notes a refused token: when the page asks for a token, it says so. */
export async function signInByAddress(): Promise<void> {
  const token = tokenInAddress();
  if (token === undefined) return;
  try {
    await signIn(token);
  } catch (thrown) {
    // a server that is away is asked again together with the page
    if (thrown instanceof Refusal) refusedToken.value = thrown.problem;
  }
}

/** Removes the token from the address, before anything is shown, and from the history. */
function tokenInAddress(): string | undefined {
  const { pathname, search, hash } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token === null) return undefined;
  window.history.replaceState(null, '', pathname + search);
  return token;
}
