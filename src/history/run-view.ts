/**
 * The one reducer of a run: a view and an event give the next view. The server makes with it what it
 * serves, and the page what it shows, each from where it is. Reports in the events are as people see them
 * (`forPerson`): what comes in is shown as it is.
 */
import { isPlainObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { scopeIdOf } from '../machine/state/plan-lookup.ts';
import { END } from '../workflow/plan/route.ts';
import { NO_ITEMS, renameBar } from './run-view/bars.ts';
import { beginCall, endCall, NO_COSTS, sendBack } from './run-view/costs.ts';
import { nextStep, routeOf, waiting, type NodeEvent } from './run-view/in-node.ts';
import { isSentBack, type LedgerRow } from './run-view/ledger-row.ts';
import { Places } from './run-view/places.ts';
import { putStep, stepAt, stepAround, stopInside } from './run-view/steps.ts';
import type { Leg, RunView, StepView, ViewedRunFacts, ViewNote } from './run-view/view.ts';

/** Text of a model while it comes, and that it was taken back. Neither is stored. */
export type LiveEvent =
  | {
      readonly type: 'chunk';
      readonly path: string;
      readonly attempt: number;
      readonly text: string;
    }
  | { readonly type: 'chunk.retracted'; readonly path: string; readonly attempt: number };

export type ViewEvent = RunEvent | LiveEvent;

/** A run of which no event is known yet. */
export function beginView({ input = null, ...facts }: ViewedRunFacts): RunView {
  return {
    ...facts,
    seq: 0,
    status: 'running',
    at: facts.startedAt,
    legs: [],
    input,
    steps: NO_ITEMS,
    places: Places.of([]),
    open: 0,
    routes: NO_ITEMS,
    gates: [],
    answers: NO_ITEMS,
    costs: NO_COSTS,
    notes: NO_ITEMS,
  };
}

export function foldView(view: RunView, events: Iterable<ViewEvent>): RunView {
  let folded = view;
  for (const event of events) folded = reduceView(folded, event);
  return folded;
}

/** An event that the view has already changes nothing, so a stream may repeat itself. */
export function reduceView(view: RunView, event: ViewEvent): RunView {
  if (event.type === 'chunk' || event.type === 'chunk.retracted') return withText(view, event);
  if (event.seq <= view.seq) return view;
  const next = 'path' in event ? inNode(goingOn(view, event), event) : inRun(view, event);
  return { ...next, seq: event.seq, at: event.at };
}

function withText(view: RunView, event: LiveEvent): RunView {
  const step = stepAt(view, event.path);
  if (step === undefined) return view;
  const { live, ...rest } = step;
  if (event.type === 'chunk.retracted')
    return live?.attempt === event.attempt ? putStep(view, rest) : view;
  const before = live?.attempt === event.attempt ? live.text : '';
  return putStep(view, { ...rest, live: { attempt: event.attempt, text: before + event.text } });
}

/** An answer or a time that has come ends a pause without an event of its own. */
function goingOn(view: RunView, { at, seq }: NodeEvent): RunView {
  if (view.status !== 'paused') return view;
  const { waiting: _waiting, ...rest } = view;
  const leg: Leg = { from: at, cause: 'resumed', seq };
  return { ...rest, status: 'running', legs: [...view.legs, leg] };
}

type OfRun = Exclude<RunEvent, NodeEvent>;

function inRun(view: RunView, event: OfRun): RunView {
  switch (event.type) {
    case 'run:started':
      return {
        ...view,
        workflow: event.workflow,
        startedAt: event.at,
        input: view.input ?? event.input,
        legs: [{ from: event.at, cause: 'started', seq: event.seq }],
      };
    case 'run:resumed':
      return resumed(view, event);
    case 'run:paused':
      return paused(endLeg(view, event.at), event);
    case 'run:completed':
      return { ...ended(view, event), status: 'completed', output: event.output };
    case 'run:failed': {
      const { error, output } = event;
      const over = ended(view, event);
      return { ...over, status: 'failed', error, ...(output === undefined ? {} : { output }) };
    }
    case 'run:cancelled': {
      const { by, reason } = event;
      const cancelled = { by, ...(reason === undefined ? {} : { reason }) };
      return { ...ended(view, event), status: 'cancelled', cancelled };
    }
    case 'breaker:changed':
    case 'budget:warning':
    case 'budget:paused':
    case 'error:suppressed':
      return { ...view, notes: view.notes.add(noteOf(event)) };
  }
}

function ended(view: RunView, { at }: OfRun): RunView {
  const { waiting: _waiting, ...rest } = stopInside(endLeg(view, at), '', at);
  return { ...rest, endedAt: at };
}

/** Where no process had the run for a while, the leg before ended with its last event. */
function resumed(view: RunView, event: Extract<OfRun, { type: 'run:resumed' }>): RunView {
  const { waiting: _waiting, error: _error, output: _output, ...kept } = endLeg(view, view.at);
  const { cancelled: _cancelled, endedAt: _endedAt, ...rest } = kept;
  const { at, seq, by, input } = event;
  return {
    ...rest,
    status: 'running',
    input: input === undefined ? view.input : joined(view.input, input),
    legs: [...rest.legs, { from: at, cause: 'resumed', by, seq }],
  };
}

function joined(before: JsonValue, change: JsonValue): JsonValue {
  return isPlainObject(before) && isPlainObject(change) ? { ...before, ...change } : change;
}

function endLeg(view: RunView, at: string): RunView {
  const last = view.legs.at(-1);
  if (last === undefined || last.to !== undefined) return view;
  return { ...view, legs: view.legs.with(-1, { ...last, to: at }) };
}

function paused(view: RunView, event: Extract<OfRun, { type: 'run:paused' }>): RunView {
  let next: RunView = { ...view, status: 'paused', waiting: event.waiting };
  for (const { path = '', reason, until } of event.waiting.all) {
    const step = stepAt(next, path);
    if (step === undefined) continue;
    const kind = reason === 'time' ? 'wait' : 'person';
    const isBackoff = reason === 'time' && step.bars.at(-1)?.kind === 'backoff';
    next = putStep(next, isBackoff ? waiting(step) : renameBar(waiting(step), kind, until));
  }
  return next;
}

function noteOf(
  event: Extract<
    OfRun,
    { type: 'breaker:changed' | 'budget:warning' | 'budget:paused' | 'error:suppressed' }
  >,
): ViewNote {
  const { seq, at } = event;
  switch (event.type) {
    case 'breaker:changed':
      return {
        seq,
        at,
        type: 'breaker',
        text: `The breaker of ${event.target} went from ${event.from} to ${event.to}`,
      };
    case 'budget:warning':
    case 'budget:paused': {
      const { limit, spent, unit, holder } = event;
      const whose = holder === '' ? 'the run' : holder;
      const amounts = `${spent} of ${limit} ${unit === 'usd' ? 'micro-dollars' : 'tokens'}`;
      return { seq, at, type: 'budget', text: `The budget of ${whose} is spent: ${amounts}` };
    }
    case 'error:suppressed': {
      const type = event.isWarning === true ? 'warning' : 'suppressed';
      return { seq, at, type, text: event.reason, error: event.error };
    }
  }
}

function inNode(view: RunView, event: NodeEvent): RunView {
  const { costs, row } = nextCosts(view, event);
  const before = stepAt(view, event.path);
  const around = { row, rows: costs.rows.length };
  const step = nextStep(before, event, around);
  const noted = withGates(withRoute({ ...view, costs }, event), event);
  if (step === undefined) return noted;
  const placed = putStep(uncounted(noted, before, event), step);
  const counted = event.type === 'route:taken' ? countMember(placed, event) : placed;
  const isOver = step.endedAt !== undefined && before?.endedAt !== step.endedAt;
  return isOver && step.holds ? stopInside(counted, step.path, event.at) : counted;
}

function nextCosts(
  view: RunView,
  event: NodeEvent,
): { readonly costs: RunView['costs']; readonly row: LedgerRow | undefined } {
  const answer = isSentBack(event) ? stepAt(view, event.path)?.answerRow : undefined;
  const costs = answer === undefined ? view.costs : sendBack(view.costs, answer);
  switch (event.type) {
    case 'effect:requested':
      return { costs: beginCall(costs, event), row: undefined };
    case 'effect:succeeded':
    case 'effect:failed':
      return endCall(costs, event);
    default:
      return { costs, row: undefined };
  }
}

function withRoute(view: RunView, event: NodeEvent): RunView {
  return event.type === 'route:taken' ? { ...view, routes: view.routes.add(routeOf(event)) } : view;
}

function withGates(view: RunView, event: NodeEvent): RunView {
  switch (event.type) {
    case 'gate:opened': {
      const { gate, node, path, seq, at, prompt, options, promptFor, deadline, budget } = event;
      const opened = {
        gate,
        node,
        path,
        seq,
        openedAt: at,
        prompt,
        options,
        ...(promptFor === undefined ? {} : { promptFor }),
        ...(deadline === undefined ? {} : { deadline }),
        ...(budget === undefined ? {} : { budget: { limit: budget.limit, unit: budget.unit } }),
      };
      return { ...view, gates: [...without(view, gate), opened] };
    }
    case 'gate:answered': {
      const { gate, path, at, seq, value, by } = event;
      const answers = view.answers.add({ gate, path, at, seq, value, by });
      return { ...view, gates: without(view, gate), answers };
    }
    case 'gate:expired': {
      const { gate, path, at, seq } = event;
      const answers = view.answers.add({ gate, path, at, seq });
      return { ...view, gates: without(view, gate), answers };
    }
    case 'node:started': {
      const gates = view.gates.filter(({ path }) => path !== event.path);
      return gates.length === view.gates.length ? view : { ...view, gates };
    }
    default:
      return view;
  }
}

function without({ gates }: RunView, gate: string): RunView['gates'] {
  return gates.filter((open) => open.gate !== gate);
}

/** A branch has ended when a route of it leads to `$end`, or a failure propagates out of it. */
function countMember(view: RunView, event: Extract<NodeEvent, { type: 'route:taken' }>): RunView {
  const step = stepAt(view, event.path);
  const isBranch = scopeIdOf(event.path, event.node).endsWith(']');
  if (step === undefined || !isBranch) return view;
  const counted = event.to === END ? 'succeeded' : undefined;
  const how = event.move === 'propagate' ? 'failed' : counted;
  return how === undefined
    ? view
    : addMember(putStep(view, { ...step, counted: how }), step, how, 1);
}

/** A member that starts again has not ended. */
function uncounted(view: RunView, before: StepView | undefined, { type }: NodeEvent): RunView {
  if (type !== 'node:started' || before?.counted === undefined) return view;
  return addMember(view, before, before.counted, -1);
}

function addMember(
  view: RunView,
  member: StepView,
  how: 'succeeded' | 'failed',
  change: number,
): RunView {
  const group = stepAround(view, member);
  if (group?.members === undefined) return view;
  const members = { ...group.members, [how]: Math.max(0, group.members[how] + change) };
  return putStep(view, { ...group, members });
}
