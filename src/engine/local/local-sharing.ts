/** Shares the runs of a store between this process and the others. */
import type { EffectClock } from '../../effects/clock.ts';
import type { DueQuery, DueRun, SharedWork } from '../../machine/ports/shared-work-port.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import type { RunSharing } from '../backend.ts';
import { isOwnerAlive, livenessOf } from './claim-owner.ts';
import type { OpenLegs } from './legs/open-legs.ts';

export interface LocalSharingParts {
  readonly store: RunStore;
  readonly clock: EffectClock;
  readonly id: string;
  readonly legs: Pick<OpenLegs, 'all' | 'get' | 'drain'>;
}

export class LocalSharing implements RunSharing {
  readonly id: string;
  readonly work: SharedWork;
  readonly #parts: LocalSharingParts;

  constructor(parts: LocalSharingParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.work = parts.store;
  }

  async due(query: Pick<DueQuery, 'workflows' | 'limit' | 'onDamage'>): Promise<readonly DueRun[]> {
    const { clock, legs } = this.#parts;
    const isAlive: DueQuery['isAlive'] = (owner) => owner.id === this.id || isOwnerAlive(owner);
    const found = await this.work.due({ ...query, nowMs: clock.now(), isAlive });
    // a process that stood still for longer than its lease keeps its runs, unless another took them
    return found.filter(
      ({ run, claim }) =>
        legs.get(run) === undefined && (claim === null || livenessOf(claim.owner) !== 'alive'),
    );
  }

  executing(): number {
    return this.#parts.legs.all().length;
  }

  drain(isOver: Promise<unknown>): Promise<void> {
    return this.#parts.legs.drain(isOver);
  }
}
