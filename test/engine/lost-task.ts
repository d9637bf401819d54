/**
 * On a starved machine the server counts a task as started that no worker received, and its
 * heartbeat ends it. The machine causes this, and Errand correctly says that the outcome is
 * unknown, or repeats the call if it may: then the log has the request twice and nothing between.
 * No case kills workers.
 */
import { isJsonObject } from '../../src/errors/support/safe-json.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';

export function hasLostTask(events: readonly RunEvent[]): boolean {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'effect:requested') {
      if (open.has(event.effect.key)) return true;
      open.add(event.effect.key);
    } else if (event.type === 'effect:failed' || event.type === 'effect:succeeded') {
      if (event.type === 'effect:failed' && isWithoutHeartbeat(event.error.details)) return true;
      open.delete(event.effect.key);
    } else if (event.type.startsWith('run:')) open.clear();
  }
  return false;
}

function isWithoutHeartbeat(details: Readonly<Record<string, unknown>> | undefined): boolean {
  const { temporal } = details ?? {};
  return (
    Array.isArray(temporal) &&
    temporal.some((link) => isJsonObject(link) && link['timeoutType'] === 'HEARTBEAT')
  );
}
