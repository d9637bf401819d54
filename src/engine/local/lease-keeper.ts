/**
 * Renews the claims of a backend, and delivers messages to its runs. Polls the store once for all
 * runs together.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { Claim, RunStore } from '../../machine/ports/store-port.ts';
import type { EffectClock } from '../../effects/clock.ts';
import type { LogWriter } from '../run/log-writer.ts';
import type { RunLoop } from '../run/run-loop.ts';
import { deliverMessages } from './run-messages.ts';

export const LEASE_MS = 30_000;
const POLL_MS = 200;
const HEARTBEAT_MS = LEASE_MS / 3;
/**
 * A claim is confirmed again before an effect begins if its last confirmation is older than this: a
 * process that stood still (a suspended machine, a stopped process, a slow commit) may have lost
 * its run meanwhile.
 */
const CONFIRMED_FOR_MS = (2 * LEASE_MS) / 3;

/** A leg whose loop is gone once it has ended. */
interface OwnedLeg {
  readonly id: string;
  readonly loop: RunLoop | undefined;
}

interface OwnedRun {
  readonly leg: OwnedLeg;
  readonly claim: Claim;
  /** When the store was asked for its latest lease, by our clock: the lease began no earlier. */
  heldSinceMs: number;
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
  add(leg: OwnedLeg, claim: Claim, heldSinceMs: number): void {
    this.#runs.set(leg.id, { leg, claim, heldSinceMs });
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

  /**
   * Undefined when the run is certainly still ours. Otherwise asks the store; if another process
   * has taken the run, ends its leg here before the promise is fulfilled.
   */
  confirm(run: string, log: Pick<LogWriter, 'duringOutages'>): Promise<void> | undefined {
    const owned = this.#runs.get(run);
    if (owned === undefined || this.#isConfirmed(owned)) return undefined;
    return this.#confirm(run, owned, log);
  }

  async #confirm(
    run: string,
    owned: OwnedRun,
    log: Pick<LogWriter, 'duringOutages'>,
  ): Promise<void> {
    // the process may stand still during the answer too
    while (
      this.#runs.get(run) === owned &&
      owned.leg.loop?.isStopping === false &&
      !this.#isConfirmed(owned)
    )
      await log.duringOutages(() => this.#renew([owned]));
  }

  #isConfirmed({ heldSinceMs }: OwnedRun): boolean {
    return this.#clock.now() - heldSinceMs < CONFIRMED_FOR_MS;
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
      // the commits of the runs report an outage; here the next poll is enough
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
    await this.#renew([...this.#runs.values()]);
  }

  async #renew(owned: readonly OwnedRun[]): Promise<void> {
    const askedAtMs = this.#clock.now();
    const claims = owned.map(({ claim }) => claim);
    const lost = new Set((await this.#store.heartbeat(claims, LEASE_MS)).map(({ run }) => run));
    for (const each of owned) {
      const { run } = each.claim;
      if (!lost.has(run)) each.heldSinceMs = askedAtMs;
      // a leg that ended meanwhile has released its claim itself
      else if (this.#runs.get(run) === each) each.leg.loop?.revokeClaim();
    }
  }
}
