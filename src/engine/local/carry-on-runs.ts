/**
 * Resumes the runs of a store that are due, while the engine is open. Every process does the same,
 * and none is special: each polls at times of its own, goes through what is due in an order of its own,
 * and the claim decides. A process that is full or late takes less, so the others take more.
 */
import type { EffectClock } from '../../effects/clock.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { DueRun } from '../../machine/ports/shared-work-port.ts';
import { murmur128 } from '../../workflow/hash/murmur3.ts';
import type { RunSharing } from '../backend.ts';
import type { CarryingOn } from '../carry-on.ts';
import { isDueAfterLosses, lossesOf, DueRunBackoff } from './due-run-backoff.ts';

export interface CarryOnParts {
  readonly clock: EffectClock;
  readonly sharing: RunSharing;
  /** Default: all. */
  readonly workflows?: (() => readonly string[]) | undefined;
  /** Resumes it; refused where what it needs is not here, because another process may have it. */
  readonly take: (due: DueRun, lostBefore: number) => Promise<unknown>;
  /** The most runs that this process executes. */
  readonly maxRuns: number;
  readonly onWarning: (thrown: unknown) => void;
}

/** Mean time between two polls; each waits 25 % more or less. */
const POLL_MS = 2000;
const JITTER = 0.25;

/** Most runs that one poll takes; when it took as many, the next one follows at once. */
const MAX_PER_POLL = 25;

/** How many are taken at the same time. */
const AT_ONCE = 5;

/** A poll that comes this late shows that the process has more to do than it can. */
const LATE_MS = 1000;

const GRACE_MS = 8000;

export class CarryOnRuns implements CarryingOn {
  readonly #parts: CarryOnParts;
  readonly #backoff = new DueRunBackoff();
  #reserved = 0;
  #polls = 0;
  #expectedMs: number;
  #polling: Promise<void> = Promise.resolve();
  #isOver = false;
  #stopping: Promise<void> | undefined;
  #endGrace: () => void = () => undefined;
  /** Whether the store has ever said what is due. */
  #hasLooked = false;
  /** Whether a failure that repeats has been reported. */
  #hasWarned = false;
  #cancelTimer: (() => void) | undefined;

  constructor(parts: CarryOnParts) {
    this.#parts = parts;
    this.#expectedMs = parts.clock.now();
  }

  /** Resolves after the first poll, and rejects when the store does not say what is due. */
  async begin(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.#poll();
    } catch (thrown) {
      if (!this.#hasLooked) throw thrown;
      // the store answers, and fails for now: the next poll tries again
      this.#warnOnce(thrown);
    }
    this.#arm(hasMore);
  }

  hasRoom(): boolean {
    return !this.#isOver && this.#room() > 0;
  }

  reserve(): (() => void) | undefined {
    if (!this.hasRoom()) return undefined;
    this.#reserved++;
    let isReleased = false;
    return () => {
      if (!isReleased) this.#reserved--;
      isReleased = true;
    };
  }

  stop({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    if (this.#stopping !== undefined) this.#endGrace();
    return (this.#stopping ??= this.#drain(graceMs));
  }

  /** Takes no more runs, and leaves those that it has as they are. */
  async takeNoMore(): Promise<void> {
    this.#isOver = true;
    this.#cancelTimer?.();
    await this.#polling;
  }

  async #drain(graceMs: number): Promise<void> {
    const { clock, sharing } = this.#parts;
    const grace = Promise.withResolvers<void>();
    this.#endGrace = grace.resolve;
    const cancelTimer = clock.after(graceMs, grace.resolve);
    this.#isOver = true;
    // the runs first: a poll under way may take a while
    const drained = sharing.drain(grace.promise);
    await this.takeNoMore();
    await drained;
    cancelTimer();
  }

  #room(): number {
    const { sharing, maxRuns } = this.#parts;
    return maxRuns - sharing.executing() - this.#reserved;
  }

  #arm(hasMore: boolean): void {
    if (this.#isOver) return;
    const { clock } = this.#parts;
    const waitMs = hasMore ? 0 : Math.round(POLL_MS * (1 - JITTER + 2 * JITTER * this.#share()));
    this.#expectedMs = clock.now() + waitMs;
    this.#cancelTimer = clock.after(waitMs, () => {
      this.#polling = this.#pollAgain();
    });
  }

  async #pollAgain(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.#poll();
      this.#hasWarned = false;
    } catch (thrown) {
      this.#warnOnce(thrown);
    }
    this.#arm(hasMore);
  }

  #warnOnce(thrown: unknown): void {
    if (!this.#hasWarned) this.#parts.onWarning(thrown);
    this.#hasWarned = true;
  }

  /** Returns true when more may be due than were taken. */
  async #poll(): Promise<boolean> {
    const { clock, sharing, workflows, onWarning } = this.#parts;
    const nowMs = clock.now();
    const isLate = nowMs - this.#expectedMs > LATE_MS;
    const most = Math.min(this.#room(), isLate ? 1 : MAX_PER_POLL);
    const names = workflows?.();
    if (most <= 0 || names?.length === 0) return false;
    const found = await sharing.due({
      workflows: names,
      // resting runs must not hide the others
      limit: 2 * MAX_PER_POLL + this.#backoff.size,
      onDamage: onWarning,
    });
    this.#hasLooked = true;
    this.#backoff.keepOnly(found, nowMs);
    const ready = found.filter(
      (due) => !this.#backoff.isHeldBack(due, nowMs) && isDueAfterLosses(due),
    );
    const mine = this.#inOwnOrder(ready).slice(0, most);
    await this.#takeAll(mine);
    return !isLate && ready.length > mine.length && mine.length > 0;
  }

  /** Processes that poll at the same moment begin with different runs. */
  #inOwnOrder(due: readonly DueRun[]): readonly DueRun[] {
    const { id } = this.#parts.sharing;
    const keyed = due.map((each) => ({ each, key: murmur128(`${id} ${each.run}`)[0] >>> 0 }));
    return keyed.toSorted((a, b) => a.key - b.key).map(({ each }) => each);
  }

  async #takeAll(due: readonly DueRun[]): Promise<void> {
    const waiting = [...due];
    const takeNext = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        if (!this.#isOver) await this.#take(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
  }

  /** A run that cannot be resumed here stays as it is and does not keep the next from resuming. */
  async #take(due: DueRun): Promise<void> {
    const { clock, take, onWarning } = this.#parts;
    const release = this.reserve();
    if (release === undefined) return;
    try {
      await take(due, lossesOf(due));
      this.#backoff.noteTaken(due, clock.now());
    } catch (refusal) {
      // another process was quicker, or a person has ended it
      if (isKind(refusal, 'run.already_active') || isKind(refusal, 'run.already_ended')) return;
      if (isKind(refusal, 'store.unavailable')) throw refusal;
      if (this.#backoff.noteRefused(due, clock.now())) onWarning(refusal);
    } finally {
      release();
    }
  }

  /** Between 0 and 1, another one for each process and poll. */
  #share(): number {
    return (murmur128(`${this.#parts.sharing.id} ${this.#polls++}`)[0] >>> 0) / 2 ** 32;
  }
}
