/**
 * Renews the claims of a backend, and delivers messages to its runs. Polls the store once for all
 * runs together.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { Claim, RunStore } from '../../machine/ports/store-port.ts';
import type { EffectClock } from '../../effects/clock.ts';
import type { RunLoop } from '../run/run-loop.ts';
import { deliverMessages } from './run-messages.ts';

export const LEASE_MS = 30_000;
const POLL_MS = 200;
const HEARTBEAT_MS = LEASE_MS / 3;

/** A leg whose loop is gone once it has ended. */
interface OwnedLeg {
  readonly id: string;
  readonly loop: RunLoop | undefined;
}

interface OwnedRun {
  readonly leg: OwnedLeg;
  readonly claim: Claim;
}

export class LeaseKeeper {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #onWarning: (error: ErrorReport) => void;
  readonly #runs = new Map<string, OwnedRun>();
  #heartbeatAtMs = 0;
  /** Whether a failure that repeats has been reported. */
  #hasWarned = false;
  #cancelTimer: (() => void) | undefined;

  constructor(store: RunStore, clock: EffectClock, onWarning: (error: ErrorReport) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onWarning = onWarning;
  }

  /** Delivers messages from now on; the backend delivers the earlier ones. */
  add(leg: OwnedLeg, claim: Claim): void {
    this.#runs.set(leg.id, { leg, claim });
    if (this.#runs.size > 1) return;
    this.#heartbeatAtMs = this.#clock.now() + HEARTBEAT_MS;
    this.#arm();
  }

  remove(run: string): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #arm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(POLL_MS, () => void this.#poll());
  }

  async #poll(): Promise<void> {
    try {
      for (const run of await this.#store.runsWithMessages()) {
        const messages = this.#runs.has(run) ? await this.#store.messages(run) : [];
        const loop = this.#runs.get(run)?.leg.loop;
        if (loop !== undefined) deliverMessages(loop, messages);
      }
      if (this.#clock.now() >= this.#heartbeatAtMs) await this.#heartbeat();
      this.#hasWarned = false;
    } catch (thrown) {
      // an outage shows in the commits of the runs, which report it; here the next poll is enough
      if (!isKind(thrown, 'store.*')) this.#warnOnce(thrown);
    }
    if (this.#runs.size > 0) this.#arm();
  }

  #warnOnce(thrown: unknown): void {
    if (!this.#hasWarned) this.#onWarning(toReport(thrown));
    this.#hasWarned = true;
  }

  async #heartbeat(): Promise<void> {
    this.#heartbeatAtMs = this.#clock.now() + HEARTBEAT_MS;
    const claims = [...this.#runs.values()].map(({ claim }) => claim);
    const lost = await this.#store.heartbeat(claims, LEASE_MS);
    for (const { run } of lost) this.#runs.get(run)?.leg.loop?.revokeClaim();
  }
}
