/** Attention: why a person should look at a run, in one word that lists can show and filter by. */
import type { ErrorReport } from '../errors/report/report.ts';
import type { RunStatusName } from '../machine/ports/store-port.ts';
import { cooldownUntilMs } from '../machine/policy/cooldown.ts';
import { chooseModel } from '../machine/policy/model-chain.ts';
import { waitingOf } from '../machine/policy/pause.ts';
import type { Wait } from '../machine/state/events.ts';
import type { RunState, Visit } from '../machine/state/state.ts';
import { failureOfVisit } from '../machine/state/visit-failure.ts';

/** In order of precedence: the first that fits counts. */
export const ATTENTIONS = [
  'failed',
  'interrupted',
  'in_doubt',
  'waiting_person',
  'retrying',
  'waiting_time',
  'none',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Waits of a run that has not ended, also while the rest of it still runs. */
export interface RunNeeds {
  readonly reasons: readonly Wait['reason'][];
  /** Some call or node waits before it is tried again. */
  readonly isRetrying: boolean;
  /** The step that is tried again first, where its time is known. */
  readonly nextTry?: {
    readonly path: string;
    readonly atMs: number;
    readonly error?: ErrorReport;
  };
}

const NO_NEEDS: RunNeeds = { reasons: [], isRetrying: false };

export function attentionOf(status: RunStatusName, needs: RunNeeds = NO_NEEDS): Attention {
  switch (status) {
    case 'failed':
    case 'interrupted':
      return status;
    case 'completed':
    case 'cancelled':
      return 'none';
    case 'paused':
    case 'running': {
      const byPeople = peopleIn(needs.reasons);
      if (byPeople !== undefined) return byPeople;
      if (needs.isRetrying) return 'retrying';
      return status === 'paused' ? 'waiting_time' : 'none';
    }
  }
}

/** Undefined where nobody is waited for. */
export function peopleIn(
  reasons: readonly Wait['reason'][],
): 'in_doubt' | 'waiting_person' | undefined {
  if (reasons.includes('outcome')) return 'in_doubt';
  return reasons.some((reason) => reason !== 'time') ? 'waiting_person' : undefined;
}

/** Reads the needs from a state that was folded from the log. */
export function needsOf(state: RunState): RunNeeds {
  const reasons = (waitingOf(state)?.all ?? []).map(({ reason }) => reason);
  const backoffs = [...state.scopes.values()].flatMap(({ visit, result, isFrozen }) =>
    visit !== undefined && result === undefined && !isFrozen && isBackoff(visit) ? [visit] : [],
  );
  const [nextTry] = backoffs
    .flatMap((visit) => {
      const atMs = nextTryMs(state, visit);
      const error = failureOfVisit(visit);
      if (atMs === undefined) return [];
      return [{ path: visit.path, atMs, ...(error === undefined ? {} : { error }) }];
    })
    .toSorted((a, b) => a.atMs - b.atMs);
  return {
    reasons,
    isRetrying: backoffs.length > 0,
    ...(nextTry === undefined ? {} : { nextTry }),
  };
}

/** Undefined where only the process that executes the run knows it. */
function nextTryMs(state: RunState, { phase, conversation }: Visit): number | undefined {
  if (phase.type === 'waiting') return phase.untilMs;
  if (phase.type !== 'conversation' || conversation === undefined) return undefined;
  if (conversation.failure === undefined) {
    const calls = conversation.calls.flatMap(({ again }) => again?.atMs ?? []);
    return calls.length === 0 ? undefined : Math.min(...calls);
  }
  const choice = chooseModel(conversation.chain, state.nowMs, (model) =>
    cooldownUntilMs(state, model),
  );
  return choice.type === 'wait' && Number.isFinite(choice.untilMs) ? choice.untilMs : undefined;
}

/** A node waits for its next attempt, or for the next call of its model or tool. */
function isBackoff(visit: Visit): boolean {
  const { phase, pending, failedCalls } = visit;
  switch (phase.type) {
    case 'waiting':
      return phase.why === 'backoff';
    case 'conversation':
      return pending.size === 0 && failureOfVisit(visit) !== undefined;
    case 'result':
    case 'working':
      return pending.size === 0 && failedCalls.length > 0;
    case 'entering':
    case 'effect':
    case 'parked':
    case 'asking':
    case 'answered':
    case 'expired':
    case 'inside':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'ended':
      return false;
  }
}
