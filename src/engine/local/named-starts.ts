/** Starts runs under an id of the caller's, each once, and follows those that another process has. */
import { sleep, type EffectClock } from '../../effects/clock.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { Turns } from '../../stores/per-run-queue.ts';
import type { RunHandle } from '../backend.ts';
import type { Claims } from './run-claims.ts';
import { checkedRunId, refuseOther } from '../loading/checked-input.ts';
import { StoredRunHandle } from './stored-run-handle.ts';

export interface NamedStartsParts {
  readonly store: RunStore;
  readonly clock: EffectClock;
  readonly claims: Claims;
  /** The leg of a run that this process has. */
  readonly legOf: (run: string) => RunHandle | undefined;
  /** Never throws. */
  readonly cancel: (run: string, by?: string) => void;
}

/** The workflow and input that a caller starts under an id. */
export interface StartRequest {
  readonly workflow: string;
  readonly input: JsonObject;
  /** Fingerprint of the request that the id stands for; if given, only this is compared. */
  readonly request?: string;
}

export class NamedStarts {
  readonly #parts: NamedStartsParts;
  // the store treats the same call by the same owner as one call
  readonly #turns = new Turns();
  #isClosed = false;

  constructor(parts: NamedStartsParts) {
    this.#parts = parts;
  }

  /** Calls `begin` unless this process has the run; the store refuses a run that it has already. */
  async start(
    given: string,
    asked: StartRequest,
    begin: (id: string) => Promise<RunHandle>,
  ): Promise<RunHandle> {
    const id = checkedRunId(given);
    const { store, legOf } = this.#parts;
    return this.#turns.take([id], async () => {
      try {
        if (legOf(id) === undefined) return await begin(id);
      } catch (refusal) {
        if (!isTaken(refusal) || !(await this.#exists(id))) throw refusal;
      }
      if (asked.request === undefined) refuseOther(await store.get(id), asked);
      else await refuseOtherRequest(store, id, asked.request);
      return legOf(id) ?? this.#handleOf(id);
    });
  }

  /** A handle on a run that is in the store. Rejects with `run.not_found`. */
  async attach(run: string): Promise<RunHandle> {
    await this.#parts.store.summary(run);
    return this.#handleOf(run);
  }

  /** Ends every handle on a run that another process has. */
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
    return new StoredRunHandle({
      store,
      run,
      isExecuting: () => claims.isRunning(run),
      wait: (ms) => sleep(clock, ms),
      cancel: (by) => cancel(run, by),
      isClosed: () => this.#isClosed,
    });
  }
}

/** Whether the store refuses because it has the run already. */
function isTaken(refusal: unknown): boolean {
  return isKind(refusal, 'internal.invariant') || isKind(refusal, 'store.claim_lost');
}

/** Throws `request.key_reused` where the run was started by another request. */
async function refuseOtherRequest(
  store: Pick<RunStore, 'read'>,
  run: string,
  request: string,
): Promise<void> {
  for await (const { events } of store.read(run)) {
    if (events[0]?.['request'] === request) return;
    break;
  }
  throw new ErrandError({
    kind: 'request.key_reused',
    message: `The key belongs to run ${run}, which another request started`,
    details: { run },
  });
}
