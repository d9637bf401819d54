/**
 * An event as people see it: its reports without host paths and stack frames, all else unchanged.
 */
import { forPerson } from '../../errors/report/audiences.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export function eventForPerson(event: RunEvent): RunEvent {
  const error = 'error' in event ? event.error : undefined;
  const errors = 'errors' in event ? event.errors : undefined;
  if (error === undefined && errors === undefined) return event;
  return {
    ...event,
    ...(error === undefined ? {} : { error: forPerson(error) }),
    ...(errors === undefined ? {} : { errors: errors.map(forPerson) }),
  };
}
