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
  const holders = new Set<string>();
  for (const event of events) {
    if (event.type === 'child:started') holders.add(event.path);
    if (isEnd(event.type)) cancelInside(nodes, '', event.at);
    if (event.type === 'run:paused') {
      for (const { path = '' } of event.waiting.all) {
        const node = nodes.get(path);
        if (node !== undefined) nodes.set(path, waiting(node));
      }
    }
    if (!('path' in event)) continue;
    const next = after(nodes.get(event.path), event);
    if (next === undefined) continue;
    nodes.set(event.path, next);
    if (holdsOthers(event)) holders.add(event.path);
    const isOver = next.endedAt !== undefined && holders.has(event.path);
    if (isOver) cancelInside(nodes, event.path, event.at);
  }
  return [...nodes.values()];
}

/** Whether other nodes run inside this one; looking for them in all others would take for ever. */
function holdsOthers(event: RunEvent): boolean {
  return event.type === 'node:started' && event.members !== undefined;
}

function isEnd(type: RunEvent['type']): boolean {
  return type === 'run:completed' || type === 'run:failed' || type === 'run:cancelled';
}

/** What runs on inside something that has ended was stopped with it. */
function cancelInside(nodes: Map<string, NodeHistory>, path: string, at: string): void {
  for (const [inner, node] of nodes) {
    const isInside = path === '' || inner.startsWith(`${path}[`) || inner.startsWith(`${path}/`);
    const isOpen = node.status === 'running' || node.status === 'waiting';
    if (isInside && isOpen) nodes.set(inner, { ...node, status: 'cancelled', endedAt: at });
  }
}

/** A node that failed and will go on has not ended. */
function waiting({ endedAt: _endedAt, ...node }: NodeHistory): NodeHistory {
  return { ...node, status: 'waiting' };
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
      // a person who skips a node lets it count as completed
      if (before?.status === 'skipped') return { ...before, endedAt: at };
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
      return before === undefined ? undefined : waiting(before);
    case 'gate:answered':
    case 'gate:expired':
      return before?.status === 'waiting' ? { ...before, status: 'running' } : undefined;
    case 'route:taken':
      // whoever was asked let it stand, or nobody was there
      return before?.error !== undefined && before.status === 'running'
        ? { ...before, status: 'failed', endedAt: at }
        : undefined;
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
    case 'child:started':
    case 'child:ended':
      return undefined;
  }
}
