/**
 * Laws about agents and supervisors: they repeat calls in time, follow their chain, use their
 * tools.
 */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { ModelEntry } from '../../workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { modelRequests } from './model-requests.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import {
  filesAround,
  isInside,
  isType,
  nodeAt,
  ofType,
  type EventOf,
  type Law,
  type Subject,
} from './subject.ts';

export const hintsAreKept: Law = {
  name: 'no model is called again before the time that its provider named',
  promise: 'P2 one owner of retries',
  breaches: (subject) => {
    const requests = modelRequests(subject);
    return requests.flatMap(({ settled }) => {
      if (settled?.type !== 'effect:failed') return [];
      const { error, at, seq, effect } = settled;
      const hintMs = error.provider?.retryAfterMs;
      const isTransient = error.category === 'transient' && error.retryable === true;
      if (hintMs === undefined || !isTransient || error.details?.['scope'] === 'request') return [];
      const untilMs = Date.parse(at) + hintMs;
      return requests
        .filter(
          ({ asked }) =>
            asked.seq > seq &&
            asked.effect.target === effect.target &&
            Date.parse(asked.at) < untilMs &&
            !isHurried(subject, seq, asked.seq),
        )
        .map(
          ({ asked }) => `event ${asked.seq} asks ${effect.target} too early after event ${seq}`,
        );
    });
  },
};

/** A person did not want to wait. */
function isHurried({ events }: Subject, after: number, before: number): boolean {
  return ofType(events.slice(after, before), 'run:resumed').some(({ now }) => now === true);
}

export const chainsAreFollowed: Law = {
  name: 'after a failure that is not transient, only a model is called that the file allows for that failure',
  promise: 'the chain',
  breaches: (subject) => {
    const breaches: string[] = [];
    const failed = new Map<string, EventOf<'effect:failed'>>();
    for (const event of subject.events) {
      // with other words a conversation may start anew
      if (event.type === 'run:resumed' && event.plan !== undefined) failed.clear();
      if (!('path' in event)) continue;
      if (event.type === 'node:started') failed.delete(event.path);
      if (event.type === 'effect:failed' && event.effect.type === 'model')
        failed.set(event.path, event);
      if (event.type === 'effect:succeeded' && event.effect.type === 'model')
        failed.delete(event.path);
      if (event.type !== 'effect:requested' || event.effect.type !== 'model') continue;
      const before = failed.get(event.path);
      if (before !== undefined && !mayFollow(subject.plan, before, event.effect.target))
        breaches.push(
          `event ${event.seq} asks ${event.effect.target} after ${before.error.kind} of ${before.effect.target}`,
        );
    }
    return breaches;
  },
};

function mayFollow(
  plan: WorkflowPlan,
  { error, effect, path, keptBack }: EventOf<'effect:failed'>,
  next: string,
): boolean {
  const { kind } = error;
  const node = nodeAt(plan, path)?.node;
  // a member that was stopped or left out may be called again
  if (kind.startsWith('cancelled.') || keptBack === 'breaker') return true;
  if (error.category === 'transient' && error.retryable === true) return true;
  if (kind === 'provider.quota_exhausted') return next !== effect.target;
  const isRestart = node?.type === 'agent' && node.onPartial === 'restart';
  if (kind === 'provider.stream_interrupted' && isRestart) return true;
  const entry = chainAt(plan, path).findLast(({ model }) => model === next);
  if (entry?.on === undefined) return false;
  return entry.on === 'any' || entry.on.some((pattern) => matchesKind(kind, pattern));
}

function chainAt(plan: WorkflowPlan, path: string): readonly ModelEntry[] {
  const node = nodeAt(plan, path)?.node;
  const own = node?.type === 'agent' || node?.type === 'supervisor' ? node.model : undefined;
  const runtime = filesAround(plan, path).find(({ file }) => file.runtime !== undefined);
  return own ?? runtime?.file.runtime?.defaultModel ?? [];
}

