/** A leg during which the store breaks, and perhaps is repaired in time. */
import type { EffectClock } from '../../src/effects/clock.ts';
import { BREAKAGES, type BreakageName } from './breakages.ts';
import { storeWith } from '../../src/stores/watched-store.cases.ts';
import { oneLeg, type Job, type LegEnd } from './one-leg.ts';

export interface Outage {
  readonly breakage: BreakageName;
  /** The store breaks after this append. */
  readonly append: number;
  /** The number of failed tries before the repair; absent: nobody repairs it in this leg. */
  readonly failures?: number;
}

/** The waits between the tries, a hundred times faster. */
export const QUICK: EffectClock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms / 100);
    return () => clearTimeout(timer);
  },
};

export function legWithOutage(
  job: Job,
  { breakage, append, failures = Infinity }: Outage,
): Promise<LegEnd> {
  const { make, mend } = BREAKAGES[breakage];
  let [appends, failed, isMended] = [0, 0, false];
  return oneLeg(job, {
    clock: QUICK,
    around: (store) =>
      storeWith(store, {
        append: async (commit) => {
          if (failed === failures && !isMended) {
            isMended = true;
            await mend(job.store);
          }
          try {
            const head = await store.append(commit);
            if (++appends === append) await make(job.store);
            return head;
          } catch (error) {
            failed++;
            throw error;
          }
        },
      }),
  });
}
