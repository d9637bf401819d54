/**
 * A run from its log: folded event by event, then asked what it was doing. An effect without a result
 * has an unknown outcome; it is asked again only where that is safe, and never silently.
 */
import { doubtDetails, workWords } from '../machine/doubt-details.ts';
import { DOUBT } from '../machine/doubt.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import { checkBudgets } from '../machine/budget.ts';
import { restOf } from '../machine/cooldown.ts';
import { pendingRequest } from '../machine/effect-request.ts';
import type { EffectWork } from '../machine/effect-work.ts';
import type { EffectRef, EventBody, RunEvent } from '../machine/events.ts';
import { neverBegun, stopped } from '../machine/endings.ts';
import { evolve } from '../machine/evolve.ts';
import { failureAt } from '../machine/failure.ts';
import { outwards, scopeOf, visitOf } from '../machine/plan-lookup.ts';
import type { Amount } from '../machine/pricing.ts';
import { isAtBound } from '../machine/request-bound.ts';
import { findVisited } from '../machine/reopen.ts';
import { packState } from '../machine/snapshot.ts';
import { newRunState, type PendingEffect, type RunState, type Scope } from '../machine/state.ts';
import type { Claim, LogHead, RunRecord, RunStore } from '../machine/store-port.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { loadCheckpoint } from './checkpoints.ts';

/** A run as its log has it. */
export interface Recovered {
  readonly state: RunState;
  /** Undefined when the checkpoint has all of it. */
  readonly head: LogHead | undefined;
  /** Number of the last event in the checkpoint that it began with; 0 without one. */
  readonly checkpointSeq: number;
}

export async function recover(store: RunStore, run: string): Promise<Recovered> {
  const state = (await loadCheckpoint(store, run)) ?? (await beforeFirst(store, run));
  const checkpointSeq = state.seq;
  const time = new EventTime();
  let last: LogHead | undefined;
  for await (const { events, head } of store.read(run, checkpointSeq + 1)) {
    for (const event of events) fold(state, event, time);
    last = head;
  }
  return { state, head: last, checkpointSeq };
}

/** A run as these events leave it, for whoever only looks. */
export function foldRun(
  { run, plan }: Pick<RunRecord, 'run' | 'plan'>,
  events: Iterable<RunEvent>,
): RunState {
  // written by a driver, and its row is checked
  const state = newRunState(run, JSON.parse(plan) as WorkflowPlan);
  for (const event of events) evolve(state, event, Date.parse(event.at));
  return state;
}

/** Fewer events are read sooner than a checkpoint. */
export const CHECKPOINT_EVENTS = 500;

/** The log is read again: what is in the hands of a driver has more in it than that. */
export async function keepCheckpoint(store: RunStore, claim: Claim): Promise<void> {
  const { state, head } = await recover(store, claim.run);
  if (head === undefined) return;
  await store.saveCheckpoint(claim, { head, state: { ...packState(state) } });
}

/** The plan is the one that the run was started with; later ones are in its log. */
async function beforeFirst(store: RunStore, run: string): Promise<RunState> {
  const { plan } = await store.get(run);
  // written by a driver, and its row is checked
  return newRunState(run, JSON.parse(plan) as WorkflowPlan);
}

/** What becomes of the effects that were under way when the run was last heard of; each event is to
 * be taken before the next is asked for, because what one call uses another may not have. */
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
  if (request?.isIdempotent !== true) {
    const processes = leftRunning(pending.effect);
    return [inDoubt(state, pending, { work: request?.work, processes })];
  }
  if (!mayAskNow(state, pending))
    return [
      stopped(state, pending, { message: 'It was lost with its process', outcome: 'unknown' }),
    ];
  const { node, path } = visitOf(scopeOf(state, pending.scope));
  const again: EventBody = {
    type: 'effect:requested',
    node,
    path,
    effect: request.ref,
    attempt: request.ref.key === pending.effect.key ? pending.attempt + 1 : 0,
    ...reservedFor(state, pending),
  };
  // its text has changed meanwhile, so it is another action
  return request.ref.key === pending.effect.key
    ? [again]
    : [
        stopped(state, pending, { message: 'Its text has changed since', outcome: 'unknown' }),
        again,
      ];
}