export const nothingIsForgotten: Law = {
  name: 'a model is shown every call that has succeeded since its conversation began',
  promise: 'agents: a conversation is not begun anew',
  breaches: (subject) =>
    subject.executions.flatMap(({ work, path, afterSeq, number }) => {
      if (work.type !== 'model' || nodeAt(subject.plan, path)?.node.type !== 'agent') return [];
      // a judge reads the output alone
      if (work.call.judges === true) return [];
      const since = begunAt(subject.events, path, afterSeq);
      const done = subject.events
        .slice(since, afterSeq)
        .filter(
          (event) =>
            event.type === 'effect:succeeded' &&
            event.effect.type === 'tool' &&
            event.path === path,
        );
      const shown = work.call.messages.filter(({ role }) => role === 'tool').length;
      return shown >= done.length
        ? []
        : [`execution ${number} of ${path} shows ${shown} of ${done.length} results`];
    }),
};

/** Number of the event that started the conversation: a first attempt, or one by a `retry` route. */
function begunAt(events: readonly RunEvent[], path: string, bySeq: number): number {
  const begun = events.slice(0, bySeq).findLast((event) => {
    if (event.type === 'node:retrying') return event.path === path;
    if (event.type !== 'node:started') return false;
    return isInside(path, event.path) || (event.path === path && event.attempt === 0);
  });
  return begun?.seq ?? 0;
}

export const answersFit: Law = {
  name: "an agent completes with a reply of the required form, or with a person's answer",
  promise: 'P5 no silent success',
  breaches: ({ events, plan }) =>
    ofType(events, 'node:completed').flatMap(({ seq, path, output }) => {
      const node = nodeAt(plan, path)?.node;
      if (node?.type !== 'agent') return [];
      const before = events.findLast(
        (event) => event.seq < seq && 'path' in event && event.path === path,
      );
      // a person gave the output, or continued without one
      if (before?.type === 'gate:answered' || before?.type === 'node:skipped') return [];
      if (before?.type === 'effect:failed')
        return before.error.kind === 'provider.stream_interrupted' &&
          node.onPartial === 'keep_partial'
          ? []
          : [`event ${seq} completes ${path} after ${before.error.kind}`];
      const fits =
        node.outputSchema === undefined || checkValue(node.outputSchema, output).length === 0;
      return before?.type === 'effect:succeeded' && before.effect.type === 'model' && fits
        ? []
        : [`event ${seq} completes ${path} with ${JSON.stringify(output)}`];
    }),
};

export const turnsAreCounted: Law = {
  name: 'an agent takes no more turns in an attempt than it has, and writes only the state keys that it may',
  promise: 'limits: max_turns, writes',
  breaches: ({ events, plan }) => {
    const turns = new Map<string, number>();
    // a judge has its own turns for each output that it judges
    const judges = new Set<string>();
    return events.flatMap((event) => {
      if (event.type === 'node:started') {
        turns.set(event.path, 0);
        turns.delete(`judge of ${event.path}`);
      }
      if (event.type === 'effect:requested') {
        if (event.judges === true) judges.add(event.effect.key);
        else turns.delete(`judge of ${event.path}`);
      }
      if (!isType(event, 'effect:succeeded', 'node:completed')) return [];
      const node = nodeAt(plan, event.path)?.node;
      if (node?.type !== 'agent') return [];
      if (event.type === 'node:completed') {
        const written = Object.keys(event.state ?? {}).filter((key) => !node.writes.includes(key));
        return written.map((key) => `event ${event.seq} at ${event.path} writes ${key}`);
      }
      if (event.effect.type !== 'model') return [];
      const name = judges.has(event.effect.key) ? `judge of ${event.path}` : event.path;
      const count = (turns.get(name) ?? 0) + 1;
      turns.set(name, count);
      return count > node.maxTurns
        ? [`event ${event.seq} at ${event.path} is answer ${count}`]
        : [];
    });
  },
};
