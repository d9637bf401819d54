/** How a run that rests is taken up again: what is checked first, and the events that say so. */
import { ErrandError } from '../errors/errand-error.ts';
import { answerEvent, type Answer } from '../machine/answers.ts';
import { driftOf, type Change } from '../machine/drift.ts';
import type { EffectRef, EventBody, Resumed } from '../machine/events.ts';
import { scopeOf, visitOf } from '../machine/plan-lookup.ts';
import { findVisited } from '../machine/reopen.ts';
import type { RunState } from '../machine/state.ts';
import { record } from '../machine/step.ts';
import type { RunRecord } from '../machine/store-port.ts';
import { checkInput } from '../workflow/inputs.ts';
import type { LeftRunning } from './effect-runner.ts';
import { refuseBeside } from './not-beside.ts';
import { lostEffects, overtakenEffects } from './recover.ts';

export interface GoingOn extends Change {
  readonly by?: string;
  readonly answer?: Answer;
  /** Parks and backoffs are cut short. */
  readonly now?: boolean;
  /** A finished node that is run again with all that follows it, by path. */
  readonly from?: string;
  /** False: nobody can be asked. */
  readonly gates?: boolean;
}

export interface OpenGate {
  readonly gate: string;
  readonly node: string;
}

/** The state is taken on to where it goes on; gives the events that say so. */
export function goOn(
  state: RunState,
  options: GoingOn,
  nowMs: number,
  leftRunning: LeftRunning = () => [],
): readonly EventBody[] {
  const { resumed, answered } = checkGoingOn(state, options, nowMs);
  for (const event of answered) refuseBeside(state, event, leftRunning);
  const overtaken = options.from === undefined ? [] : overtakenEffects(state, options.from);
  const events: EventBody[] = [...record(state, [...overtaken, resumed], nowMs)];
  const left = (effect: EffectRef): readonly number[] => leftRunning(state.run, effect);
  for (const event of lostEffects(state, left)) events.push(...record(state, [event], nowMs));
  events.push(...record(state, answered, nowMs));
  if (!state.hasPeople) events.push(...record(state, closedGates(state), nowMs));
  return events;
}

interface Checked {
  readonly resumed: Resumed;
  readonly answered: readonly Extract<EventBody, { type: 'gate:answered' }>[];
}

/** Changes nothing. Throws `run.drifted`, or `validation.input` for an answer or a node. */
export function checkGoingOn(state: RunState, options: GoingOn, nowMs: number): Checked {
  const { answer, by = answer?.by ?? 'library', now, from, input, gates } = options;
  if (from !== undefined && findVisited(state, from) === undefined) throw neverRan(from);
  if (input !== undefined) checkInput(options.plan ?? state.plan, input);
  const resumed: Resumed = {
    type: 'run:resumed',
    by,
    ...(now === true ? { now } : {}),
    ...(from === undefined ? {} : { from }),
    ...(input === undefined ? {} : { input }),
    ...(gates === false ? { gates } : {}),
    ...driftOf(state, options),
  };
  return { resumed, answered: answer === undefined ? [] : [answerEvent(state, answer, nowMs)] };
}

/** Nobody can be asked any more, so nobody will answer. */
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

/** Looked at twice: another process may end the run between a look at it and the claim on it. */
export function refuseEnded(
  { run, status }: Pick<RunRecord, 'run' | 'status'>,
  { from }: Pick<GoingOn, 'from'> = {},
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

function neverRan(path: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message: `The run has no finished node ${path} that it could go back to`,
    action: {
      kind: 'change_input',
      detail:
        'Name a node of `errand show`; what ran inside a finished group or child goes with it.',
    },
  });
}
