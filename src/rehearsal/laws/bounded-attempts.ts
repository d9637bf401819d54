/** P2: the attempts never exceed the bound that `errand validate` prints before the run. */
import type { RunEvent } from '../../machine/state/events.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { isType, nodeAt, ofType, type EventOf, type Law } from './subject.ts';

export const withinWorstCase: Law = {
  name: 'a run requests no more effects than the printed worst case',
  promise: 'P2 one owner of retries',
  breaches: ({ events, plan, worstCase }) => {
    const { effects } = worstCase;
    if (effects === null || isResumedAfterEnd(events) || isAgentRepeated(events, plan)) return [];
    // a call that a guard refused was not made, and is requested again if a person approves
    const turnedBack = ofType(events, 'effect:failed').filter(
      ({ path, keptBack }) => nodeAt(plan, path)?.node.type === 'tool' && keptBack === 'guard',
    ).length;
    const asked = countAsked(events) - turnedBack;
    // repetitions that a person orders beyond the file do not count
    const ordered = ofType(events, 'gate:answered').filter(
      ({ value }) => value === 'repeat' || value === 'retry',
    ).length;
    return asked - ordered <= effects
      ? []
      : [`${asked} effects were asked for, ${ordered} by a person; the bound is ${effects}`];
  },
};

export const withinModelRequests: Law = {
  name: 'a leg sends no more requests to models than the bound that was printed and stored for it',
  promise: 'P2 one owner of retries',
  breaches: ({ events, plan, worstCase }) => {
    const breaches: string[] = [];
    let bound: number | null = null;
    let sent = 0;
    for (const event of events) {
      if (isType(event, 'run:started', 'run:resumed')) {
        const stored = event.bound?.modelRequests;
        if (event.type === 'run:started' && stored !== worstCase.modelRequests)
          breaches.push(
            `${String(stored)} is stored; ${String(worstCase.modelRequests)} was printed`,
          );
        bound = stored === undefined ? bound : stored;
        sent = 0;
      }
      if (!isType(event, 'effect:requested', 'effect:failed') || event.effect.type !== 'model')
        continue;
      // a call that was lost with its process and is repeated is a request of this leg
      if (event.type === 'effect:requested') sent++;
      else if (isKeptBack(event)) sent--;
      if (bound !== null && sent > bound)
        breaches.push(`event ${event.seq} is request ${sent} of its leg; the bound is ${bound}`);
    }
    // the bound must be right by itself, without holding anything back
    for (const { seq, error } of ofType(events, 'run:failed'))
      if (error.kind === 'limit.requests' && !isAgentRepeated(events, plan))
        breaches.push(`event ${seq} ends a leg for want of requests`);
    return breaches;
  },
};

export const withinMaxRetries: Law = {
  name: 'a run retries nodes no more often than max_retries allows',
  promise: 'P2 one owner of retries',
  breaches: ({ events, plan }) => {
    const limit = plan.limits.maxRetries;
    const retried = ofType(events, 'node:retrying').length;
    return limit === undefined || retried <= limit
      ? []
      : [`${retried} re-runs where max_retries is ${limit}`];
  },
};

export const onePerRequest: Law = {
  name: 'one request is executed at most once',
  promise: 'P2 one owner of retries',
  breaches: ({ events, executions }) => {
    const requests = ofType(events, 'effect:requested');
    const counts = new Map<number, number>();
    return executions.flatMap(({ effect, afterSeq, path }) => {
      const request = requests.findLast(
        ({ seq, effect: { key } }) => seq <= afterSeq && key === effect.key,
      );
      // another law covers executions without a request
      if (request === undefined) return [];
      const count = (counts.get(request.seq) ?? 0) + 1;
      counts.set(request.seq, count);
      return count === 2 ? [`request ${request.seq} of ${path} was executed again`] : [];
    });
  },
};

/** A call that is repeated because its process died is the same attempt of the workflow. */
function countAsked(events: readonly RunEvent[]): number {
  const open = new Set<string>();
  let count = 0;
  for (const event of events) {
    if (!isType(event, 'effect:requested', 'effect:succeeded', 'effect:failed')) continue;
    const { key } = event.effect;
    // an open breaker keeps it back: no request, no attempt
    if (event.type === 'effect:failed' && (isKeptBack(event) || isLost(event))) count--;
    if (event.type !== 'effect:requested') open.delete(key);
    else if (!open.has(key)) count++;
    if (event.type === 'effect:requested') open.add(key);
  }
  return count;
}

/** By the breaker of the engine; a model or a function that fails with its kind was called. */
function isKeptBack({ keptBack }: EventOf<'effect:failed'>): boolean {
  return keptBack === 'breaker';
}

/** Lost with its process, and requested again later or with a changed text. */
function isLost({ error }: EventOf<'effect:failed'>): boolean {
  return error.kind.startsWith('cancelled.') && error.outcome === 'unknown';
}

/** When a person resumes an ended run, or rewinds it, it begins again without a printed bound. */
function isResumedAfterEnd(events: readonly RunEvent[]): boolean {
  if (ofType(events, 'run:resumed').some(({ from }) => from !== undefined)) return true;
  const failed = events.findIndex(({ type }) => type === 'run:failed');
  return failed >= 0 && events.slice(failed).some(({ type }) => type === 'run:resumed');
}

/** A person's answer makes the agent repeat a whole conversation. */
function isAgentRepeated(events: readonly RunEvent[], plan: WorkflowPlan): boolean {
  return ofType(events, 'gate:answered').some(
    ({ value, path }) =>
      (value === 'repeat' || value === 'retry') && nodeAt(plan, path)?.node.type === 'agent',
  );
}