/** A model that rests, or a budget that is used up, holds back the same call made again, too. */
function mayAskNow(
  state: RunState,
  { scope, effect: { key, type, target } }: PendingEffect,
): boolean {
  if (type !== 'model') return true;
  // made again it is one more request of this leg
  if (isAtBound(state)) return false;
  if (restOf(state, target, key) > state.nowMs) return false;
  const reserved = state.reservations.get(key);
  if (reserved === undefined) return true;
  return checkBudgets(state, scopeOf(state, scope), reserved).type === 'free';
}

/** It may cost once more what it may have cost already. */
function reservedFor(state: RunState, { effect }: PendingEffect): { reserves?: Amount } {
  const reserved = state.reservations.get(effect.key);
  if (reserved === undefined) return {};
  const { usdMicros, tokens } = reserved;
  return { reserves: { usdMicros, tokens } };
}

/** What was under way in a scope that goes back to an earlier node is no longer part of it. */
export function overtakenEffects(state: RunState, from: string): readonly EventBody[] {
  const scope = findVisited(state, from)?.[0];
  return [...state.effects.values()]
    .filter(({ scope: id }) => scope !== undefined && isWithin(state, id, scope))
    .map((pending) => givenUp(state, pending, 'The run went back behind it while nobody ran it'));
}

function isWithin(state: RunState, id: string, scope: Scope): boolean {
  return [...outwards(state, scopeOf(state, id))].includes(scope);
}

/** A run that is cancelled hears of none of them. */
export function abandonedEffects(state: RunState): readonly EventBody[] {
  return [...state.effects.values()].map((pending) =>
    givenUp(state, pending, 'The run was cancelled while nobody ran it'),
  );
}

/** What an execution has not begun when it has to leave for good. */
export function leftUndone(state: RunState): readonly EventBody[] {
  return Array.from(state.effects.values(), (pending) => neverBegun(state, pending));
}

/** Nobody knows how it ended, and nobody asks for it again here. */
function givenUp(state: RunState, pending: PendingEffect, message: string): EventBody {
  const request = pendingRequest(state, pending);
  return request?.isIdempotent === true
    ? stopped(state, pending, { message, outcome: 'unknown' })
    : inDoubt(state, pending, { work: request?.work, processes: [] });
}

interface Lost {
  readonly work: EffectWork | undefined;
  /** Those of it that are still there. */
  readonly processes: readonly number[];
}

function lostWords(node: string, what: string, processes: readonly number[]): string {
  if (processes.length === 0)
    return `${node} was under way when the run was interrupted: ${what}; nobody knows how far it got`;
  const many = processes.length === 1 ? 'process' : 'processes';
  return `${node} was still running when the run was taken up again: ${what} (${many} ${processes.join(', ')}); Errand was stopped, its script was not`;
}

function inDoubt(
  state: RunState,
  { scope: id, effect }: PendingEffect,
  { work, processes }: Lost,
): EventBody {
  const scope = scopeOf(state, id);
  const { node, path } = visitOf(scope);
  const error = failureAt(state, scope, node, {
    kind: DOUBT,
    message: lostWords(node, work === undefined ? effect.target : workWords(work), processes),
    details: {
      ...doubtDetails(effect, work),
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

function fold(state: RunState, event: JsonObject, time: EventTime): void {
  const { seq, at } = event;
  if (seq !== state.seq + 1 || typeof at !== 'string') {
    throw new ErrandError({
      kind: 'store.corrupt',
      message: `The log of ${state.run} has something else where event ${state.seq + 1} should be`,
      details: { seq: seq ?? null },
    });
  }
  // written by this driver, and its form is held by the checksum of its row
  evolve(state, event as unknown as EventBody, time.of(at));
}
