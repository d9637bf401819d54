/** One try: an HTTP request that is taken when the receiver answers 2xx in time. */
import type { EffectClock } from '../../effects/clock.ts';
import { signatures, type WebhookSecret } from './webhook-signature.ts';
import type { WebhookMessage } from './webhook-message.ts';

export interface SendOptions {
  readonly clock: EffectClock;
  readonly secrets: readonly WebhookSecret[];
  /** Ends the try before its time. */
  readonly signal?: AbortSignal;
  /** Default: that of Node. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The reason why it was not taken; undefined when it was. Never contains a part of the address. */
export type SendProblem = string | undefined;

const TIMEOUT_MS = 15_000;

export async function sendWebhook(
  url: string,
  { id, body }: WebhookMessage,
  { clock, secrets, signal, fetch = globalThis.fetch }: SendOptions,
): Promise<SendProblem> {
  const timestamp = Math.floor(clock.now() / 1000);
  const controller = new AbortController();
  const cancelTimer = clock.after(TIMEOUT_MS, () => controller.abort());
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'errand',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures({ id, timestamp, body }, secrets),
      },
      // the operator named this address, and no other
      redirect: 'manual',
      signal: AbortSignal.any([controller.signal, ...(signal === undefined ? [] : [signal])]),
    });
    // the status is the reply: a body that breaks off, or never ends, does not undo it
    void response.body?.cancel().catch(() => undefined);
    if (response.ok) return undefined;
    return response.status >= 300 && response.status < 400
      ? `the receiver redirects (${response.status}), which is refused`
      : `the receiver answered ${response.status}`;
  } catch {
    // the words of the system may contain the address
    return controller.signal.aborted
      ? `the receiver did not answer within ${TIMEOUT_MS / 1000} s`
      : 'the receiver could not be reached';
  } finally {
    cancelTimer();
  }
}
