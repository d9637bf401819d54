/** The Temporal backend as a subject of the cases. */
import type { RunHandle } from '../../src/engine/backend.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { say } from '../temporal/server.ts';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { planOf } from './case.ts';
import { hasLostTask } from './lost-task.ts';
import { carryThrough, stored, type Subject } from './subjects.ts';

/** A machine with too much other work can lose more than one task. */
const MOST_PLAYS = 3;

export function temporalSubject(backend: TemporalBackend): Subject {
  return {
    name: 'temporal',
    async tell(each) {
      for (let plays = 1; ; plays++) {
        let events: readonly RunEvent[] = [];
        const outcome = await carryThrough(each, planOf(each), {
          backend,
          // it resumes by itself
          atTime: async (run): Promise<RunHandle> => {
            const known = await stored(backend.store, run);
            const paused = known.findLast(({ type }) => type === 'run:paused');
            return backend.follow(run, (paused?.seq ?? 0) + 1);
          },
          read: async (run) => (events = await stored(backend.store, run)),
        });
        if (plays === MOST_PLAYS || !hasLostTask(events)) return outcome;
        say(`the server handed out a task that no worker got; playing "${each.name}" again`);
      }
    },
  };
}
