/**
 * The one reducer of a run: a view and an event give the next view. The server uses it for its
 * answers and the page for its display. Reports in the events are as people see them (`forPerson`),
 * and are shown as they come.
 */
import { usdWords } from '../errors/render/money.ts';
import { isPlainObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { boxIdOf } from './graph-layout/layout.ts';
import { NO_ITEMS, renameBar } from './run-view/bars.ts';
import { beginCall, endCall, NO_COSTS, sendBack } from './run-view/call-costs.ts';
import { nextStep, routeOf, waiting, type NodeEvent } from './run-view/in-node.ts';
import { isRefused, isSentBack, type LedgerRow } from './run-view/ledger-row.ts';
import { countMember, reopenMembers, uncountMember } from './run-view/group-members.ts';
import { Places } from './run-view/places.ts';
import { rewind } from './run-view/rewind.ts';
import { putStep, stepAt, stopInside, type Draft } from './run-view/steps.ts';
import type {
  Leg,
  OpenGate,
  RunView,
  TakenRoute,
  ViewedRunFacts,
  ViewNote,
} from './run-view/view.ts';

/** Text of a model as it streams, or that it was taken back. Neither is stored. */
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
    routes: [],
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

/** An event that the view already has changes nothing, so a stream may repeat itself. */
export function reduceView(view: RunView, event: ViewEvent): RunView {
  if (event.type === 'chunk' || event.type === 'chunk.retracted') return withText(view, event);
  if (event.seq <= view.seq) return view;
  const next: Draft = { ...view, seq: event.seq, at: event.at };
  if (!('path' in event)) return inRun(next, event, view.at);
  const running = afterPause(next, event);
  inNode(running, event);
  return running;
}

function withText(view: RunView, event: LiveEvent): RunView {
  const step = stepAt(view, event.path);
  if (step === undefined) return view;
  const { live } = step;
  const isSame = live?.attempt === event.attempt;
  if (event.type === 'chunk.retracted' && !isSame) return view;
  const next: Draft = { ...view };
  if (event.type === 'chunk.retracted') putStep(next, { ...step, live: undefined });
  else {
    const text = (isSame ? live.text : '') + event.text;
    putStep(next, { ...step, live: { attempt: event.attempt, text } });
  }
  return next;
}

/** An answer, or a time that has come, ends a pause without an event of its own. */
function afterPause(view: Draft, { at, seq }: NodeEvent): Draft {
  if (view.status !== 'paused') return view;
  const { waiting: _waiting, ...rest } = view;
  const leg: Leg = { from: at, cause: 'resumed', seq };
  return { ...rest, status: 'running', legs: [...view.legs, leg] };
}

type OfRun = Exclude<RunEvent, NodeEvent>;

/** `lastAt`: when the event before it came. */
function inRun(view: Draft, event: OfRun, lastAt: string): RunView {
  switch (event.type) {
    case 'run:started':
      return {
        ...view,
        workflow: event.workflow,
        startedAt: event.at,
        input: view.input ?? event.input,
        ...traced(event),
        legs: [{ from: event.at, cause: 'started', seq: event.seq }],
      };
    case 'run:resumed':
      return resumed(view, event, lastAt);
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

function ended(view: Draft, { at }: OfRun): RunView {
  const { waiting: _waiting, ...rest } = endLeg(view, at);
  const over: Draft = { ...rest, endedAt: at };
  stopInside(over, '', at);
  return over;
}

/** If no process had the run for a while, the leg before ended with its last event. */
function resumed(
  view: Draft,
  event: Extract<OfRun, { type: 'run:resumed' }>,
  lastAt: string,
): RunView {
  const { waiting: _waiting, error: _error, output: _output, ...kept } = endLeg(view, lastAt);
  const { cancelled: _cancelled, endedAt: _endedAt, ...rest } = kept;
  const { at, seq, by, input, from } = event;
  const next: Draft = {
    ...rest,
    status: 'running',
    ...traced(event),
    input: input === undefined ? view.input : joined(view.input, input),
    legs: [...rest.legs, { from: at, cause: 'resumed', by, seq }],
  };
  if (view.status === 'failed') reopenMembers(next, view.endedAt);
  if (from !== undefined) rewind(next, from, at);
  return next;
}

/** A leg without a context keeps that of the leg before. */
function traced({ traceparent }: { readonly traceparent?: string }): { traceparent?: string } {
  return traceparent === undefined ? {} : { traceparent };
}

function joined(before: JsonValue, change: JsonValue): JsonValue {
  return isPlainObject(before) && isPlainObject(change) ? { ...before, ...change } : change;
}

function endLeg(view: Draft, at: string): Draft {
  const last = view.legs.at(-1);
  if (last === undefined || last.to !== undefined) return view;
  return { ...view, legs: view.legs.with(-1, { ...last, to: at }) };
}

function paused(view: Draft, event: Extract<OfRun, { type: 'run:paused' }>): RunView {
  const next: Draft = { ...view, status: 'paused', waiting: event.waiting };
  for (const { path = '', reason, until } of event.waiting.all) {
    const step = stepAt(next, path);
    if (step === undefined) continue;
    const kind = reason === 'time' ? 'wait' : 'person';
    const isBackoff = reason === 'time' && step.bars.at(-1)?.kind === 'backoff';
    putStep(next, isBackoff ? waiting(step) : renameBar(waiting(step), kind, until));
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
      const amounts =
        unit === 'usd' ? `${usdWords(spent)} of ${usdWords(limit)}` : `${spent} of ${limit} tokens`;
      return { seq, at, type: 'budget', text: `The budget of ${whose} is spent: ${amounts}` };
    }
    case 'error:suppressed': {
      const type = event.isWarning === true ? 'warning' : 'suppressed';
      return { seq, at, type, text: event.reason, error: event.error };
    }
  }
}

function inNode(view: Draft, event: NodeEvent): void {
  const row = noteCosts(view, event);
  const known = stepAt(view, event.path);
  const before = known === undefined ? undefined : uncountMember(view, known);
  const step = nextStep(before, event, { row, rows: view.costs.rows.length });
  noteGates(view, event);
  if (event.type === 'route:taken') view.routes = withRoute(view.routes, routeOf(event));
  if (step === undefined) return;
  putStep(view, step);
  if (event.type === 'route:taken') countMember(view, event);
  const isOver = step.endedAt !== undefined && (isEnd(event) || before?.endedAt !== step.endedAt);
  if (isOver && step.holds) stopInside(view, step.path, event.at);
}

function isEnd({ type }: NodeEvent): boolean {
  return type === 'node:completed' || type === 'node:failed' || type === 'node:skipped';
}

/** Returns the row of the call that has ended with the event. */
function noteCosts(view: Draft, event: NodeEvent): LedgerRow | undefined {
  const lost = lostRow(view, event);
  if (lost !== undefined) view.costs = sendBack(view.costs, lost);
  if (event.type === 'effect:requested') view.costs = beginCall(view.costs, event);
  if (event.type !== 'effect:succeeded' && event.type !== 'effect:failed') return undefined;
  const { costs, row } = endCall(view.costs, event);
  view.costs = costs;
  return row;
}

/** The row of a useless reply: it does not match its schema, or the agent's judge refused it. */
function lostRow(view: Draft, event: NodeEvent): number | undefined {
  if (isSentBack(event)) return stepAt(view, event.path)?.answerRow;
  return isRefused(event) ? stepAt(view, event.path)?.judgedRow : undefined;
}

/** Counts a route again that was taken before at the same place of the graph. */
function withRoute(routes: readonly TakenRoute[], taken: TakenRoute): readonly TakenRoute[] {
  const place = boxIdOf(taken.path);
  const at = routes.findIndex(
    (route) =>
      route.rule === taken.rule &&
      route.to === taken.to &&
      route.kind === taken.kind &&
      route.bucket === taken.bucket &&
      route.move === taken.move &&
      boxIdOf(route.path) === place,
  );
  const known = routes[at];
  return known === undefined
    ? [...routes, taken]
    : routes.with(at, { ...taken, count: known.count + 1 });
}

function noteGates(view: Draft, event: NodeEvent): void {
  switch (event.type) {
    case 'gate:opened':
      view.gates = [...without(view, event.gate), gateOf(event)];
      return;
    case 'gate:answered': {
      const { gate, path, at, seq, value, by } = event;
      view.answers = view.answers.add({ gate, path, at, seq, value, by });
      view.gates = without(view, gate);
      return;
    }
    case 'gate:expired': {
      const { gate, path, at, seq } = event;
      view.answers = view.answers.add({ gate, path, at, seq });
      view.gates = without(view, gate);
      return;
    }
    case 'effect:requested':
      // tools are called beside questions about others; a model only once all of them are closed
      if (event.effect.type === 'model') closeGates(view, event.path);
      return;
    case 'node:started':
    case 'node:completed':
    case 'node:failed':
      closeGates(view, event.path);
      return;
    default:
  }
}

function closeGates(view: Draft, of: string): void {
  if (view.gates.length > 0) view.gates = view.gates.filter(({ path }) => path !== of);
}

function gateOf(event: Extract<NodeEvent, { type: 'gate:opened' }>): OpenGate {
  const { gate, node, path, seq, at, prompt, options, promptFor, deadline, budget } = event;
  return {
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
}

function without({ gates }: Draft, gate: string): RunView['gates'] {
  return gates.filter((open) => open.gate !== gate);
}
