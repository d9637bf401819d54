/**
 * Leaves some due runs alone for a while instead of retrying them at once: those that were refused
 * here, those that are due again at once each time, and those that kill the processes that take
 * them.
 */
import type { DueRun } from '../../machine/ports/shared-work-port.ts';
import { LEASE_MS } from './lease-keeper.ts';

interface Hold {
  readonly untilMs: number;
  /** How often in a row. */
  readonly count: number;
  /** When the run was due, the last time this process took it. */
  readonly dueMs: number;
}

const REFUSED_MS = 60_000;
const MAX_REFUSED_MS = 60 * 60_000;

const AGAIN_MS = 2000;
const MAX_AGAIN_MS = 5 * 60_000;

const LOST_MS = 5000;
const LOST_FACTOR = 4;
const MAX_LOST_MS = 10 * 60_000;

/** A run that has not come back for this long is forgotten. */
const FORGET_MS = 60_000;

export class DueRunBackoff {
  readonly #holds = new Map<string, Hold>();

  get size(): number {
    return this.#holds.size;
  }

  isHeldBack({ run }: Pick<DueRun, 'run'>, nowMs: number): boolean {
    return (this.#holds.get(run)?.untilMs ?? 0) > nowMs;
  }

  /** Returns true the first time in a row. */
  noteRefused({ run, dueMs }: Pick<DueRun, 'run' | 'dueMs'>, nowMs: number): boolean {
    const count = (this.#holds.get(run)?.count ?? 0) + 1;
    const holdMs = Math.min(REFUSED_MS * 2 ** (count - 1), MAX_REFUSED_MS);
    this.#holds.set(run, { untilMs: nowMs + holdMs, count, dueMs });
    return count === 1;
  }

  /**
   * A run that is due again at the same time has made no progress, so the next time it is held back
   * longer.
   */
  noteTaken({ run, dueMs }: Pick<DueRun, 'run' | 'dueMs'>, nowMs: number): void {
    const last = this.#holds.get(run);
    const isAgain = last !== undefined && last.dueMs === dueMs;
    const count = isAgain ? last.count + 1 : 0;
    const holdMs = count === 0 ? 0 : Math.min(AGAIN_MS * 2 ** (count - 1), MAX_AGAIN_MS);
    this.#holds.set(run, { untilMs: nowMs + holdMs, count, dueMs });
  }

  /** Forgets runs that are not due any more. */
  keepOnly(due: readonly Pick<DueRun, 'run'>[], nowMs: number): void {
    const runs = new Set(due.map(({ run }) => run));
    for (const [run, { untilMs }] of this.#holds)
      if (!runs.has(run) && untilMs + FORGET_MS <= nowMs) this.#holds.delete(run);
  }
}

/**
 * How many processes in a row died with the run, including its present owner; 0 where it was
 * released.
 */
export function lossesOf({ claim }: Pick<DueRun, 'claim'>): number {
  return claim === null ? 0 : (claim.owner.lostBefore ?? 0) + 1;
}

/**
 * Whether a run whose processes died may be taken again. The first two are replaced at once; a run that
 * kills every process that takes it is tried more and more seldom. The clock of the store measures.
 */
export function isDueAfterLosses(run: Pick<DueRun, 'claim'>): boolean {
  const losses = lossesOf(run);
  if (losses < 2 || run.claim === null) return true;
  const waitMs = Math.min(LOST_MS * LOST_FACTOR ** (losses - 2), MAX_LOST_MS);
  const sinceRenewalMs = LEASE_MS - run.claim.leftMs;
  return sinceRenewalMs >= waitMs;
}
