/** Claims of this backend on runs, and whether a live process holds a claim on any other run. */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { Claim, ClaimOwner, RunStore, RunSummary } from '../../machine/ports/store-port.ts';
import { isHeld, livenessOf, type Liveness } from './claim-owner.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { pollProcess } from './poll-process.ts';
import { refuseLiveOwner } from './refuse-live.ts';

/** How soon a claim that could not be released is released again. */
const RELEASE_AGAIN_MS = LEASE_MS / 3;

export class Claims {
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #owner: ClaimOwner;
  /** Claimed by this backend, or about to be; and when the store was asked for it, by our clock. */
  readonly #claimed = new Map<string, number>();
  /** Cancels the next try to release a claim, by run. */
  readonly #unreleased = new Map<string, () => void>();
  #isClosed = false;

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

  /** Registers the claim that came with a new run, and when the store was asked for it. */
  register({ run }: Claim, askedAtMs: number): void {
    this.#claimed.set(run, askedAtMs);
  }

  /** When the store was asked for the claim: its lease has lasted at least since then. */
  askedAtMs({ run }: Claim): number {
    return this.#claimed.get(run) ?? -Infinity;
  }

  /**
   * Frees the run for this backend even when the store cannot be reached. Other processes see that this
   * one lives, so it tries again until they can have the run.
   */
  async release(claim: Claim): Promise<void> {
    this.#claimed.delete(claim.run);
    try {
      await this.#store.release(claim);
    } catch (thrown) {
      this.#releaseLater(claim);
      throw thrown;
    }
  }

  /** Ends the tries to release claims: they end with this process. */
  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#unreleased.values()) cancel();
    this.#unreleased.clear();
  }

  #releaseLater(claim: Claim): void {
    if (this.#isClosed) return;
    this.#unreleased.get(claim.run)?.();
    this.#unreleased.set(
      claim.run,
      this.#clock.after(RELEASE_AGAIN_MS, () => void this.#releaseAgain(claim)),
    );
  }

  async #releaseAgain(claim: Claim): Promise<void> {
    this.#unreleased.delete(claim.run);
    try {
      // does nothing when the run was claimed again
      await this.#store.release(claim);
    } catch {
      // the first failure was reported, and the store is still away
      this.#releaseLater(claim);
    }
  }

  async isRunning(run: string): Promise<boolean> {
    const found = await this.#store.summary(run);
    return found.status === 'running' && this.isHeld(found);
  }

  isHeld({ run, claim }: Pick<RunSummary, 'run' | 'claim'>): boolean {
    return isHeld(claim, this.#liveness(run));
  }

  async #acquireNow(run: string, lostBefore: number): Promise<Claim> {
    const before = this.#claimed.get(run);
    const liveness = this.#liveness(run);
    // before the store is called, or two concurrent calls would take the run from each other
    this.#claimed.set(run, this.#clock.now());
    try {
      const owner = lostBefore === 0 ? this.#owner : { ...this.#owner, lostBefore };
      await refuseLiveOwner(this.#store, run, liveness);
      const isAlive = (held: ClaimOwner): boolean => liveness(held) !== 'gone';
      return await this.#store.claim({ run, owner, leaseMs: LEASE_MS, isAlive });
    } catch (refusal) {
      if (before === undefined) this.#claimed.delete(run);
      else this.#claimed.set(run, before);
      throw refusal;
    }
  }

  /** A stored claim of ours on a run that we do not hold now is one that could not be released. */
  #liveness(run: string): (owner: ClaimOwner) => Liveness {
    const isClaimed = this.#claimed.has(run);
    return (owner) => {
      if (owner.id !== this.#owner.id) return livenessOf(owner);
      return isClaimed ? 'unknown' : 'gone';
    };
  }
}
