/** A view for tests: folded from the events of a log, as people see them. */
import type { RunEvent } from '../machine/state/events.ts';
import { beginView, foldView } from './run-view.ts';
import { eventForPerson } from './run-view/event-for-person.ts';
import type { RunView } from './run-view/view.ts';

export function viewOf(events: readonly RunEvent[]): RunView {
  const facts = { run: 'run', workflow: 'workflow', startedAt: events[0]?.at ?? '' };
  return foldView(beginView(facts), events.map(eventForPerson));
}
