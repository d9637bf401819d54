/**
 * Refuses the answer `repeat` for an effect with an unknown outcome while its process still runs; the
 * person may answer again when it has ended.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { inDoubtOf } from '../../machine/policy/unknown-outcome-details.ts';
import { OUTCOME_UNKNOWN } from '../../machine/policy/unknown-outcome.ts';
import type { EventBody } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { LeftRunning } from './effect-runner.ts';

/** Throws `validation.input`; the gate then stays open. */
export function refuseRepeatWhileRunning(
  state: RunState,
  { gate, node, value }: Extract<EventBody, { type: 'gate:answered' }>,
  leftRunning: LeftRunning,
): void {
  if (value !== 'repeat' && value !== 'retry') return;
  const { error } = state.scopes.get(state.gates.get(gate)?.scope ?? '')?.visit ?? {};
  const inDoubt = error?.kind === OUTCOME_UNKNOWN ? inDoubtOf(error) : undefined;
  const processes = inDoubt === undefined ? [] : leftRunning(state.run, inDoubt);
  if (processes.length === 0) return;
  throw new ErrandError({
    kind: 'validation.input',
    message: `${node} is still running as ${processes.length === 1 ? 'process' : 'processes'} ${processes.join(', ')}, so it is not started a second time`,
    details: { processes: [...processes] },
    action: {
      kind: 'answer_gate',
      detail:
        'Wait for it to end, or end it; then check what it did, and answer. You can answer `edit` or `abort` now.',
    },
  });
}
