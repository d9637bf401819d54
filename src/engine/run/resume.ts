/** Resumes a run: what is checked first, and the events that record it. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { answerEvent, type Answer } from '../../machine/gates/gate-answer.ts';
import { driftOf, type Change } from '../../machine/policy/drift.ts';
import type { Bound, EffectRef, EventBody, Resumed } from '../../machine/state/events.ts';
import { scopeOf, visitOf } from '../../machine/state/plan-lookup.ts';
import { scopesInside } from '../../machine/state/scopes.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { findVisited, visitedPaths } from '../../machine/evolve/reopen.ts';
import type { RunState } from '../../machine/state/state.ts';
import { recordEvents } from '../../machine/decide/step.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import { checkInput } from '../../workflow/plan/inputs.ts';
import type { LeftRunning } from './effect-runner.ts';
import { refuseRepeatWhileRunning } from './refuse-repeat.ts';
import { lostEffects, overtakenEffects } from './recover.ts';

export interface ResumeRequest extends Change {
  readonly by?: string;
  readonly answer?: Answer;
  /** Parks and backoffs are cut short. */
  readonly now?: boolean;
  /** A finished node that is run again with all that follows it, by path. */
  readonly from?: string;
  /** False: no person can be asked. */
  readonly gates?: boolean;
  /** The bound of the current files, when a new plan is passed. */
  readonly bound?: Bound;
  /** The context of the leg's trace. */
  readonly traceparent?: string | undefined;
}

export interface OpenGate {
  readonly gate: string;
  readonly node: string;
}

/** Applies the resume to the state and returns its events. */
export function applyResume(
  state: RunState,
  options: ResumeRequest,
  nowMs: number,
  leftRunning: LeftRunning = () => [],
): readonly EventBody[] {
  const { resumed, answered } = checkResume(state, options, nowMs);
  for (const event of answered) refuseRepeatWhileRunning(state, event, leftRunning);
  const overtaken = options.from === undefined ? [] : overtakenEffects(state, options.from);
  const events: EventBody[] = [...recordEvents(state, [...overtaken, resumed], nowMs)];
  const left = (effect: EffectRef): readonly number[] => leftRunning(state.run, effect);
  for (const event of lostEffects(state, left)) events.push(...recordEvents(state, [event], nowMs));
  events.push(...recordEvents(state, answered, nowMs));
  if (!state.hasPeople) events.push(...recordEvents(state, closedGates(state), nowMs));
  return events;
}

interface Checked {
  readonly resumed: Resumed;
  readonly answered: readonly Extract<EventBody, { type: 'gate:answered' }>[];
}

/** Changes nothing. Throws `run.drifted`, or `validation.input` for an answer or a node. */
export function checkResume(state: RunState, options: ResumeRequest, nowMs: number): Checked {
  const {
    answer,
    by = answer?.by ?? 'library',
    now,
    from,
    input,
    gates,
    bound,
    traceparent,
  } = options;
  if (from !== undefined && findVisited(state, from) === undefined) throw neverRan(state, from);
  if (input !== undefined) checkInput(options.plan ?? state.plan, input);
  const resumed: Resumed = {
    type: 'run:resumed',
    by,
    ...(now === true ? { now } : {}),
    ...(from === undefined ? {} : { from }),
    ...(input === undefined ? {} : { input }),
    ...(gates === false ? { gates } : {}),
    ...(bound === undefined || bound.modelRequests === state.legRequests.most ? {} : { bound }),
    ...driftOf(state, options),
    // the state was folded from the log, so its time is that of the latest event
    ...(state.status === 'running' ? { idleMs: Math.max(0, nowMs - state.nowMs) } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return { resumed, answered: answer === undefined ? [] : [answerEvent(state, answer, nowMs)] };
}

/** Expires the open gates when no person can be asked any more. */
function closedGates(state: RunState): readonly EventBody[] {
  return [...state.gates].map(([gate, { scope }]): EventBody => {
    const { node, path } = visitOf(scopeOf(state, scope));
    return { type: 'gate:expired', node, path, gate };
  });
}

export function openGates(state: RunState): readonly OpenGate[] {
  return [...state.gates].map(([gate, { scope }]) => {
    const { node } = visitOf(scopeOf(state, scope));
    return { gate, node };
  });
}

/** Called before and after the claim, because another process may end the run in between. */
export function refuseEnded(
  { run, status }: Pick<RunRecord, 'run' | 'status'>,
  { from }: Pick<ResumeRequest, 'from'> = {},
): void {
  if (status === 'cancelled' || (status === 'completed' && from === undefined))
    throw alreadyEnded({ run, status });
}

function alreadyEnded({ run, status }: Pick<RunRecord, 'run' | 'status'>): ErrandError {
  return new ErrandError({
    kind: 'run.already_ended',
    message: `The run ${run} is ${status}`,
    action: {
      kind: 'change_input',
      detail:
        status === 'completed'
          ? `Run a part of it again with: errand retry ${run} --from NODE`
          : 'Start a new run; a cancelled one stays cancelled.',
    },
  });
}

function neverRan(state: RunState, path: string): ErrandError {
  const whole = finishedAround(state, path);
  return new ErrandError({
    kind: 'validation.input',
    message:
      whole === undefined
        ? `No finished node of the run is called ${path}`
        : `${path} cannot be run again by itself: ${whole} runs again as a whole`,
    action: {
      kind: 'change_input',
      detail:
        whole === undefined
          ? namesToChoose(state, path)
          : `Name ${whole} instead; all that is inside runs again with it.`,
    },
  });
}

/** How many are listed; `errand show` lists all. */
const MAX_NAMED = 10;

function namesToChoose(state: RunState, path: string): string {
  const names = visitedPaths(state);
  const meant = suggest(path, names);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const named = names.slice(0, MAX_NAMED).join(', ');
  const more = names.length > MAX_NAMED ? ', …' : '';
  const list = names.length === 0 ? '' : ` (${named}${more})`;
  return `Name a finished node that no later retry has undone${list}; nodes inside a finished group or sub-workflow run again with it.`;
}

/** The innermost group, sub-workflow or supervisor around the path that can be run again. */
function finishedAround(state: RunState, path: string): string | undefined {
  const ends = Array.from(path.matchAll(/[/[]/g), ({ index }) => index);
  const around = ends.toReversed().map((end) => path.slice(0, end));
  const whole = around.find((each) => findVisited(state, each) !== undefined);
  // its finished nodes can be named one by one; naming it instead would repeat them all
  return whole !== undefined && isOpen(state, whole) ? undefined : whole;
}

/** Whether branches or a sub-workflow are still there inside; rounds of a supervisor cannot be named. */
function isOpen(state: RunState, path: string): boolean {
  const [scope, node] = findVisited(state, path) ?? [];
  const visit = scope?.visit;
  if (visit === undefined || visit.node !== node || visit.conversation !== undefined) return false;
  return scopesInside(state, visit).length > 0;
}
