/** What a run waits for when nothing in it can go on by itself. */
import type { Wait, Waiting } from './events.ts';
import type { RunState, Scope } from './state.ts';

function waitsOf(state: RunState): readonly Wait[] {
  const waits = [...state.scopes.values()].flatMap((scope) => waitOf(state, scope));
  return waits.sort((a, b) => order(a).localeCompare(order(b)));
}

/** The earliest first, and all of them beside it; undefined when nothing is waited for. */
export function waitingOf(state: RunState): Waiting | undefined {
  const all = waitsOf(state);
  const [first] = all;
  return first === undefined ? undefined : { ...first, all };
}

/** Waits for a person, and parks, always pause the run; a clock alone does so when it takes long. */
export function mustPause(state: RunState, inlineMs: number): boolean {
  const waits = waitsOf(state);
  if (waits.length === 0) return false;
  return waits.every((wait) => {
    if (wait.reason !== 'time') return true;
    return isPark(state, wait) || Date.parse(wait.until ?? '') - state.nowMs > inlineMs;
  });
}

function waitOf(state: RunState, { visit, result }: Scope): Wait[] {
  if (visit === undefined || result !== undefined) return [];
  const where = { node: visit.node, path: visit.path };
  const { phase } = visit;
  switch (phase.at) {
    case 'waiting':
      return [{ reason: 'time', ...where, until: iso(phase.untilMs) }];
    case 'working':
      // a `wait` node, whose end is on a timer
      return [{ reason: 'time', ...where, ...untilTimer(state) }];
    case 'parked':
      return [{ reason: 'person', ...where }];
    case 'asking': {
      const gate = state.gates.get(phase.gate);
      const isDoubt = visit.error?.kind === 'effect.outcome_unknown';
      return [
        {
          reason: isDoubt ? 'outcome' : 'gate',
          gate: phase.gate,
          ...where,
          options: (gate?.options ?? []).map(String),
          ...(gate?.deadlineMs === undefined ? {} : { until: iso(gate.deadlineMs) }),
        },
      ];
    }
    case 'entering':
    case 'effect':
    case 'answered':
    case 'expired':
    case 'result':
    case 'inside':
    case 'succeeded':
    case 'failed':
    case 'ended':
      return [];
  }
}

function isPark(state: RunState, { path }: Wait): boolean {
  for (const { visit } of state.scopes.values()) {
    if (visit?.path !== path || visit?.phase.at !== 'waiting') continue;
    return visit.phase.why === 'park';
  }
  return false;
}

function untilTimer({ timers }: RunState): { readonly until?: string } {
  const next = timers.heap[0]?.atMs;
  return next === undefined ? {} : { until: iso(next) };
}

function order({ until, path }: Wait): string {
  return `${until ?? '9'}${path ?? ''}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
