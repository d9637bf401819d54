/**
 * Runs that another process carries on. What is said to such a run is followed until it is heard:
 * its process looks at what it is told every now and then, and may come to rest before it does.
 */
import { sleep, type EffectClock } from '../effects/clock.ts';
import { isKind } from '../errors/errand-error.ts';
import type { RunStore } from '../machine/store-port.ts';
import type { Claims } from './claims.ts';
import type { RunHandle } from './leg.ts';
import type { Signal } from './signals.ts';

/** What is to be done with a run, by whoever has it. */
export interface Task {
  /** With the number of the signal that was sent before, to a process that did not hear it. */
  readonly here: (sent: number | undefined) => Promise<RunHandle | undefined>;
  readonly say: () => Said | Promise<Said>;
}

interface Said {
  readonly signal: Signal;
  /** Sees what became of it; what it throws is the answer to whoever said it. */
  readonly heard?: () => Promise<void>;
}

interface Sent extends Pick<Said, 'heard'> {
  readonly number: number;
}

const LOOK_MS = 20;

/** A process that lives and has not settled it by then is busy stopping what does not want to stop. */
const LOOKS = 250;

export class Elsewhere {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #claims: Claims;

  constructor(store: RunStore, clock: EffectClock, claims: Claims) {
    this.#store = store;
    this.#clock = clock;
    this.#claims = claims;
  }

  /**
   * A run that another process carries on is told, once. When that process comes to rest before it
   * has heard, or another takes the run up meanwhile, it is looked at again. Undefined when it was
   * told.
   */
  async tellOr(run: string, { here, say }: Task): Promise<RunHandle | undefined> {
    let sent: Sent | undefined;
    for (;;) {
      if (await this.#claims.isRunning(run)) {
        sent ??= await this.#send(run, await say());
        const hearing = await this.#hearing(run, sent.number);
        if (hearing === 'heard') await sent.heard?.();
        if (hearing !== 'resting') return undefined;
        continue;
      }
      try {
        return await here(sent?.number);
      } catch (refusal) {
        const isTaken = isKind(refusal, 'run.already_active');
        if (!isTaken || !(await this.#claims.isRunning(run))) throw refusal;
      }
    }
  }

  async #send(run: string, { signal, ...said }: Said): Promise<Sent> {
    return { ...said, number: await this.#store.send(run, signal) };
  }

  /** `resting`: the process came to rest, or died, before it heard the signal of that number. */
  async #hearing(run: string, number: number): Promise<'heard' | 'resting' | 'late'> {
    for (let looks = 1; ; looks++) {
      // in this order: one that rests takes nothing more, and what it took was taken before
      const isRunning = await this.#claims.isRunning(run);
      const waiting = await this.#store.signals(run);
      if (!waiting.some((signal) => signal.number === number)) return 'heard';
      if (!isRunning) return 'resting';
      if (looks >= LOOKS) return 'late';
      await sleep(this.#clock, LOOK_MS);
    }
  }
}
