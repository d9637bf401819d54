/**
 * Recovers a run from its log: folds the events, then settles the effects that were running. An
 * effect without a result has an unknown outcome; it is called again only where that is safe, and
 * never silently.
 */
import { unknownOutcomeDetails, inputWords } from '../../machine/policy/unknown-outcome-details.ts';
import { OUTCOME_UNKNOWN } from '../../machine/policy/unknown-outcome.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { checkBudgets } from '../../machine/policy/budget.ts';
import { judgesIn } from '../../machine/conversation/output-judge.ts';
import { cooldownUntilMs } from '../../machine/policy/cooldown.ts';
import {
  pendingRequest,
  pendingInput,
  type EffectRequest,
} from '../../machine/decide/effect-request.ts';
import type { EffectRef, EventBody, RunEvent } from '../../machine/state/events.ts';
import { stoppedBeforeStart, stoppedEffect } from '../../machine/decide/end-run.ts';
import { evolve } from '../../machine/evolve/evolve.ts';
import { failureAt } from '../../machine/decide/failure-reports.ts';
import { scopeAndAncestors, scopeOf, visitOf } from '../../machine/state/plan-lookup.ts';
import type { Estimate } from '../../machine/policy/pricing.ts';
import { isAtBound } from '../../machine/policy/request-bound.ts';
import { findVisited } from '../../machine/evolve/reopen.ts';
import {
  newRunState,
  type PendingEffect,
  type RunState,
  type Scope,
} from '../../machine/state/state.ts';
import type { LogHead, RunRecord, RunStore } from '../../machine/ports/store-port.ts';
import { asEvent } from './subscription.ts';
import { loadCheckpoint } from './checkpoints/load-checkpoint.ts';
import { planFrom } from './plan-text.ts';

/** A run as its log has it. */
export interface Recovered {
  readonly state: RunState;
  /** Undefined when the checkpoint has all of it. */
  readonly head: LogHead | undefined;
  /** Number of the last event in the checkpoint that it began with; 0 without one. */
  readonly checkpointSeq: number;
}

export interface RecoverOptions {
  /** Events from the first on that have been read already; only later ones are read again. */
  readonly known?: readonly RunEvent[];
  /** The result of an earlier call. This call changes it, and reads only later events. */
  readonly from?: Recovered | undefined;
  /** Called with every event of the log, whatever a checkpoint spares. */
  readonly onEvent?: (event: RunEvent) => void;
}

export async function recover(
  store: RunStore,
  run: string,
  { known = [], from, onEvent }: RecoverOptions = {},
): Promise<Recovered> {
  const state =
    from?.state ?? (await loadCheckpoint(store, run)) ?? (await beforeFirst(store, run));
  const checkpointSeq = from?.checkpointSeq ?? state.seq;
  const time = new EventTime();
  for (const event of known) if (event.seq > state.seq) fold(state, event, time);
  let last: LogHead | undefined;
  for await (const { events, head } of store.read(run, onEvent === undefined ? state.seq + 1 : 1)) {
    for (const event of events) {
      onEvent?.(asEvent(event));
      if (onEvent === undefined || asEvent(event).seq > checkpointSeq) fold(state, event, time);
    }
    last = head;
  }
  return { state, head: last ?? from?.head, checkpointSeq };
}

/** Folds events into a state, for reading only. */
export function foldRun(
  { run, plan }: Pick<RunRecord, 'run' | 'plan'>,
  events: Iterable<RunEvent>,
): RunState {
  const state = newRunState(run, planFrom(plan));
  for (const event of events) evolve(state, event, Date.parse(event.at));
  return state;
}

/** The plan is the one that the run was started with; later ones are in its log. */
async function beforeFirst(store: RunStore, run: string): Promise<RunState> {
  const { plan } = await store.get(run);
  return newRunState(run, planFrom(plan));
}

/**
 * Settles the effects that were running when the run was interrupted. Apply each event before taking
 * the next: what one call reserves is not free for another.
 */
export function* lostEffects(
  state: RunState,
  leftRunning: (effect: EffectRef) => readonly number[],
): Iterable<EventBody> {
  for (const pending of Array.from(state.effects.values()))
    yield* lostEffect(state, pending, leftRunning);
}

function lostEffect(
  state: RunState,
  pending: PendingEffect,
  leftRunning: (effect: EffectRef) => readonly number[],
): readonly EventBody[] {
  const request = pendingRequest(state, pending);
  if (request?.isIdempotent !== true || isOtherAction(request, pending))
    return [inDoubt(state, pending, leftRunning(pending.effect))];
  if (!mayAskNow(state, pending))
    return [
      stoppedEffect(state, pending, {
        message: 'Its process died before it ended',
        outcome: 'unknown',
      }),
    ];
  const visit = visitOf(scopeOf(state, pending.scope));
  const { node, path } = visit;
  const isSame = request.ref.key === pending.effect.key;
  const again: EventBody = {
    type: 'effect:requested',
    node,
    path,
    effect: request.ref,
    attempt: isSame ? pending.attempt + 1 : 0,
    ...judgesIn(visit, request.ref),
    ...reservedFor(state, pending),
  };
  return isSame
    ? [again]
    : [
        stoppedEffect(state, pending, {
          message: 'Its input has changed since it was called',
          outcome: 'unknown',
        }),
        again,
      ];
}

