/** Folds an event of a node into its step. */
import type { PersonReport } from '../../errors/report/audiences.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { beginBar, beginTry, changeTry, endBar, endTry, openBar } from './bars.ts';
import { callOf, withAnswer } from './call-costs.ts';
import { newStep } from './steps.ts';
import type { LedgerRow } from './ledger-row.ts';
import type { StepFailure, StepView, TakenRoute } from './view.ts';

export type NodeEvent = Extract<RunEvent, { path: string }>;
type Of<T extends NodeEvent['type']> = Extract<NodeEvent, { type: T }>;

/** Facts of an event that the rest of the view knows. */
export interface Around {
  /** The row of the call that has ended with it. */
  readonly row: LedgerRow | undefined;
  /** How many rows there are with it. */
  readonly rows: number;
}

/** Undefined where the event leaves no trace: what never started has no step. */
export function nextStep(
  before: StepView | undefined,
  event: NodeEvent,
  around: Around,
): StepView | undefined {
  const step = changed(before, event, around);
  if (step === undefined) return undefined;
  if (step === before) return { ...step, lastSeq: event.seq };
  // made just now, so nobody else has it yet
  const made: { -readonly [K in keyof StepView]: StepView[K] } = step;
  made.lastSeq = event.seq;
  return made;
}

function changed(
  before: StepView | undefined,
  event: NodeEvent,
  around: Around,
): StepView | undefined {
  switch (event.type) {
    case 'node:started':
      return started(before ?? newStep(event, event), event);
    case 'node:completed':
      return completed(before ?? newStep(event, event), event);
    case 'node:failed':
      return failed(before ?? newStep(event, event), event);
    case 'node:skipped': {
      const ended = endTry(before ?? newStep(event, event), 'skipped', event);
      return finished(handled(ended), 'skipped', event.at);
    }
    case 'node:retrying': {
      const until = laterBy(event.at, event.delayMs);
      return before && beginBar(waiting(before), 'backoff', { at: event.at, until });
    }
    case 'gate:opened':
      return before && beginBar(waiting(before), 'person', { at: event.at, until: event.deadline });
    case 'gate:answered':
    case 'gate:expired':
      return before && answered(before, event.at);
    case 'route:taken':
      return before && routed(before, event);
    case 'effect:requested':
      return before && called(before, event);
    case 'effect:succeeded':
    case 'effect:failed':
      return before && returned(before, event, around);
    case 'child:started':
      return before && { ...before, holds: true, child: event.workflow };
    case 'child:ended':
      return before;
  }
}

function started(step: StepView, event: Of<'node:started'>): StepView {
  const { at, seq, attempt, members } = event;
  const begun = beginTry(
    {
      ...handled(step),
      // it begins anew
      error: undefined,
      endedAt: undefined,
      live: undefined,
      counted: undefined,
      status: 'running',
      attempts: step.attempts + 1,
      pending: [],
    },
    { attempt, startedAt: at, seq, calls: 0, costUsdMicros: 0 },
  );
  const counts = { all: members?.keys.length ?? 0, succeeded: 0, failed: 0 };
  return beginBar(
    members === undefined ? begun : { ...begun, holds: true, members: counts },
    'work',
    { at },
  );
}

function completed(step: StepView, { at }: Of<'node:completed'>): StepView {
  // a person who skips a node lets it count as completed
  if (step.status === 'skipped') return finished(step, 'skipped', at);
  return finished(withoutError(handled(endTry(step, 'completed', { at }))), 'completed', at);
}

function failed(step: StepView, { at, seq, error }: Of<'node:failed'>): StepView {
  const ended = endTry(step, 'failed', { at, error });
  return finished(
    { ...withFailure(ended, { seq, at, layer: 'node', error }), error },
    'failed',
    at,
  );
}

function finished(step: StepView, status: StepView['status'], at: string): StepView {
  return { ...withoutText(endBar(step, at)), status, endedAt: at, pending: [] };
}

/** A node that failed and waits for a retry or an answer has not ended. */
export function waiting(step: StepView): StepView {
  return { ...step, status: 'waiting', endedAt: undefined };
}

/** A node whose failure or wait is over, because something inside it runs again. */
export function runInside(step: StepView, at: string): StepView {
  return beginBar({ ...withoutError(handled(step)), status: 'running' }, 'work', { at });
}

