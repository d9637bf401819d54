/** The session: a token is exchanged for a cookie that no script can read. */
import { BASE, call, freshness, isSignedOut } from './api.ts';

/** Takes a token, or the whole address with it. Rejects with the refusal where the token is wrong. */
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
  freshness.value++;
}

/** The cookie is for all tabs: those that ask for the token need not any more. */
const tabs = new BroadcastChannel(`errand ${BASE}`);

export function listenToOtherTabs(): void {
  tabs.addEventListener('message', () => {
    if (isSignedOut.value) signedIn();
  });
}

/** Takes the token out of the address before anything is shown, and out of the history. */
export function tokenInAddress(): string | undefined {
  const { pathname, search, hash } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token === null) return undefined;
  window.history.replaceState(null, '', pathname + search);
  return token;
}
