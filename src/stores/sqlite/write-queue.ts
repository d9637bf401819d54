/**
 * Group commit: the writes of one turn of the event loop share a transaction, and so one sync of the
 * disk. If one of them fails, the transaction is undone and each runs alone, in the same order, so
 * that no write fails for another's reason. While another process writes, the event loop continues
 * and the writes are repeated every few milliseconds, until their time is up.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from './sqlite-connection.ts';
import { isBusy } from './sqlite-failure.ts';

export interface WriteTarget {
  /** The run that it writes to, for the error. */
  readonly run?: string;
  /** Runs only if the earlier ordered writes of the run succeed. */
  readonly isOrdered?: boolean;
}

/** A write in two parts: prepared from the arguments at once, written in its turn. */
export interface PreparedWrite<T> {
  readonly body: () => T;
  /** Checked in its turn: at most one statement writes, so no transaction is needed around it. */
  readonly isOneStatement: () => boolean;
}

interface Write extends PreparedWrite<unknown> {
  readonly target: WriteTarget;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Attempt =
  | { readonly isDone: true }
  /** `isOfOne`: a single write failed, not the transaction. */
  | { readonly isDone: false; readonly isOfOne: boolean; readonly error: unknown };

const DONE: Attempt = { isDone: true };

/** Between two calls for a lock that another process holds. */
const BUSY_PAUSE_MS = 2;

export class WriteQueue {
  readonly #connection: Connection;
  readonly #patienceMs: number;
  readonly #flush = (): void => this.#write();
  #waiting: Write[] = [];
  /** Since when the store has been locked at every try. */
  #busySinceMs: number | null = null;

  constructor(connection: Connection, patienceMs: number) {
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** `body` runs inside a transaction; if it throws, its changes are undone. */
  add<T>(target: WriteTarget, body: () => T): Promise<T> {
    return this.addPrepared(target, () => ({ body, isOneStatement: () => false }));
  }

  /** The same for values that must be copied now, because the caller may change them meanwhile. */
  addPrepared<T>(target: WriteTarget, prepare: () => PreparedWrite<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { body, isOneStatement } = prepare();
      if (this.#waiting.length === 0) setImmediate(this.#flush);
      // only ever called with the result of this body
      const settle = resolve as (result: unknown) => void;
      this.#waiting.push({ target, body, isOneStatement, resolve: settle, reject });
    });
  }

  /** Writes everything that waits. */
  async drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#write();
      if (this.#waiting.length > 0) await delay(BUSY_PAUSE_MS);
    }
  }

  #write(): void {
    const writes = this.#waiting;
    this.#waiting = [];
    const [only] = writes;
    if (only === undefined) return;
    const outcome =
      writes.length === 1 && only.isOneStatement()
        ? this.#attemptBare(only)
        : this.#attempt(writes);
    if (!outcome.isDone && this.#mayWait(outcome.error)) {
      this.#waiting = writes;
      setTimeout(this.#flush, BUSY_PAUSE_MS);
      return;
    }
    this.#busySinceMs = null;
    if (outcome.isDone) return;
    if (writes.length > 1 && outcome.isOfOne) {
      this.#writeEachAlone(writes);
      return;
    }
    for (const write of writes) write.reject(this.#failure(outcome.error, write));
  }

  #mayWait(error: unknown): boolean {
    if (!isBusy(error)) return false;
    this.#busySinceMs ??= performance.now();
    return performance.now() - this.#busySinceMs < this.#patienceMs;
  }

  #writeEachAlone(writes: readonly Write[]): void {
    const broken = new Map<string, unknown>();
    for (const write of writes) {
      const ordered = write.target.isOrdered === true ? write.target.run : undefined;
      if (ordered !== undefined && broken.has(ordered)) {
        write.reject(broken.get(ordered));
        continue;
      }
      const outcome = this.#attempt([write]);
      if (outcome.isDone) continue;
      const failure = this.#failure(outcome.error, write);
      if (ordered !== undefined) broken.set(ordered, failure);
      write.reject(failure);
    }
  }

  /** All of them in one transaction, or none. */
  #attempt(writes: readonly Write[]): Attempt {
    const results: unknown[] = [];
    let isOfOne = false;
    try {
      this.#connection.check();
      this.#connection.prepare('BEGIN IMMEDIATE').run();
      isOfOne = true;
      for (const write of writes) results.push(write.body());
      isOfOne = false;
      this.#connection.prepare('COMMIT').run();
    } catch (error) {
      this.#connection.rollback();
      return { isDone: false, isOfOne, error };
    }
    for (let index = 0; index < writes.length; index++) writes[index]?.resolve(results[index]);
    return DONE;
  }

  #attemptBare(write: Write): Attempt {
    try {
      this.#connection.check();
      write.resolve(write.body());
      return DONE;
    } catch (error) {
      this.#connection.rollback();
      return { isDone: false, isOfOne: true, error };
    }
  }

  #failure(error: unknown, { target: { run } }: Write): unknown {
    return this.#connection.failure(error, run === undefined ? {} : { run });
  }
}
