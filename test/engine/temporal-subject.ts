/** The Temporal backend as a subject of the cases. */
import type { RunHandle } from '../../src/engine/backend.ts';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { planOf } from './case.ts';
import { carryThrough, stored, type Subject } from './subjects.ts';

export function temporalSubject(backend: TemporalBackend): Subject {
  return {
    name: 'temporal',
    tell: (each) =>
      carryThrough(each, planOf(each), {
        backend,
        // it resumes by itself
        atTime: async (run): Promise<RunHandle> => {
          const events = await stored(backend.store, run);
          const paused = events.findLast(({ type }) => type === 'run:paused');
          return backend.follow(run, (paused?.seq ?? 0) + 1);
        },
        read: (run) => stored(backend.store, run),
      }),
  };
}
