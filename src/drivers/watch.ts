/**
 * Keeps a driver's claims alive and brings it what others say to its runs. One look at the store for
 * all runs together, however many there are.
 */
import { isKind } from '../errors/errand-error.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { Claim, RunStore } from '../machine/store-port.ts';
import type { EffectClock } from '../effects/clock.ts';
import type { RunLoop } from './run-loop.ts';
import { deliver } from './signals.ts';

export const LEASE_MS = 30_000;
const POLL_MS = 200;
const HEARTBEAT_MS = LEASE_MS / 3;

interface Watched {
  readonly loop: RunLoop;
  readonly claim: Claim;
}

export class Watch {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #onWarning: (error: ErrorReport) => void;
  readonly #runs = new Map<string, Watched>();
  #heartbeatAtMs = 0;
  /** What fails each time is told of once. */
  #isTold = false;
  #takeBack: (() => void) | undefined;

  constructor(store: RunStore, clock: EffectClock, onWarning: (error: ErrorReport) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onWarning = onWarning;
  }

  /** From now on; what was said before is the driver's to deliver. */
  add(loop: RunLoop, claim: Claim): void {
    this.#runs.set(loop.state.run, { loop, claim });
    if (this.#runs.size > 1) return;
    this.#heartbeatAtMs = this.#clock.now() + HEARTBEAT_MS;
    this.#arm();
  }

  remove(run: string): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    this.#takeBack?.();
    this.#takeBack = undefined;
  }

  #arm(): void {
    this.#takeBack?.();
    this.#takeBack = this.#clock.after(POLL_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    try {
      for (const run of await this.#store.runsWithSignals()) {
        const watched = this.#runs.get(run);
        if (watched !== undefined) deliver(watched.loop, await this.#store.signals(run));
      }
      if (this.#clock.now() >= this.#heartbeatAtMs) await this.#beat();
      this.#isTold = false;
    } catch (thrown) {
      // an outage shows in the commits of the runs, which say so; here is only the next look
      if (!isKind(thrown, 'store.*')) this.#tell(thrown);
    }
    if (this.#runs.size > 0) this.#arm();
  }

  #tell(thrown: unknown): void {
    if (!this.#isTold) this.#onWarning(toReport(thrown));
    this.#isTold = true;
  }

  async #beat(): Promise<void> {
    this.#heartbeatAtMs = this.#clock.now() + HEARTBEAT_MS;
    const claims = [...this.#runs.values()].map(({ claim }) => claim);
    const lost = await this.#store.heartbeat(claims, LEASE_MS);
    for (const { run } of lost) this.#runs.get(run)?.loop.lose();
  }
}
