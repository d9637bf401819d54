/** What a run waits for when nothing in it can go on by itself. */
import type { Wait, Waiting } from './events.ts';
import type { RunState, Scope } from './state.ts';

/** The earliest first, and all of them beside it; undefined when nothing is waited for. */
export function waitingOf(state: RunState): Waiting | undefined {
  const all = [...state.scopes.values()]
    .flatMap((scope) => waitOf(state, scope) ?? [])
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const [first] = all;
  return first === undefined ? undefined : { ...first, all };
}

/** Waits for a person, and parks, always pause the run; a clock alone does so when it takes long. */
export function mustPause(state: RunState, inlineMs: number): boolean {
  let isWaiting = false;
  for (const scope of state.scopes.values()) {
    const wait = waitOf(state, scope);
    if (wait === undefined) continue;
    const isPause = wait.reason !== 'time' || isPark(scope) || msUntil(state, wait) > inlineMs;
    if (!isPause) return false;
    isWaiting = true;
  }
  return isWaiting;
}

function waitOf(state: RunState, { visit, result, isFrozen }: Scope): Wait | undefined {
  if (visit === undefined || result !== undefined || isFrozen) return undefined;
  const where = { node: visit.node, path: visit.path };
  const { phase } = visit;
  switch (phase.at) {
    case 'waiting':
      return { reason: 'time', ...where, until: iso(phase.untilMs) };
    case 'talking':
    case 'result':
    case 'working':
      // a `wait` node, or a call that is made again
      if (visit.pending.size > 0) return undefined;
      return visit.wakeAtMs === undefined
        ? undefined
        : { reason: 'time', ...where, until: iso(visit.wakeAtMs) };
    case 'parked':
      return { reason: 'person', ...where };
    case 'asking': {
      const gate = state.gates.get(phase.gate);
      const isDoubt = visit.error?.kind === 'effect.outcome_unknown';
      return {
        reason: isDoubt ? 'outcome' : 'gate',
        gate: phase.gate,
        ...where,
        options: (gate?.options ?? []).map(String),
        ...(gate?.deadlineMs === undefined ? {} : { until: iso(gate.deadlineMs) }),
      };
    }
    case 'entering':
    case 'effect':
    case 'answered':
    case 'expired':
    case 'inside':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'ended':
      return undefined;
  }
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
