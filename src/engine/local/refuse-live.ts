/** Refuses to take a run from a process that is known to be alive; the store knows only leases. */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ClaimOwner, RunStore, SeenClaim } from '../../machine/ports/store-port.ts';
import { alreadyActive } from '../../stores/store-failure.ts';
import { livenessOf, type Liveness } from './claim-owner.ts';

/** Throws `run.already_active`. */
export async function refuseLiveOwner(
  store: RunStore,
  run: string,
  liveness: (owner: ClaimOwner) => Liveness = livenessOf,
): Promise<void> {
  const claim = await claimOn(store, run);
  if (claim !== null && liveness(claim.owner) === 'alive') throw alreadyActive(run, claim);
}

async function claimOn(store: RunStore, run: string): Promise<SeenClaim | null> {
  try {
    return (await store.summary(run)).claim;
  } catch (thrown) {
    // the caller's next call to the store reports this, or removes what is damaged
    if (isKind(thrown, 'store.corrupt') || isKind(thrown, 'run.not_found')) return null;
    throw thrown;
  }
}
