/** What became of each node of a run, from its events. */
import { forPerson, type PersonReport } from '../errors/project.ts';
import type { RunEvent } from './events.ts';

export interface NodeHistory {
  readonly path: string;
  readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
  /** Tries. */
  readonly attempts: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly error?: PersonReport;
}

/** In the order in which they first started. */
export function nodesOf(events: Iterable<RunEvent>): readonly NodeHistory[] {
  const nodes = new Map<string, NodeHistory>();
  for (const event of events) {
    if (!('path' in event)) continue;
    const next = after(nodes.get(event.path), event);
    if (next !== undefined) nodes.set(event.path, next);
  }
  return [...nodes.values()];
}

function after(
  before: NodeHistory | undefined,
  event: Extract<RunEvent, { path: string }>,
): NodeHistory | undefined {
  const { path, at } = event;
  const attempts = before?.attempts ?? 0;
  const startedAt = before?.startedAt ?? at;
  switch (event.type) {
    case 'node:started':
      return { path, status: 'running', attempts: attempts + 1, startedAt };
    case 'node:completed':
      return { path, status: 'completed', attempts, startedAt, endedAt: at };
    case 'node:failed':
      return {
        path,
        status: 'failed',
        attempts,
        startedAt,
        endedAt: at,
        error: forPerson(event.error),
      };
    case 'node:skipped':
      return { path, status: 'skipped', attempts, startedAt, endedAt: at };
    case 'node:retrying':
    case 'gate:opened':
      return before === undefined ? undefined : { ...before, status: 'waiting' };
    case 'gate:answered':
    case 'gate:expired':
    case 'route:taken':
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
    case 'child:started':
    case 'child:ended':
      return undefined;
  }
}
