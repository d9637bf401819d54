/** The outbox and the notes of a store in memory, and whether it is open. */
import { jsonFrom } from '../errors/support/safe-json.ts';
import type {
  Delivery,
  DeliveryResult,
  Endpoint,
  EndpointState,
  Note,
  Notes,
  Notice,
  TakeDeliveries,
} from '../machine/ports/shared-work-port.ts';
import { unavailable } from './store-failure.ts';
import { ENDPOINT_IDLE_MS, jsonText } from './store-rules.ts';

interface KnownEndpoint {
  readonly name: string;
  readonly sinceMs: number;
  seenMs: number;
}

interface StoredNote {
  readonly text: string;
  readonly version: number;
}

interface Pending extends Delivery {
  /** Null: given up. */
  dueMs: number | null;
  tries: number;
  problem?: string;
}

export class MemorySharedWork {
  protected readonly now: () => number;
  readonly #endpoints = new Map<string, KnownEndpoint>();
  readonly #deliveries = new Map<string, Pending>();
  readonly #notes = new Map<string, Map<string, StoredNote>>();
  #isClosed = false;

  constructor(now: () => number) {
    this.now = now;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  protected checkOpen(): void {
    if (this.#isClosed) throw unavailable('closed');
  }

  /** Part of a commit. */
  protected keepNotices(run: string, notices: readonly Notice[] = []): void {
    const nowMs = this.now();
    for (const { seq, type } of notices)
      for (const [endpoint, { seenMs }] of this.#endpoints) {
        if (seenMs <= nowMs - ENDPOINT_IDLE_MS) continue;
        const pending = { endpoint, run, seq, type, tries: 0, dueMs: nowMs };
        this.#deliveries.set(keyOf(pending), pending);
      }
  }

  /** Part of the removal of a run; returns how many still waited. */
  protected removeDeliveries(run: string): number {
    let waiting = 0;
    for (const [key, delivery] of this.#deliveries) {
      if (delivery.run !== run) continue;
      if (delivery.dueMs !== null) waiting++;
      this.#deliveries.delete(key);
    }
    return waiting;
  }

  async addEndpoint({ id, name }: Endpoint): Promise<void> {
    this.checkOpen();
    const known = this.#endpoints.get(id);
    const nowMs = this.now();
    if (known === undefined) this.#endpoints.set(id, { name, sinceMs: nowMs, seenMs: nowMs });
    else known.seenMs = nowMs;
  }

  async endpoints(): Promise<readonly EndpointState[]> {
    this.checkOpen();
    return Array.from(this.#endpoints, ([id, { name, sinceMs, seenMs }]) => {
      const all = [...this.#deliveries.values()].filter(({ endpoint }) => endpoint === id);
      const failed = all.filter(({ dueMs }) => dueMs === null);
      const problem = failed.at(-1)?.problem;
      return {
        id,
        name,
        since: new Date(sinceMs).toISOString(),
        seen: new Date(seenMs).toISOString(),
        waiting: all.length - failed.length,
        failed: failed.length,
        ...(problem === undefined ? {} : { problem }),
      };
    });
  }

  async takeDeliveries({
    endpoints,
    limit,
    leaseMs,
  }: TakeDeliveries): Promise<readonly Delivery[]> {
    this.checkOpen();
    const nowMs = this.now();
    return [...this.#deliveries.values()]
      .filter(
        ({ endpoint, dueMs }) => endpoints.includes(endpoint) && dueMs !== null && dueMs <= nowMs,
      )
      .toSorted((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0))
      .slice(0, limit)
      .map((pending) => {
        pending.dueMs = nowMs + leaseMs;
        const { endpoint, run, seq, type, tries } = pending;
        return { endpoint, run, seq, type, tries };
      });
  }

  async settleDelivery(
    delivery: Pick<Delivery, 'endpoint' | 'run' | 'seq'>,
    result: DeliveryResult,
  ): Promise<void> {
    this.checkOpen();
    const key = keyOf(delivery);
    const pending = this.#deliveries.get(key);
    if (pending === undefined) return;
    if (result.isDelivered) {
      this.#deliveries.delete(key);
      return;
    }
    pending.tries++;
    pending.problem = result.problem;
    pending.dueMs = result.againInMs === null ? null : this.now() + result.againInMs;
  }

  async notes(topic: string): Promise<Notes> {
    this.checkOpen();
    const notes = new Map(
      Array.from(this.#notes.get(topic) ?? [], ([key, { text, version }]) => [
        key,
        { value: jsonFrom(text), version },
      ]),
    );
    return { nowMs: this.now(), notes };
  }

  async setNote(topic: string, key: string, { value, version }: Note): Promise<boolean> {
    this.checkOpen();
    const notes = this.#notes.get(topic) ?? new Map<string, StoredNote>();
    if ((notes.get(key)?.version ?? 0) !== version) return false;
    notes.set(key, { text: jsonText(value, `The note ${key}`), version: version + 1 });
    this.#notes.set(topic, notes);
    return true;
  }
}

function keyOf({ endpoint, run, seq }: Pick<Delivery, 'endpoint' | 'run' | 'seq'>): string {
  return JSON.stringify([endpoint, run, seq]);
}
