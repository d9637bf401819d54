/** Pause: what a run waits for when nothing in it can continue by itself. */
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import { OUTCOME_UNKNOWN } from './unknown-outcome.ts';
import { inDoubtOf } from './unknown-outcome-details.ts';
import type { Wait, Waiting } from '../state/events.ts';
import { gatesOf } from '../state/scopes.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import { failureOfVisit } from '../state/visit-failure.ts';

/** The earliest wait, with the list of all; undefined when the run waits for nothing. */
export function waitingOf(state: RunState): Waiting | undefined {
  const found = [...state.scopes.values()].flatMap((scope) =>
    waitsOf(state, scope).map((wait) => withFailure(wait, scope)),
  );
  const [first, ...others] = found.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  // a copy without spare capacity: the result of a paused run keeps it
  return first === undefined ? undefined : { ...first, all: [first, ...others] };
}

function withFailure(wait: Wait, { visit }: Scope): Wait {
  const error = visit === undefined ? undefined : failureOfVisit(visit);
  if (error === undefined) return wait;
  const { kind, message } = error;
  return { ...wait, error: { kind, message: hideInternals(message) } };
}

/** Waits for a person and parks always pause the run; a wait for a time only when it is long. */
export function mustPause(state: RunState, inlineMs: number): boolean {
  let isWaiting = false;
  for (const scope of state.scopes.values()) {
    for (const wait of waitsOf(state, scope)) {
      const isPause = wait.reason !== 'time' || isPark(scope) || msUntil(state, wait) > inlineMs;
      if (!isPause) return false;
      isWaiting = true;
    }
  }
  return isWaiting;
}

const NONE: readonly Wait[] = [];

function waitsOf(state: RunState, { visit, result, isFrozen }: Scope): readonly Wait[] {
  if (visit === undefined || result !== undefined || isFrozen) return NONE;
  const where = { node: visit.node, path: visit.path };
  const { phase } = visit;
  switch (phase.type) {
    case 'waiting':
      return [{ reason: 'time', ...where, until: iso(phase.untilMs) }];
    case 'conversation': {
      const asked = gatesOf(visit).flatMap((gate) => waitAt(state, gate, visit));
      return asked.length > 0 ? asked : timeWait(visit);
    }
    case 'result':
    case 'working':
      return timeWait(visit);
    case 'parked':
      return [{ reason: 'person', ...where }];
    case 'asking':
      return waitAt(state, phase.gate, visit);
    case 'entering':
    case 'effect':
    case 'answered':
    case 'expired':
    case 'inside':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'ended':
      return NONE;
  }
}

/** A `wait` node, or a call that is repeated later. */
function timeWait({ node, path, pending, wakeAtMs }: Visit): readonly Wait[] {
  if (pending.size > 0 || wakeAtMs === undefined) return NONE;
  return [{ reason: 'time', node, path, until: iso(wakeAtMs) }];
}

function waitAt({ gates }: RunState, gate: string, { node, path, error }: Visit): readonly Wait[] {
  const open = gates.get(gate);
  if (open === undefined) return NONE;
  const { options, promptFor, deadlineMs, budget } = open;
  const opening = open.opening === undefined ? {} : { opening: open.opening };
  const reason = gateReason(budget !== undefined, error?.kind === OUTCOME_UNKNOWN);
  const until = deadlineMs === undefined ? {} : { until: iso(deadlineMs) };
  const inDoubt = reason === 'outcome' && error !== undefined ? inDoubtOf(error) : undefined;
  const about = inDoubt === undefined ? {} : { inDoubt };
  const texts = promptFor === undefined ? {} : { promptFor };
  return [{ reason, gate, ...opening, node, path, options, ...texts, ...until, ...about }];
}

function gateReason(isBudget: boolean, isDoubt: boolean): Wait['reason'] {
  if (isBudget) return 'budget';
  return isDoubt ? 'outcome' : 'gate';
}

function isPark({ visit }: Scope): boolean {
  return visit?.phase.type === 'waiting' && visit.phase.why === 'park';
}

function msUntil({ nowMs }: RunState, { until }: Wait): number {
  return until === undefined ? Infinity : Date.parse(until) - nowMs;
}

function order({ until, path }: Wait): string {
  return `${until ?? '9'}${path ?? ''}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
