/**
 * P3, P4 and P6, of effects that are stopped from around them: they may still do their work, be killed,
 * or not listen. Judged by what was really executed, as the world has it in its own books.
 */
import type { Execution } from '../../../src/drivers/simulation/execution.ts';
import type { RunEvent } from '../../../src/machine/events.ts';
import {
  isInside,
  isType,
  nodeAt,
  ofType,
  type EventOf,
  type Law,
  type Subject,
} from '../subject.ts';
import { IN_DOUBT, permits } from './nothing-repeated.ts';

export const askedBeforeTwice: Law = {
  name: 'by the books of the world: what did its work, or may have, is done again only if somebody was asked about it',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) => {
    const latest = new Map<string, Execution>();
    return subject.executions.flatMap((execution) => {
      const { effect, path, isIdempotent, number } = execution;
      const before = latest.get(effect.key);
      latest.set(effect.key, execution);
      if (before === undefined || isIdempotent) return [];
      const between = subject.events.filter(
        ({ seq }) => seq > before.afterSeq && seq <= execution.afterSeq,
      );
      if (saysThatItFailed(before, between) || isUsed(before, between)) return [];
      return between.some((event) => isDecided(subject, event, execution))
        ? []
        : [
            `${path} was executed again (${number}) and nobody was asked about ${before.number}, which ended ${JSON.stringify(before.ending ?? null).slice(0, 80)}`,
          ];
    });
  },
};

/** It failed by itself, and the log has that failure: routes are free to do it again. */
function saysThatItFailed({ ending, effect }: Execution, between: readonly RunEvent[]): boolean {
  if (ending?.type !== 'failed') return false;
  return between.some(
    (event) =>
      event.type === 'effect:failed' &&
      event.effect.key === effect.key &&
      event.error.kind === ending.kind,
  );
}

/** Its result is in the log and its node has ended with it: what runs that again does so as written. */
function isUsed({ ending, effect, path }: Execution, between: readonly RunEvent[]): boolean {
  if (ending?.type !== 'succeeded') return false;
  const result = between.findIndex(
    (event) => event.type === 'effect:succeeded' && event.effect.key === effect.key,
  );
  if (result < 0) return false;
  const later = between.slice(result);
  return later.some(
    (event) => isType(event, 'node:completed', 'node:failed') && event.path === path,
  );
}

/** Somebody has answered a question about this very doubt, or a route that names it has taken it. */
function isDecided(subject: Subject, event: RunEvent, execution: Execution): boolean {
  if (!permits(subject, event, execution)) return false;
  if (event.type !== 'gate:answered') return true;
  const asked = subject.events.findLast(
    ({ seq, ...before }) =>
      seq < event.seq && before.type === 'node:failed' && before.path === event.path,
  );
  return asked?.type === 'node:failed' && asked.error.kind === IN_DOUBT;
}

export const endsComeLast: Law = {
  name: 'nothing ends while an effect inside it is under way: its own end is in the log first',
  promise: 'P6 one ending',
  breaches: ({ events }) => {
    const open = new Map<string, string>();
    return events.flatMap((event) => {
      if (event.type === 'effect:requested') open.set(event.effect.key, event.path);
      if (isType(event, 'effect:succeeded', 'effect:failed')) open.delete(event.effect.key);
      if (!isEnd(event)) return [];
      return [...open.values()]
        .filter((path) => !('path' in event) || path === event.path || isInside(path, event.path))
        .map((path) => `event ${event.seq}, ${event.type}, comes while ${path} is under way`);
    });
  },
};

type End = EventOf<
  'node:completed' | 'node:failed' | 'run:completed' | 'run:failed' | 'run:cancelled'
>;

function isEnd(event: RunEvent): event is End {
  return isType(
    event,
    'node:completed',
    'node:failed',
    'run:completed',
    'run:failed',
    'run:cancelled',
  );
}

export const doubtsAreNamed: Law = {
  name: 'what ends by its own reason names the effects inside it that it left in doubt',
  promise: 'P4 nothing repeated blindly',
  breaches: ({ events }) =>
    events.flatMap((event, index) => {
      if (!isType(event, 'node:failed', 'run:failed') || event.error.kind === IN_DOUBT) return [];
      const named = JSON.stringify(event.error.details?.['in_doubt'] ?? []);
      return leftBefore(events.slice(0, index))
        .filter(
          ({ path }) => !('path' in event) || path === event.path || isInside(path, event.path),
        )
        .filter(({ effect }) => !named.includes(`"key":"${effect.key}"`))
        .map(({ path }) => `event ${event.seq} does not say that ${path} is in doubt`);
    }),
};

/** The doubts that were written right before: with the end that comes next. */
function leftBefore(events: readonly RunEvent[]): readonly EventOf<'effect:failed'>[] {
  const from = events.findLastIndex((event) => !CAME_WITH_IT.has(event.type)) + 1;
  return events
    .slice(from)
    .filter((event) => event.type === 'effect:failed')
    .filter(({ error }) => error.kind === IN_DOUBT);
}

const CAME_WITH_IT: ReadonlySet<RunEvent['type']> = new Set([
  'effect:succeeded',
  'effect:failed',
  'error:suppressed',
  'breaker:changed',
  'child:ended',
]);

export const placesAreAsked: Law = {
  name: 'what a place has left in doubt is decided about before the place does anything again, under any key',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) =>
    ofType(subject.events, 'effect:failed').flatMap((left) => {
      if (left.effect.type === 'model' || left.error.kind !== IN_DOUBT) return [];
      const first = subject.executions.find(({ effect }) => effect.key === left.effect.key);
      if (first === undefined || first.isIdempotent) return [];
      const again = subject.executions.find(
        (later) => later.afterSeq > left.seq && isSamePlace(subject, first, later),
      );
      if (again === undefined) return [];
      const between = subject.events.filter(({ seq }) => seq > left.seq && seq <= again.afterSeq);
      return between.some((event) => permits(subject, event, first))
        ? []
        : [`execution ${again.number} at ${again.path} comes while event ${left.seq} is in doubt`];
    }),
};

function isSamePlace({ plan }: Subject, one: Execution, other: Execution): boolean {
  if (other.isIdempotent || other.effect.type === 'model') return false;
  if (placeOf(plan, one.path) !== placeOf(plan, other.path)) return false;
  const isAgent = nodeAt(plan, one.path)?.node.type === 'agent';
  return !isAgent || one.effect.target === other.effect.target;
}

/** The path without the rounds of supervisors. */
function placeOf(plan: Subject['plan'], path: string): string {
  return path.replaceAll(/\[[^\]]*\]/g, (key, at: number) =>
    nodeAt(plan, path.slice(0, at))?.node.type === 'supervisor' ? '' : key,
  );
}
