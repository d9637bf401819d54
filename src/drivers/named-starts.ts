/** Runs that are started under an id of the caller's: each once, however often it is asked for. */
import { sleep, type EffectClock } from '../effects/clock.ts';
import { isKind } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import type { RunStore } from '../machine/store-port.ts';
import { Turns } from '../stores/turns.ts';
import type { Claims } from './claims.ts';
import { givenRunId, refuseOther } from './given.ts';
import type { RunHandle } from './leg.ts';
import { StoredHandle } from './stored-handle.ts';

export interface NamedStartsParts {
  readonly store: RunStore;
  readonly clock: EffectClock;
  readonly claims: Claims;
  /** The leg of a run that is carried on here. */
  readonly legOf: (run: string) => RunHandle | undefined;
  /** Never throws. */
  readonly cancel: (run: string, by: string) => void;
}

/** A run as someone asks for it. */
export interface Asked {
  readonly workflow: string;
  readonly input: JsonObject;
}

export class NamedStarts {
  readonly #parts: NamedStartsParts;
  // the store takes the same call by the same owner for one call
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(parts: NamedStartsParts) {
    this.#parts = parts;
  }

  /** `begin` is called where the run is not here; whether it is elsewhere the store knows. */
  async start(
    given: string,
    asked: Asked,
    begin: (id: string) => Promise<RunHandle>,
  ): Promise<RunHandle> {
    const id = givenRunId(given);
    const { store, legOf } = this.#parts;
    return this.#turns.take([id], async () => {
      try {
        if (legOf(id) === undefined) return await begin(id);
      } catch (refusal) {
        if (!isTaken(refusal) || !(await this.#exists(id))) throw refusal;
      }
      refuseOther(await store.get(id), asked);
      return legOf(id) ?? this.#handleOf(id);
    });
  }

  /** Who follows a run by its handle hears nothing more of it. */
  close(): void {
    this.#isClosed = true;
  }

  async #exists(run: string): Promise<boolean> {
    try {
      await this.#parts.store.summary(run);
      return true;
    } catch (thrown) {
      if (isKind(thrown, 'run.not_found')) return false;
      throw thrown;
    }
  }

  #handleOf(run: string): RunHandle {
    const { store, clock, claims, cancel } = this.#parts;
    return new StoredHandle({
      store,
      run,
      isCarriedOn: () => claims.isRunning(run),
      wait: (ms) => sleep(clock, ms),
      cancel: (by) => cancel(run, by),
      isClosed: () => this.#isClosed,
    });
  }
}

/** What a store says of a run that it has already, of the same or of another make. */
function isTaken(refusal: unknown): boolean {
  return isKind(refusal, 'internal.invariant') || isKind(refusal, 'store.claim_lost');
}
