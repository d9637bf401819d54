/**
 * P3, P4 and P6, for effects that are stopped from outside: they may still do their work, be
 * killed, or ignore it. Judged by the world's own record of real executions.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Execution } from '../world/execution-record.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import {
  isInside,
  isType,
  nodeAt,
  ofType,
  type EventOf,
  type Law,
  type Subject,
} from './subject.ts';
import { IN_DOUBT, permits } from './nothing-repeated.ts';

export const askedBeforeTwice: Law = {
  name: 'an effect that did its work in the world, or may have, is repeated only after somebody was asked about it',
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

/** It failed by itself, and the log has that failure, so routes may repeat it. */
function saysThatItFailed({ ending, effect }: Execution, between: readonly RunEvent[]): boolean {
  if (ending?.type !== 'failed') return false;
  return between.some(
    (event) =>
      event.type === 'effect:failed' &&
      event.effect.key === effect.key &&
      event.error.kind === ending.kind,
  );
}

/**
 * Its result is in the log and its node has ended with it; a later run of the node executes it as
 * the file says.
 */
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

export const stoppedIsDone: Law = {
  name: 'an effect that succeeded while it was being stopped is never executed again, unless its node fails with its result or a route restarts what is around the node',
  promise: 'P3 nothing repeated',
  breaches: ({ events, executions }) =>
    executions.flatMap(({ effect, afterSeq, path, number, isIdempotent }) => {
      if (effect.type === 'model' || isIdempotent) return [];
      const before = events.filter(({ seq }) => seq <= afterSeq);
      const done = ofType(before, 'effect:succeeded').find(
        (event) => event.effect.key === effect.key && isStopped(before, event),
      );
      if (done === undefined) return [];
      const isOrdered = before.slice(done.seq).some((event) => isOrderedAgain(event, path));
      return isOrdered
        ? []
        : [`execution ${number} of ${path} does again what event ${done.seq} has done`];
    }),
};

/** An enclosing node ended before its own node did. */
function isStopped(
  events: readonly RunEvent[],
  { path, seq }: EventOf<'effect:succeeded'>,
): boolean {
  const end = events
    .slice(seq)
    .find(
      (event) =>
        isEnd(event) && (!('path' in event) || event.path === path || isInside(path, event.path)),
    );
  return end !== undefined && (!('path' in end) || end.path !== path);
}

/**
 * Its own node has failed because of a check, or a route starts an enclosing node anew: both as the
 * file says.
 */
function isOrderedAgain(event: RunEvent, path: string): boolean {
  if (event.type === 'node:retrying') return isInside(path, event.path);
  return event.type === 'node:failed' && event.path === path;
}

/** A person has answered about this unknown outcome, or a route that names it has taken it. */
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
  name: 'no node and no run ends while an effect inside it is running: the end of the effect is in the log first',
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
  name: 'a node or a run that fails for a reason of its own names the effects inside it whose outcomes are unknown',
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

/** The doubts that were recorded right before, together with the next end. */
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
  name: 'an unknown outcome at a place is decided before that place does anything again, under any key',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) => undecided(subject, (first, later) => isSamePlace(subject, first, later)),
};

export const actionsAreAsked: Law = {
  name: 'an unknown outcome is decided before the same action is done again, at any place of the run',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) => {
    const begun = new Map<string, number>();
    for (const { effect, afterSeq } of subject.executions)
      if (!begun.has(effect.key)) begun.set(effect.key, afterSeq);
    return undecided(
      subject,
      (first, later, left) =>
        !later.isIdempotent &&
        // an effect that had started beside it is another one
        (begun.get(later.effect.key) ?? 0) > left.seq &&
        isDeepStrictEqual(first.work, later.work),
    );
  },
};

type IsAgain = (first: Execution, later: Execution, left: EventOf<'effect:failed'>) => boolean;

/** Executions that repeat an unknown outcome before anyone has decided about it. */
function undecided(subject: Subject, isAgain: IsAgain): readonly string[] {
  return ofType(subject.events, 'effect:failed').flatMap((left) => {
    if (left.effect.type === 'model' || left.error.kind !== IN_DOUBT) return [];
    const first = subject.executions.findLast(
      ({ effect, afterSeq }) => effect.key === left.effect.key && afterSeq < left.seq,
    );
    if (first === undefined || first.isIdempotent) return [];
    const again = subject.executions.find(
      (later) =>
        later.afterSeq > left.seq && isAgain(first, later, left) && !isTwin(subject, left, later),
    );
    if (again === undefined) return [];
    const between = subject.events.filter(({ seq }) => seq > left.seq && seq <= again.afterSeq);
    return between.some((event) => permits(subject, event, first))
      ? []
      : [`execution ${again.number} at ${again.path} comes while event ${left.seq} is in doubt`];
  });
}

/**
 * Members of one visit of a group with the same work are separate effects, even if the group was
 * started again in that visit, over the same items.
 */
function isTwin({ events }: Subject, left: EventOf<'effect:failed'>, later: Execution): boolean {
  const [one, other] = [left.path.split('['), later.path.split('[')];
  const parts = one.findIndex((part, index) => part !== other[index]);
  if (parts < 1) return false;
  const group = one.slice(0, parts).join('[');
  const starts = ofType(events, 'node:started').filter(
    ({ path, seq }) => path === group && seq <= later.afterSeq,
  );
  const before = starts.findLast(({ seq }) => seq < left.seq);
  return starts.every(
    ({ seq, attempt, members }) =>
      seq < left.seq || (attempt > 0 && isDeepStrictEqual(members?.items, before?.members?.items)),
  );
}

function isSamePlace(subject: Subject, one: Execution, other: Execution): boolean {
  if (other.isIdempotent || other.effect.type === 'model') return false;
  if (placeOf(subject, one) !== placeOf(subject, other)) return false;
  const isAgent = nodeAt(subject.plan, one.path)?.node.type === 'agent';
  return !isAgent || one.effect.target === other.effect.target;
}

/** The path without the rounds of supervisors, and with items for the places in a list. */
function placeOf({ plan, events }: Subject, { path, afterSeq }: Execution): string {
  return path.replaceAll(/\[([^\]]*)\]/g, (whole, key: string, at: number) => {
    const group = path.slice(0, at);
    const node = nodeAt(plan, group)?.node;
    if (node?.type === 'supervisor') return '';
    if (node?.type !== 'for_each' || node.keyBy !== undefined) return whole;
    const started = ofType(events.slice(0, afterSeq), 'node:started').findLast(
      (each) => each.path === group,
    );
    return `[${JSON.stringify(started?.members?.items?.[Number(key)] ?? null)}]`;
  });
}
