/**
 * An effect in doubt whose process is known to run on is not begun a second time beside it: who
 * answers `repeat` is told so, and may answer again when it has ended.
 */
import { ErrandError } from '../errors/errand-error.ts';
import { inDoubtOf } from '../machine/doubt-details.ts';
import { DOUBT } from '../machine/doubt.ts';
import type { EventBody } from '../machine/events.ts';
import type { RunState } from '../machine/state.ts';
import type { LeftRunning } from './effect-runner.ts';

/** Throws `validation.input`; the gate then stays open. */
export function refuseBeside(
  state: RunState,
  { gate, node, value }: Extract<EventBody, { type: 'gate:answered' }>,
  leftRunning: LeftRunning,
): void {
  if (value !== 'repeat' && value !== 'retry') return;
  const { error } = state.scopes.get(state.gates.get(gate)?.scope ?? '')?.visit ?? {};
  const inDoubt = error?.kind === DOUBT ? inDoubtOf(error) : undefined;
  const processes = inDoubt === undefined ? [] : leftRunning(state.run, inDoubt);
  if (processes.length === 0) return;
  throw new ErrandError({
    kind: 'validation.input',
    message: `${node} is still running, as ${processes.length === 1 ? 'process' : 'processes'} ${processes.join(', ')}; a second one is not started beside it`,
    details: { processes: [...processes] },
    action: {
      kind: 'answer_gate',
      detail:
        'Wait until it has ended or end it, look at what it did, and answer then; `edit` and `abort` can be answered now.',
    },
  });
}
