/** The Temporal driver as a subject of the cases. */
import type { RunHandle } from '../../src/drivers/local.ts';
import type { TemporalDriver } from '../../src/drivers/temporal/client.ts';
import { planOf } from './case.ts';
import { carryThrough, stored, type Subject } from './subjects.ts';

export function temporalSubject(driver: TemporalDriver): Subject {
  return {
    name: 'temporal',
    tell: (each) =>
      carryThrough(each, planOf(each), {
        driver,
        // it goes on by itself
        atTime: async (run): Promise<RunHandle> => {
          const events = await stored(driver.store, run);
          const paused = events.findLast(({ type }) => type === 'run:paused');
          return driver.follow(run, (paused?.seq ?? 0) + 1);
        },
        read: (run) => stored(driver.store, run),
      }),
  };
}
