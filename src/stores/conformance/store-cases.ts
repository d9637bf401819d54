/**
 * Cases that every store must pass, for any test runner:
 *
 *   for (const { name, run } of storeCases(newDatabase)) it(name, run);
 *
 * Each `open` returns another handle to the same database, like that of another process.
 * A store without a second handle may return the same one each time.
 */
import type { RunStore } from '../../machine/ports/store-port.ts';
import { CLAIM_CASES } from './claims.ts';
import { KEPT_CASES } from './kept.ts';
import { LOG_CASES } from './log.ts';
import { REMOVAL_CASES } from './removal.ts';
import { SHARED_WORK_CASES } from './shared-work.ts';
import { STRAIN_CASES } from './strain.ts';

export interface TestDatabase {
  open(): Promise<RunStore>;
  /** For a store with a clock of its own: lets that much time pass for its leases. */
  elapse?(ms: number): Promise<void>;
}

/**
 * Makes an empty database whose stores measure leases with `now`, unless they have a clock of their
 * own.
 */
export type NewDatabase = (now: () => number) => Promise<TestDatabase>;

export interface StoreCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

const CASES = {
  ...LOG_CASES,
  ...CLAIM_CASES,
  ...KEPT_CASES,
  ...REMOVAL_CASES,
  ...SHARED_WORK_CASES,
  ...STRAIN_CASES,
};

/**
 * The cases that every store must pass, for any test runner.
 * @example
 * ```ts
 * import { openMemoryStore, storeCases } from 'errand/stores';
 *
 * const newDatabase = async (now: () => number) => {
 *   const store = openMemoryStore({ now });
 *   return { open: async () => store };
 * };
 * const [first] = storeCases(newDatabase);
 * await first?.run(); // in your test runner: it(name, run) for each of them
 * console.log(typeof first?.name); // string
 * ```
 */
export function storeCases(newDatabase: NewDatabase): readonly StoreCase[] {
  return Object.entries(CASES).map(([name, body]) => ({
    name,
    run: async () => {
      const clock = { nowMs: 1_000_000 };
      const database = await newDatabase(() => clock.nowMs);
      const store = await database.open();
      const other = await database.open();
      const elapse = async (ms: number): Promise<void> => {
        clock.nowMs += ms;
        await database.elapse?.(ms);
      };
      try {
        await body({ store, other, elapse });
      } finally {
        await store.close();
        await other.close();
      }
    },
  }));
}
