/**
 * The time when a run can continue by itself, from its status. Every store keeps it beside the
 * status.
 */
import type { RunStatusRow } from '../machine/ports/store-port.ts';

/**
 * 0 for a run that is under way: it is due when no process has it. The earliest time for a paused
 * run, including that of a gate. Null when only a person can continue it, or nobody.
 */
export function dueMsOf({
  status,
  waiting,
}: Pick<RunStatusRow, 'status' | 'waiting'>): number | null {
  switch (status) {
    case 'running':
    case 'interrupted':
      return 0;
    case 'paused':
      return earliestOf(waiting);
    case 'completed':
    case 'failed':
    case 'cancelled':
      return null;
  }
}

function earliestOf(waiting: RunStatusRow['waiting']): number | null {
  if (waiting === undefined) return null;
  const times = [waiting, ...waiting.all].flatMap(({ until }) => {
    const ms = until === undefined ? Number.NaN : Date.parse(until);
    return Number.isNaN(ms) ? [] : [ms];
  });
  return times.length === 0 ? null : Math.min(...times);
}
