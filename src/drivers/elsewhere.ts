/**
 * Runs that another process carries on. What is said to such a run is followed until it is heard:
 * its process looks at what it is told every now and then, and may come to rest before it does.
 */
import type { EffectClock } from '../effects/clock.ts';
import { isKind } from '../errors/errand-error.ts';
import type { Claim, ClaimOwner, RunStore } from '../machine/store-port.ts';
import type { RunHandle } from './leg.ts';
import { isHeld, isOwnerAlive } from './owner.ts';
import type { Signal } from './signals.ts';
import { LEASE_MS } from './watch.ts';

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
const LOOKS_FOR_HEARING = 250;

/** For a process that has come to rest to let its run go; what it keeps of a long one takes a while. */
const LOOKS_FOR_LETTING_GO = 250;

export class Elsewhere {
  readonly #store: RunStore;
  readonly #clock: EffectClock;

  constructor(store: RunStore, clock: EffectClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * A run that another process carries on is told, once. When that process comes to rest before it
   * has heard, or another takes the run up meanwhile, it is looked at again. Undefined when it was
   * told.
   */
  async tellOr(run: string, { here, say }: Task): Promise<RunHandle | undefined> {
    let sent: Sent | undefined;
    for (;;) {
      if (await this.#isRunning(run)) {
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
        if (!isTaken || !(await this.#isRunning(run))) throw refusal;
      }
    }
  }

  /** `run.already_active` for a run that goes on; one that rests is let go in a moment. */
  async claim(run: string, owner: ClaimOwner): Promise<Claim> {
    for (let looks = 1; ; looks++) {
      try {
        return await this.#store.claim({ run, owner, leaseMs: LEASE_MS, isAlive: isOwnerAlive });
      } catch (refusal) {
        const isLast = looks >= LOOKS_FOR_LETTING_GO;
        if (isLast || !isKind(refusal, 'run.already_active') || (await this.#isRunning(run)))
          throw refusal;
      }
      await this.#pause();
    }
  }

  async #isRunning(run: string): Promise<boolean> {
    const { status, claim } = await this.#store.summary(run);
    return status === 'running' && isHeld(claim, this.#clock.now());
  }

  async #send(run: string, { signal, ...said }: Said): Promise<Sent> {
    return { ...said, number: await this.#store.send(run, signal) };
  }

  /** `resting`: the process came to rest, or died, before it heard the signal of that number. */
  async #hearing(run: string, number: number): Promise<'heard' | 'resting' | 'late'> {
    for (let looks = 1; ; looks++) {
      // in this order: one that rests takes nothing more, and what it took was taken before
      const isRunning = await this.#isRunning(run);
      const waiting = await this.#store.signals(run);
      if (!waiting.some((signal) => signal.number === number)) return 'heard';
      if (!isRunning) return 'resting';
      if (looks >= LOOKS_FOR_HEARING) return 'late';
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(LOOK_MS, resolve));
  }
}
