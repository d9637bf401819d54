/** The status of a run, as lists show it. */
import { ROOT_SCOPE, type RunState } from '../../machine/state/state.ts';
import type { RunStatusRow, RunStatusName } from '../../machine/ports/store-port.ts';

export function runStatusOf(state: RunState, at: string): RunStatusRow {
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

/** Turns `running` into `interrupted` when the run's process is gone. */
export function currentStatus(status: RunStatusName, isHeld: boolean): RunStatusName {
  return status === 'running' && !isHeld ? 'interrupted' : status;
}
