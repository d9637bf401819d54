/** P3 and P4: recovery repeats nothing whose result is known, and nothing blindly. */
import type { Execution } from '../world/execution-record.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { isNamed } from '../../workflow/check/routing.ts';
import {
  isInside,
  isType,
  nodeAt,
  ofType,
  routeOf,
  type EventOf,
  type Law,
  type Subject,
} from './subject.ts';

export const nothingRepeated: Law = {
  name: 'an effect is executed only while its request is stored and its result is not',
  promise: 'P3 nothing repeated',
  breaches: ({ events, executions }) =>
    executions.flatMap(({ effect, afterSeq, path, number }) => {
      const latest = events.findLast(
        (event) =>
          event.seq <= afterSeq &&
          isType(event, 'effect:requested', 'effect:succeeded', 'effect:failed') &&
          event.effect.key === effect.key,
      );
      if (latest?.type === 'effect:requested') return [];
      return [
        latest === undefined
          ? `execution ${number} of ${path} was never asked for`
          : `execution ${number} of ${path} came after its result, event ${latest.seq}`,
      ];
    }),
};

export const IN_DOUBT = 'effect.outcome_unknown';

export const nothingBlindly: Law = {
  name: 'an effect with an unknown outcome is repeated only if it is idempotent, or a route or a person says so',
  promise: 'P4 nothing repeated blindly',
  breaches: (subject) => {
    const latest = new Map<string, Execution>();
    const breaches: string[] = [];
    for (const execution of subject.executions) {
      const { effect, path, isIdempotent, number } = execution;
      const before = latest.get(effect.key);
      latest.set(effect.key, execution);
      if (before === undefined || isIdempotent) continue;
      const between = subject.events.filter(
        ({ seq }) => seq > before.afterSeq && seq <= execution.afterSeq,
      );
      if (isKnown(between, effect.key)) continue;
      if (!between.some((event) => permits(subject, event, execution)))
        breaches.push(`${path} was executed again (${number}) while ${before.number} was in doubt`);
    }
    return breaches;
  },
};

export const oneKeyOneAction: Law = {
  name: 'one key is one action: another visit of a node, or of anything around it, has another key, unless a rewind met the action before its end',
  promise: 'P4 nothing repeated blindly',
  breaches: ({ events }) => {
    const visits = new Visits();
    // several where a rewind took a key over: a retry around them may come back to the first
    const actions = new Map<string, Set<string>>();
    const breaches: string[] = [];
    const retried = new Set<string>();
    const unended = new UnendedKeys();
    for (const event of events) {
      unended.note(event);
      if (event.type === 'node:retrying') retried.add(event.path);
      if (event.type === 'node:started') {
        // inner scopes are kept, unless a route starts them anew
        const isAnew = event.attempt === 0 || retried.delete(event.path);
        visits.start(event.path, event.attempt, isAnew);
      }
      if (event.type !== 'effect:requested') continue;
      const action = visits.of(event.path);
      const { key } = event.effect;
      const before = actions.get(key) ?? new Set([action]);
      actions.set(key, before);
      if (before.has(action)) continue;
      if (!unended.takesOver(key))
        breaches.push(
          `event ${event.seq} at ${event.path} has the key of ${[...before].join(' and ')} in ${action}`,
        );
      before.add(action);
    }
    return breaches;
  },
};

/** Keys of effects that were not known to have ended when the run was rewound. */
class UnendedKeys {
  readonly #open = new Set<string>();
  readonly #rewound = new Set<string>();