/** Its input has changed, so asking with another key would be another action. */
function isOtherAction({ ref, isReadOnly }: EffectRequest, { effect }: PendingEffect): boolean {
  return ref.key !== effect.key && isReadOnly !== true;
}

/** Whether the call may be made again now: a cooling model or a used-up budget holds it back. */
function mayAskNow(
  state: RunState,
  { scope, effect: { key, type, target } }: PendingEffect,
): boolean {
  if (type !== 'model') return true;
  // a repeated call is one more request of this leg
  if (isAtBound(state)) return false;
  if (cooldownUntilMs(state, target, key) > state.nowMs) return false;
  const reserved = state.reservations.get(key);
  if (reserved === undefined) return true;
  return checkBudgets(state, scopeOf(state, scope), reserved).type === 'free';
}

/** Reserves the cost again: the first call may have been charged. */
function reservedFor(state: RunState, { effect }: PendingEffect): { reserves?: Estimate } {
  const reserved = state.reservations.get(effect.key);
  if (reserved === undefined) return {};
  const { scope: _scope, ...reserves } = reserved;
  return { reserves };
}

/** Ends the effects of a scope that is rewound to an earlier node. */
export function overtakenEffects(state: RunState, from: string): readonly EventBody[] {
  const scope = findVisited(state, from)?.[0];
  return [...state.effects.values()]
    .filter(({ scope: id }) => scope !== undefined && isWithin(state, id, scope))
    .map((pending) =>
      pendingRequest(state, pending)?.isReadOnly === true
        ? stoppedEffect(state, pending, { message: REWOUND, outcome: 'unknown' })
        : // also an idempotent one: what is requested next may be another action
          inDoubt(state, pending, []),
    );
}

const REWOUND = 'The run was rewound past this step while no process was running it';

function isWithin(state: RunState, id: string, scope: Scope): boolean {
  return [...scopeAndAncestors(state, scopeOf(state, id))].includes(scope);
}

/**
 * Ends the effects of a run that is cancelled. `leftRunning`: the processes that could not be
 * ended.
 */
export function abandonedEffects(
  state: RunState,
  leftRunning: (effect: EffectRef) => readonly number[] = () => [],
): readonly EventBody[] {
  return [...state.effects.values()].map((pending) =>
    abandoned(
      state,
      pending,
      'The run was cancelled while no process was running it',
      leftRunning(pending.effect),
    ),
  );
}

/** Ends the effects that an execution has not started when it closes. */
export function neverStartedEffects(state: RunState): readonly EventBody[] {
  return Array.from(state.effects.values(), (pending) => stoppedBeforeStart(state, pending));
}

/** Ends an effect whose outcome is unknown, without calling it again. */
function abandoned(
  state: RunState,
  pending: PendingEffect,
  message: string,
  processes: readonly number[] = [],
): EventBody {
  const request = pendingRequest(state, pending);
  return request?.isIdempotent === true && processes.length === 0
    ? stoppedEffect(state, pending, { message, outcome: 'unknown' })
    : inDoubt(state, pending, processes);
}

function lostMessage(node: string, what: string, processes: readonly number[]): string {
  if (processes.length === 0)
    return `${node} was under way when the run was interrupted: ${what}; how far it got is unknown`;
  const many = processes.length === 1 ? 'process' : 'processes';
  return `${node} was still running after the run was interrupted: ${what} (${many} ${processes.join(', ')}); Errand was stopped, its script was not`;
}

/** `processes`: those of the effect that are still running. */
function inDoubt(state: RunState, pending: PendingEffect, processes: readonly number[]): EventBody {
  const { scope: id, effect } = pending;
  // of the file as it was when the effect was requested
  const work = pendingInput(state, pending);
  const scope = scopeOf(state, id);
  const { node, path } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: OUTCOME_UNKNOWN,
    message: lostMessage(node, work === undefined ? effect.target : inputWords(work), processes),
    details: {
      ...unknownOutcomeDetails(effect, work),
      ...(processes.length === 0 ? {} : { processes: [...processes] }),
    },
  });
  return { type: 'effect:failed', node, path, effect, error };
}

/** The events of a step have one time, so it is read once. */
class EventTime {
  #text = '';
  #ms = 0;

  of(text: string): number {
    if (text !== this.#text) {
      this.#text = text;
      this.#ms = Date.parse(text);
    }
    return this.#ms;
  }
}

function fold(state: RunState, event: JsonObject | RunEvent, time: EventTime): void {
  const { seq, at } = event;
  if (seq !== state.seq + 1 || typeof at !== 'string') {
    throw new ErrandError({
      kind: 'store.corrupt',
      message: `The log of ${state.run} has another entry where event ${state.seq + 1} should be`,
      details: { seq: seq ?? null },
    });
  }
  // written by the engine, and the checksum of its row has been checked
  evolve(state, event as unknown as EventBody, time.of(at));
}