function answered(step: StepView, at: string): StepView {
  return step.status === 'waiting'
    ? beginBar({ ...step, status: 'running' }, 'work', { at })
    : step;
}

function routed(step: StepView, event: Of<'route:taken'>): StepView {
  const route = routeOf(event);
  const { at, move, until, bucket } = event;
  const last = step.failures.length - 1;
  const open = bucket === 'success' ? undefined : step.failures.at(last);
  const noted =
    open === undefined
      ? step
      : {
          ...step,
          failures: step.failures.with(last, {
            ...open,
            route,
            fate: move === 'to' ? ('handled' as const) : open.fate,
          }),
        };
  // the person did not resolve the failure, or no one could be asked
  const over =
    step.error !== undefined && step.status === 'running' ? finished(noted, 'failed', at) : noted;
  return move === 'park'
    ? beginBar(over, until === undefined ? 'person' : 'wait', { at, until })
    : over;
}

export function routeOf(event: Of<'route:taken'>): TakenRoute {
  const { seq, at, node, path, move, to, rule, bucket, kind, until } = event;
  return {
    seq,
    at,
    count: 1,
    node,
    path,
    move,
    bucket,
    ...(to === undefined ? {} : { to }),
    ...(rule === undefined ? {} : { rule }),
    ...(kind === undefined ? {} : { kind }),
    ...(until === undefined ? {} : { until }),
  };
}

function called(step: StepView, event: Of<'effect:requested'>): StepView {
  const call = callOf(event);
  const others = step.pending.filter(({ key }) => key !== call.key);
  const calling = {
    ...withoutText(handled(step)),
    target: call.target,
    pending: [...others, call],
  };
  return openBar(step)?.kind === 'backoff' ? beginBar(calling, 'work', event) : calling;
}

/** A failed call with nothing under way beside it: the node waits for the next one, or fails. */
function returned(
  step: StepView,
  event: Of<'effect:succeeded' | 'effect:failed'>,
  { row, rows }: Around,
): StepView {
  const pending = step.pending.filter(({ key }) => key !== event.effect.key);
  const counted = withCost({ ...withoutText(step), pending }, row);
  const isVerdict = step.pending.some(
    ({ key, judges }) => key === event.effect.key && judges === true,
  );
  const noted = row === undefined ? counted : withAnswer(counted, event, { rows, isVerdict });
  if (event.type === 'effect:succeeded') return handled(noted);
  const { seq, at, error, effect, costUsdMicros } = event;
  const next = withFailure(noted, {
    seq,
    at,
    layer: 'call',
    target: effect.target,
    ...(costUsdMicros === undefined ? {} : { costUsdMicros }),
    error,
  });
  const isIdle = pending.length === 0 && openBar(next)?.kind === 'work';
  return isIdle ? beginBar(next, 'backoff', { at }) : next;
}

function withCost(step: StepView, row: LedgerRow | undefined): StepView {
  if (row === undefined) return step;
  const { costUsdMicros, inputTokens, outputTokens } = row;
  const latest = step.tries.at(-1);
  const spent = {
    calls: (latest?.calls ?? 0) + 1,
    costUsdMicros: (latest?.costUsdMicros ?? 0) + costUsdMicros,
  };
  return {
    ...changeTry(step, spent),
    calls: step.calls + 1,
    costUsdMicros: step.costUsdMicros + costUsdMicros,
    tokens: step.tokens + inputTokens + outputTokens,
  };
}

/** A new failure replaces the earlier one: that of its call, or of an earlier try. */
function withFailure(
  step: StepView,
  failure: Omit<StepFailure, 'inTry' | 'fate' | 'error'> & { readonly error: PersonReport },
): StepView {
  const { failures } = handled(step);
  const inTry = Math.max(0, step.tries.length - 1);
  return { ...step, failures: failures.add({ ...failure, inTry, fate: 'open' }) };
}

/** The step continues, so its latest failure was handled. */
function handled(step: StepView): StepView {
  const last = step.failures.at(-1);
  if (last?.fate !== 'open') return step;
  const failures = step.failures.with(step.failures.length - 1, { ...last, fate: 'handled' });
  return { ...step, failures };
}

function withoutText(step: StepView): StepView {
  return step.live === undefined ? step : { ...step, live: undefined };
}

function withoutError(step: StepView): StepView {
  return step.error === undefined ? step : { ...step, error: undefined };
}

function laterBy(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}