  note(event: RunEvent): void {
    if (event.type === 'run:resumed' && event.from !== undefined)
      for (const key of this.#open) this.#rewound.add(key);
    if (event.type === 'effect:requested') this.#open.add(event.effect.key);
    if (isType(event, 'effect:succeeded', 'effect:failed') && isKnown([event], event.effect.key))
      this.#open.delete(event.effect.key);
  }

  /** True once: from then on it is the key of the visit that has taken it over. */
  takesOver(key: string): boolean {
    return this.#rewound.delete(key);
  }
}

export const keysAreKept: Law = {
  name: 'an effect that is not known to have ended is repeated under the same key after a rewind',
  promise: 'P4 nothing repeated blindly',
  breaches: ({ events, executions, plan }) => {
    const latest = new Map<string, Execution>();
    const all = new Map<string, Execution[]>();
    return executions.flatMap((execution) => {
      const { effect, path, work, afterSeq, number } = execution;
      // both may be repeated at any time
      if (work.type === 'model' || work.type === 'transform') return [];
      if (nodeAt(plan, path)?.node.type === 'agent') return [];
      const action = JSON.stringify([path, work]);
      const before = latest.get(action);
      latest.set(action, execution);
      const earlier = all.get(action) ?? [];
      all.set(action, [...earlier, execution]);
      if (before === undefined) return [];
      const since = (each: Execution): readonly RunEvent[] =>
        events.filter(({ seq }) => seq > each.afterSeq && seq <= afterSeq);
      // several visits may have left the same action open: they are repeated in their order
      const isOwn = earlier.some(
        (each) =>
          each.effect.key === effect.key && (each === before || !isKnown(since(each), effect.key)),
      );
      if (isOwn) return [];
      const between = since(before);
      const isRewound = ofType(between, 'run:resumed').some(({ from }) => from !== undefined);
      const isSettled = ofType(between, 'gate:answered').some(
        ({ value }) => value !== 'repeat' && value !== 'retry',
      );
      if (!isRewound || isSettled || isKnown(between, before.effect.key)) return [];
      return [
        `execution ${number} of ${path} has another key than ${before.number}, which may have happened`,
      ];
    });
  },
};

/** How often each node was entered since its enclosing node was last started. */
class Visits {
  readonly #counts = new Map<string, number>();

