/** Which runs a driver has, and whether anybody has the others. */
import { sleep, type EffectClock } from '../effects/clock.ts';
import { isKind } from '../errors/errand-error.ts';
import type { Claim, ClaimOwner, RunStore, RunSummary } from '../machine/store-port.ts';
import { isHeld, isOwnerAlive } from './owner.ts';
import { LEASE_MS } from './watch.ts';

const LOOK_MS = 20;

/** For a process that has come to rest to let its run go; what it keeps of a long one takes a while. */
const LOOKS = 250;

export class Claims {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #owner: ClaimOwner;
  /** Claimed by this driver, or about to be. */
  readonly #here = new Set<string>();

  constructor(store: RunStore, clock: EffectClock, owner: ClaimOwner) {
    this.#store = store;
    this.#clock = clock;
    this.#owner = owner;
  }

  /** `run.already_active` for a run that goes on; one that rests is let go in a moment. */
  async take(run: string): Promise<Claim> {
    for (let looks = 1; ; looks++) {
      try {
        return await this.#takeNow(run);
      } catch (refusal) {
        const isLast = looks >= LOOKS || !isKind(refusal, 'run.already_active');
        if (isLast || (await this.isRunning(run))) throw refusal;
      }
      await sleep(this.#clock, LOOK_MS);
    }
  }

  /** One that came with a run that was created. */
  keep({ run }: Claim): void {
    this.#here.add(run);
  }

  /** Where the store cannot be told, this driver still knows that nobody has the run. */
  release(claim: Claim): Promise<void> {
    this.#here.delete(claim.run);
    return this.#store.release(claim);
  }

  async isRunning(run: string): Promise<boolean> {
    const found = await this.#store.summary(run);
    return found.status === 'running' && this.isHeld(found);
  }

  isHeld({ run, claim }: Pick<RunSummary, 'run' | 'claim'>): boolean {
    return isHeld(claim, this.#isAlive(run));
  }

  async #takeNow(run: string): Promise<Claim> {
    const wasHere = this.#here.has(run);
    const isAlive = this.#isAlive(run);
    // before the store is asked, or two who ask at once would take it from each other
    this.#here.add(run);
    try {
      return await this.#store.claim({ run, owner: this.#owner, leaseMs: LEASE_MS, isAlive });
    } catch (refusal) {
      if (!wasHere) this.#here.delete(run);
      throw refusal;
    }
  }

  /** As of now: a claim of ours on a run that is not here is one that could not be given back. */
  #isAlive(run: string): (owner: ClaimOwner) => boolean {
    const isHere = this.#here.has(run);
    return (owner) => (owner.id === this.#owner.id ? isHere : isOwnerAlive(owner));
  }
}
