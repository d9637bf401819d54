/** The Temporal backend as a subject of the cases. */
import type { RunHandle } from '../../src/engine/backend.ts';
import { isJsonObject } from '../../src/errors/support/safe-json.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { say } from '../temporal/server.ts';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { planOf } from './case.ts';
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
        if (plays === MOST_PLAYS || !events.some(isLostOnItsWay)) return outcome;
        say(`the server handed out a task that no worker got; playing "${each.name}" again`);
      }
    },
  };
}

/**
 * On a starved machine the server counts a task as started that no worker received, and its heartbeat
 * ends it. That is the machine's doing, and Errand rightly says that the outcome is unknown. No case kills workers.
 */
function isLostOnItsWay(event: RunEvent): boolean {
  if (event.type !== 'effect:failed') return false;
  const { temporal } = event.error.details ?? {};
  return (
    Array.isArray(temporal) &&
    temporal.some((link) => isJsonObject(link) && link['timeoutType'] === 'HEARTBEAT')
  );
}
