/** Removes runs from a store for good, and takes over runs from files. */
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type {
  ClaimOwner,
  RemovedRun,
  RunStore,
  Tombstone,
} from '../../machine/ports/store-port.ts';
import type { RunArchive } from '../backend.ts';
import { refuseOldCopy, type LogWitness } from '../run/lost-log.ts';
import type { ImportedRun } from '../run-file.ts';
import { isHeld, isOwnerAlive } from './claim-owner.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { refuseLiveOwner } from './refuse-live.ts';

export class LocalArchive implements RunArchive {
  readonly #store: RunStore;
  readonly #owner: ClaimOwner;

  constructor(store: RunStore, owner: ClaimOwner) {
    this.#store = store;
    this.#owner = owner;
  }

  async remove(run: string, by: string, at: string): Promise<RemovedRun> {
    await refuseLiveOwner(this.#store, run);
    return this.#store.remove({ run, by, at, isAlive: isOwnerAlive });
  }

  tombstone(run: string): Promise<Tombstone | null> {
    return this.#store.tombstone(run);
  }

  async compact(): Promise<boolean> {
    const running = await this.#store.list({ statuses: ['running'], onDamage: () => undefined });
    if (running.some(({ claim }) => isHeld(claim))) return false;
    try {
      await this.#store.compact();
      return true;
    } catch (thrown) {
      // the next removal tries again
      if (!isKind(thrown, 'store.unavailable')) throw thrown;
      return false;
    }
  }

  async add(run: ImportedRun, exported: LogWitness): Promise<void> {
    if (await this.#has(run.id)) throw alreadyThere(run.id);
    const removed = await this.#store.tombstone(run.id);
    if (removed !== null) throw removedHere(removed);
    refuseOldCopy(run, exported);
    const { claim } = await this.#store.create({ ...run, owner: this.#owner, leaseMs: LEASE_MS });
    // the run may continue where it came from, so a person has to resume it here
    await this.#store.noteStop(claim);
    await this.#store.release(claim);
  }

  async #has(run: string): Promise<boolean> {
    try {
      await this.#store.summary(run);
      return true;
    } catch (thrown) {
      if (isKind(thrown, 'run.not_found')) return false;
      throw thrown;
    }
  }
}

function alreadyThere(run: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message: `This store already has run ${run}`,
    action: { kind: 'change_input', detail: `See it with: errand show ${run}` },
  });
}

/** A second run of that id would have the idempotency keys of the first. */
function removedHere({ run, removedAt }: Tombstone): ErrandError {
  return new ErrandError({
    kind: 'run.already_ended',
    message: `Run ${run} was removed from this store on ${removedAt.slice(0, 10)}, and its id cannot be used here again`,
    details: { run, removedAt },
    action: { kind: 'change_input', detail: 'Import it into the store of another project.' },
  });
}
