/**
 * Sends changes of the runs of a store to the addresses that the operator named. Messages wait in
 * the store, so a crash loses nothing, and any server that has the address sends them. Each message
 * has its own tries: neither a failing message nor a dead address delays the others.
 */
import type { EffectClock } from '../../effects/clock.ts';
import type { Outbox, OutgoingNotice } from '../../engine/carry-on.ts';
import { sendWebhook, type SendOptions } from './send-webhook.ts';
import type { WebhookSecret } from './webhook-signature.ts';
import { webhookMessage } from './webhook-message.ts';
import type { WebhookAddress } from './webhook-address.ts';

export interface WebhookOptions extends Pick<SendOptions, 'fetch'> {
  readonly clock: EffectClock;
  readonly addresses: readonly WebhookAddress[];
  readonly secrets: readonly WebhookSecret[];
  readonly outbox: Outbox;
  /** Called with what the outbox throws; repeated failures are reported once. */
  readonly onWarning: (thrown: unknown) => void;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait after each failed try; after the last one the message is given up. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
];

const POLL_MS = SECOND_MS;

/** Requests under way to one address. */
const AT_ONCE = 8;

/** How often the store is informed that the address is still wanted. */
const RENEW_MS = HOUR_MS;

export class Webhooks {
  readonly #options: WebhookOptions;
  readonly #byId: ReadonlyMap<string, WebhookAddress>;
  readonly #underWay = new Map<string, Set<Promise<void>>>();
  readonly #cut = new AbortController();
  #renewAtMs = 0;
  #polling: Promise<void> = Promise.resolve();
  #isPolling = false;
  #isOver = false;
  #hasWarned = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#byId = new Map(options.addresses.map((address) => [address.id, address]));
  }

  /**
   * From the first start with an address on, all messages are sent to it. Rejects with `store.*`.
   */
  async begin(): Promise<void> {
    await this.#renew();
    this.wake();
  }

  /** Sends a new message at once, without waiting for the next poll. */
  wake(): void {
    if (this.#isOver || this.#isPolling) return;
    this.#cancelTimer?.();
    this.#polling = this.#poll();
  }

  /**
   * Takes nothing more; requests under way have that long to end. Another server sends the rest, or
   * this one does later.
   */
  async stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#isOver = true;
    this.#cancelTimer?.();
    const cancelGrace = this.#options.clock.after(graceMs, () => this.#cut.abort());
    await this.#polling;
    await Promise.all([...this.#underWay.values()].flatMap((sending) => [...sending]));
    cancelGrace();
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    try {
      if (this.#options.clock.now() >= this.#renewAtMs) await this.#renew();
      await this.#takeSome();
      this.#hasWarned = false;
    } catch (thrown) {
      if (!this.#hasWarned) this.#options.onWarning(thrown);
      this.#hasWarned = true;
    } finally {
      this.#isPolling = false;
    }
    if (!this.#isOver) this.#cancelTimer = this.#options.clock.after(POLL_MS, () => this.wake());
  }

  async #renew(): Promise<void> {
    const { clock, addresses, outbox } = this.#options;
    for (const { id, name } of addresses) await outbox.add({ id, name });
    this.#renewAtMs = clock.now() + RENEW_MS;
  }

  /** A slow address uses up only its own places. */
  async #takeSome(): Promise<void> {
    for (const { id } of this.#options.addresses) {
      const free = AT_ONCE - (this.#underWay.get(id)?.size ?? 0);
      if (free <= 0 || this.#isOver) continue;
      const taken = await this.#options.outbox.take([id], free);
      for (const notice of taken) this.#begin(notice);
    }
  }

  #begin(notice: OutgoingNotice): void {
    const sending = this.#underWay.get(notice.endpoint) ?? new Set<Promise<void>>();
    this.#underWay.set(notice.endpoint, sending);
    const sent = this.#deliver(notice)
      .catch((thrown: unknown) => this.#options.onWarning(thrown))
      .finally(() => {
        sending.delete(sent);
        // all places were taken, so there may be more
        if (sending.size === AT_ONCE - 1) this.wake();
      });
    sending.add(sent);
  }

  async #deliver(notice: OutgoingNotice): Promise<void> {
    const { outbox, clock, secrets, fetch } = this.#options;
    const message = webhookMessage(notice);
    const url = this.#byId.get(notice.endpoint)?.url;
    if (message === undefined || url === undefined)
      return outbox.settle(notice, { isDelivered: true });
    const { signal } = this.#cut;
    const how = { clock, secrets, signal, ...(fetch === undefined ? {} : { fetch }) };
    const problem = await sendWebhook(url, message, how);
    if (problem === undefined) return outbox.settle(notice, { isDelivered: true });
    // the receiver is not to blame: it is sent again when its time with this process is over
    if (signal.aborted) return undefined;
    const againInMs = RETRY_MS[notice.tries] ?? null;
    return outbox.settle(notice, { isDelivered: false, againInMs, problem });
  }
}
