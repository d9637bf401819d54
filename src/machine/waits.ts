/** What a run waits for when nothing in it can go on by itself. */
import { DOUBT } from './doubt.ts';
import { inDoubtOf } from './doubt-details.ts';
import type { Wait, Waiting } from './events.ts';
import { gatesOf } from './scopes.ts';
import type { RunState, Scope, Visit } from './state.ts';

/** The earliest first, and all of them beside it; undefined when nothing is waited for. */
export function waitingOf(state: RunState): Waiting | undefined {
  const all = [...state.scopes.values()]
    .flatMap((scope) => waitsOf(state, scope))
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const [first] = all;
  return first === undefined ? undefined : { ...first, all };
}

/** Waits for a person, and parks, always pause the run; a clock alone does so when it takes long. */
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
  switch (phase.at) {
    case 'waiting':
      return [{ reason: 'time', ...where, until: iso(phase.untilMs) }];
    case 'talking': {
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

/** A `wait` node, or a call that is made again later. */
function timeWait({ node, path, pending, wakeAtMs }: Visit): readonly Wait[] {
  if (pending.size > 0 || wakeAtMs === undefined) return NONE;
  return [{ reason: 'time', node, path, until: iso(wakeAtMs) }];
}

function waitAt({ gates }: RunState, gate: string, { node, path, error }: Visit): readonly Wait[] {
  const open = gates.get(gate);
  if (open === undefined) return NONE;
  const { options, promptFor, deadlineMs, budget } = open;
  const reason = gateReason(budget !== undefined, error?.kind === DOUBT);
  const until = deadlineMs === undefined ? {} : { until: iso(deadlineMs) };
  const inDoubt = reason === 'outcome' && error !== undefined ? inDoubtOf(error) : undefined;
  const about = inDoubt === undefined ? {} : { inDoubt };
  const texts = promptFor === undefined ? {} : { promptFor };
  return [{ reason, gate, node, path, options, ...texts, ...until, ...about }];
}

function gateReason(isBudget: boolean, isDoubt: boolean): Wait['reason'] {
  if (isBudget) return 'budget';
  return isDoubt ? 'outcome' : 'gate';
}

function isPark({ visit }: Scope): boolean {
  return visit?.phase.at === 'waiting' && visit.phase.why === 'park';
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
