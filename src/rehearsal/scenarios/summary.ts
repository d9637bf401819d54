/** Keeps only the needed parts of a performance, so that thousands of them fit into memory. */
import type { RunEvent } from '../../machine/state/events.ts';
import type { Atlas } from '../places/atlas.ts';
import { breaksPromise } from '../verdict/verdict.ts';
import type { Performance, Summary } from './scenario.ts';

/** `hasWay`: its events are shown, one line each. */
export function summaryOf(
  atlas: Atlas,
  { played, trace }: Performance,
  { hasWay }: { readonly hasWay: boolean },
): Summary {
  const { events, result, executions, virtualMs, commits } = played;
  const error = result.status === 'failed' ? result.error : undefined;
  return {
    result,
    output: result.status === 'completed' ? result.output : undefined,
    routes: trace.routes.filter(({ bucket }) => bucket !== 'success'),
    virtualMs,
    costUsdMicros: events.reduce((sum, event) => sum + costOf(event), 0),
    modelRequests: executions.filter(({ effect }) => effect.type === 'model').length,
    commits,
    executions: countsOf(atlas, played.executions),
    way: hasWay ? wayOf(played) : [],
    isBroken: played.isStuck || (error !== undefined && breaksPromise(error, trace.injected)),
  };
}

function costOf(event: RunEvent): number {
  const isEnd = event.type === 'effect:succeeded' || event.type === 'effect:failed';
  return isEnd ? (event.costUsdMicros ?? 0) : 0;
}

function countsOf(
  atlas: Atlas,
  executions: Performance['played']['executions'],
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { path, effect } of executions) {
    if (effect.type === 'model') continue;
    const name = atlas.of(path)?.name ?? path;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The events that led to the end, one line each. */
export function wayOf({ events }: Performance['played']): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'node:failed':
        return [`${event.path} fails: ${event.error.kind}: ${event.error.message}`];
      case 'node:completed':
        return [`${event.path} works`];
      case 'node:retrying':
        return [`${event.path} is tried again`];
      case 'node:skipped':
        return [`${event.path} is skipped`];
      case 'route:taken':
        return event.bucket === 'default' || event.move !== 'to'
          ? [`${event.path}: ${event.bucket === 'default' ? 'the default' : event.move}`]
          : [`${event.path} → ${event.to ?? ''}`];
      case 'gate:answered':
        return [`${event.path} is answered: ${JSON.stringify(event.value)}`];
      case 'gate:expired':
        return [`${event.path}: nobody answers in time`];
      case 'run:paused':
        return ['the run pauses'];
      case 'run:failed':
        return [`the run fails: ${event.error.kind}: ${event.error.message}`];
      case 'run:completed':
        return ['the run completes'];
      default:
        return [];
    }
  });
}