  start(path: string, attempt: number, isAnew: boolean): void {
    for (const inner of this.#counts.keys())
      if (isAnew && isInside(inner, path)) this.#counts.delete(inner);
    const count = this.#counts.get(path) ?? 0;
    // a re-run is the same visit
    this.#counts.set(path, attempt === 0 ? count + 1 : Math.max(1, count));
  }

  of(path: string): string {
    const around = [...this.#counts].filter(([each]) => each === path || isInside(path, each));
    return around
      .sort(([one], [other]) => one.length - other.length)
      .map(([each, count]) => `${each} #${count}`)
      .join(', ');
  }
}

/** In a conversation an answer is about one call, and about no other. */
function isAskedAbout(
  { events, plan }: Subject,
  { gate, seq, value }: EventOf<'gate:answered'>,
  { effect, path }: Execution,
): boolean {
  if (nodeAt(plan, path)?.node.type !== 'agent' || value === 'skip') return true;
  const opened = ofType(events.slice(0, seq), 'gate:opened').findLast((each) => each.gate === gate);
  return opened?.path !== path || opened.inDoubt?.key === effect.key;
}

export const doneIsDone: Law = {
  name: "an agent's call that succeeded and is not idempotent is never executed again under its key",
  promise: 'P3 nothing repeated',
  breaches: ({ events, executions, plan }) =>
    executions.flatMap(({ effect, afterSeq, path, number, isIdempotent }) => {
      if (effect.type !== 'tool' || isIdempotent) return [];
      if (nodeAt(plan, path)?.node.type !== 'agent') return [];
      const before = events.slice(0, afterSeq);
      const isRetried = (seq: number): boolean =>
        before.slice(seq).some((event) => event.type === 'node:retrying' && event.path === path);
      const done = ofType(before, 'effect:succeeded', 'effect:failed').find((event) => {
        if (event.effect.key !== effect.key) return false;
        // a result that was refused counts too; only the tool's own retry makes such a call again
        return (
          event.type === 'effect:succeeded' || (event.unusable === true && isRetried(event.seq))
        );
      });
      return done === undefined
        ? []
        : [`execution ${number} of ${path} does again what event ${done.seq} has done`];
    }),
};

export const refusedIsChecked: Law = {
  name: 'an effect whose output was refused is executed again only if the output would still be refused, or a route or a rewind says so',
  promise: 'P3 nothing repeated',
  breaches: ({ events, executions, plan }) =>
    executions.flatMap(({ effect, afterSeq, path, number, isIdempotent, isRechecked }) => {
      if (isIdempotent || isRechecked || nodeAt(plan, path)?.node.type === 'agent') return [];
      const before = events.slice(0, afterSeq);
      const latest = ofType(before, 'effect:succeeded', 'effect:failed').findLast(
        (event) => event.effect.key === effect.key,
      );
      if (latest?.type !== 'effect:failed' || latest.unusable !== true) return [];
      const since = before.slice(latest.seq);
      // a tool's own retry comes before its node fails
      const isOver = since.some((event) => event.type === 'node:failed' && event.path === path);
      const isOrdered = since.some(
        (event) =>
          (event.type === 'run:resumed' && event.from !== undefined) ||
          (event.type === 'node:retrying' && (event.path === path || isInside(path, event.path))) ||
          // a person who lets the enclosing sub-workflow or group run again orders everything in it
          (event.type === 'gate:answered' && isInside(path, event.path)),
      );
      return isOver && !isOrdered
        ? [`execution ${number} of ${path} does again what event ${latest.seq} has done`]
        : [];
    }),
};

export const resultsAreKept: Law = {
  name: 'an effect that succeeded is executed again only if a route, a person or a rewind says so',
  promise: 'P3 nothing repeated',
  breaches: ({ events, executions }) =>
    executions.flatMap(({ effect, afterSeq, path, number, isIdempotent }) => {
      if (effect.type === 'model' || isIdempotent) return [];
      const before = events.filter(({ seq }) => seq <= afterSeq);
      const done = ofType(before, 'effect:succeeded').findLast(
        (event) => event.effect.key === effect.key,
      );
      if (done === undefined) return [];
      const since = before.filter(({ seq }) => seq > done.seq);
      return since.some((event) => runsAgain(event, path, since))
        ? []
        : [`execution ${number} of ${path} does again what event ${done.seq} has done`];
    }),
};

/**
 * An order to run the node at this path again. A retry of an enclosing node is one. A park or an
 * answer at an enclosing node is one only if this node has failed, because they keep completed
 * work.
 */
function runsAgain(event: RunEvent, path: string, since: readonly RunEvent[]): boolean {
  if (event.type === 'run:resumed') return event.from !== undefined;
  if (event.type === 'node:retrying') return event.path === path || isInside(path, event.path);
  const isOrder =
    event.type === 'gate:answered' || (event.type === 'route:taken' && event.move === 'park');
  if (!isOrder) return false;
  const hasFailed = ofType(since, 'node:failed').some((each) => each.path === path);
  return event.path === path || (hasFailed && isInside(path, event.path));
}

/** A result of the earlier execution is in the log, and its outcome is known. */
function isKnown(between: readonly RunEvent[], key: string): boolean {
  return between.some((event) => {
    if (!isType(event, 'effect:succeeded', 'effect:failed') || event.effect.key !== key)
      return false;
    return event.type === 'effect:succeeded' || event.error.outcome !== 'unknown';
  });
}

/**
 * Whether the decision is about this effect, wherever it is made: the failure there names the
 * effect.
 */
function isAbout(
  { events }: Subject,
  { seq, path }: EventOf<'gate:answered' | 'route:taken'>,
  key: string,
): boolean {
  const failed = ofType(events.slice(0, seq), 'node:failed').findLast((each) => each.path === path);
  return failed?.error.details?.['idempotency_key'] === key;
}

export function permits(subject: Subject, event: RunEvent, execution: Execution): boolean {
  const { plan } = subject;
  const { path, effect } = execution;
  if (event.type !== 'gate:answered' && event.type !== 'route:taken') return false;
  const isAround = event.path === path || isInside(path, event.path);
  if (!isAround && !isAbout(subject, event, effect.key)) return false;
  // an answer that names the result, or skips it, settles it; `abort` leaves it open
  if (event.type === 'gate:answered')
    return event.value !== 'abort' && isAskedAbout(subject, event, execution);
  if (event.kind !== IN_DOUBT) return false;
  const route = routeOf(plan, event);
  return route !== undefined && isNamed(route, IN_DOUBT);
}
