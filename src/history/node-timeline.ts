/** Timeline of each node of a run, from its events. */
import { forPerson, type PersonReport } from '../errors/report/audiences.ts';
import type { RunEvent } from '../machine/state/events.ts';

export interface NodeTimeline {
  readonly path: string;
  readonly status: 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
  /** How often it was started. */
  readonly attempts: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly error?: PersonReport;
}

/** In the order in which they first started. */
export function nodeTimelines(events: Iterable<RunEvent>): readonly NodeTimeline[] {
  const timelines = new NodeTimelines();
  for (const event of events) timelines.note(event);
  return [...timelines.nodes.values()];
}

/** The timelines of a run, event by event. */
export class NodeTimelines {
  /** By path, in the order in which they first started. */
  readonly nodes = new Map<string, NodeTimeline>();
  /** Nodes that others run inside; searching all paths for them would take too long. */
  readonly #holders = new Set<string>();

  isHolder(path: string): boolean {
    return this.#holders.has(path);
  }

  /** Returns the path inside which everything has stopped with this event; `''` is the whole run. */
  note(event: RunEvent): string | undefined {
    if (isEnd(event.type)) return this.#stopInside('', event.at);
    if (event.type === 'run:paused') this.#pause(event.waiting.all);
    if (!('path' in event)) return undefined;
    if (holdsOthers(event)) this.#holders.add(event.path);
    const next = nextTimeline(this.nodes.get(event.path), event);
    if (next === undefined) return undefined;
    this.nodes.set(event.path, next);
    const isOver = next.endedAt !== undefined && this.isHolder(event.path);
    return isOver ? this.#stopInside(event.path, event.at) : undefined;
  }

  #pause(waits: readonly { readonly path?: string }[]): void {
    for (const { path = '' } of waits) {
      const node = this.nodes.get(path);
      if (node !== undefined) this.nodes.set(path, waiting(node));
    }
  }

  /** Nodes that still run inside a node that has ended were stopped with it. */
  #stopInside(path: string, at: string): string {
    for (const [inner, node] of this.nodes) {
      const isOpen = node.status === 'running' || node.status === 'waiting';
      if (isOpen && isInside(path, inner))
        this.nodes.set(inner, { ...node, status: 'cancelled', endedAt: at });
    }
    return path;
  }
}

/** `''` is the whole run. */
export function isInside(path: string, inner: string): boolean {
  return path === '' || inner.startsWith(`${path}[`) || inner.startsWith(`${path}/`);
}

function holdsOthers(event: RunEvent): boolean {
  return (
    event.type === 'child:started' || (event.type === 'node:started' && event.members !== undefined)
  );
}

function isEnd(type: RunEvent['type']): boolean {
  return type === 'run:completed' || type === 'run:failed' || type === 'run:cancelled';
}

/** A node that failed and waits for a retry or an answer has not ended. */
function waiting({ endedAt: _endedAt, ...node }: NodeTimeline): NodeTimeline {
  return { ...node, status: 'waiting' };
}

function nextTimeline(
  before: NodeTimeline | undefined,
  event: Extract<RunEvent, { path: string }>,
): NodeTimeline | undefined {
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
      // the person did not resolve the failure, or no one could be asked
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
