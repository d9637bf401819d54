/** How a run stands, as lists show it. */
import { ROOT_SCOPE, type RunState } from '../machine/state.ts';
import type { RunStanding, StandingStatus } from '../machine/store-port.ts';

export function standingOf(state: RunState, at: string): RunStanding {
  const isOver = state.status !== 'running' && state.status !== 'paused';
  return {
    status: state.status,
    costUsdMicros: state.scopes.get(ROOT_SCOPE)?.spent.usdMicros ?? 0,
    ...(isOver ? { endedAt: at } : {}),
    ...(state.error === undefined || state.status !== 'failed'
      ? {}
      : { error: { kind: state.error.kind, message: state.error.message } }),
    ...(state.waiting === undefined ? {} : { waiting: state.waiting }),
  };
}

/** A run whose process is gone says `running` in the store and is not. */
export function statusNow(status: StandingStatus, isHeld: boolean): StandingStatus {
  return status === 'running' && !isHeld ? 'interrupted' : status;
}
