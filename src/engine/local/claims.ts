/** Claims of this backend on runs, and whether a live process holds a claim on any other run. */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { Claim, ClaimOwner, RunStore, RunSummary } from '../../machine/ports/store-port.ts';
import { isHeld, isOwnerAlive } from './claim-owner.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { pollProcess } from './poll-process.ts';

export class Claims {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #owner: ClaimOwner;
  /** Claimed by this backend, or about to be. */
  readonly #claimed = new Set<string>();

  constructor(store: RunStore, clock: EffectClock, owner: ClaimOwner) {
    this.#store = store;
    this.#clock = clock;
    this.#owner = owner;
  }

  /**
   * Throws `run.already_active` while another process executes the run. A process whose leg has ended
   * releases its claim in a moment, so that is waited for.
   */
  async acquire(run: string, lostBefore = 0): Promise<Claim> {
    let refusal: unknown;
    const claim = await pollProcess(this.#clock, async () => {
      try {
        return await this.#acquireNow(run, lostBefore);
      } catch (thrown) {
        if (!isKind(thrown, 'run.already_active') || (await this.isRunning(run))) throw thrown;
        refusal = thrown;
        return undefined;
      }
    });
    if (claim === undefined) throw refusal;
    return claim;
  }

  /** Registers the claim that came with a new run. */
  register({ run }: Claim): void {
    this.#claimed.add(run);
  }

  /** Frees the run for this backend even when the store cannot be reached. */
  release(claim: Claim): Promise<void> {
    this.#claimed.delete(claim.run);
    return this.#store.release(claim);
  }

  async isRunning(run: string): Promise<boolean> {
    const found = await this.#store.summary(run);
    return found.status === 'running' && this.isHeld(found);
  }

  isHeld({ run, claim }: Pick<RunSummary, 'run' | 'claim'>): boolean {
    return isHeld(claim, this.#isAlive(run));
  }

  async #acquireNow(run: string, lostBefore: number): Promise<Claim> {
    const wasClaimed = this.#claimed.has(run);
    const isAlive = this.#isAlive(run);
    // before the store is called, or two concurrent calls would take the run from each other
    this.#claimed.add(run);
    try {
      const owner = lostBefore === 0 ? this.#owner : { ...this.#owner, lostBefore };
      return await this.#store.claim({ run, owner, leaseMs: LEASE_MS, isAlive });
    } catch (refusal) {
      if (!wasClaimed) this.#claimed.delete(run);
      throw refusal;
    }
  }

  /** A stored claim of ours on a run that is not claimed now is one that could not be released. */
  #isAlive(run: string): (owner: ClaimOwner) => boolean {
    const isClaimed = this.#claimed.has(run);
    return (owner) => (owner.id === this.#owner.id ? isClaimed : isOwnerAlive(owner));
  }
}
