/**
 * Ends the scripts of a cancelled run that outlived their Errand: those under way, and those with
 * an unknown outcome. Finds only those on this machine.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { EffectRef, EventBody } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { EffectRunner } from './effect-runner.ts';
import { abandonedEffects } from './recover.ts';

type Runner = Pick<EffectRunner, 'leftRunning' | 'endLeftRunning'>;

export interface Cancelled {
  readonly by: string;
  readonly reason?: string;
}

/** The events that end a run that no process executes; first ends the remaining effects. */
export async function endCancelled(
  state: RunState,
  cancelled: Cancelled,
  runner: Runner,
): Promise<readonly EventBody[]> {
  await endAll(state, runner);
  const left = (effect: EffectRef): readonly number[] =>
    runner.leftRunning?.(state.run, effect) ?? [];
  return [...abandonedEffects(state, left), { type: 'run:cancelled', ...cancelled }];
}

/** A warning when some of it could not be ended. */
export async function endLeftRunning(
  state: RunState,
  runner: Runner,
): Promise<ErrorReport | undefined> {
  await endAll(state, runner);
  const processes = openEffects(state).flatMap(
    (effect) => runner.leftRunning?.(state.run, effect) ?? [],
  );
  if (processes.length === 0) return undefined;
  const many = processes.length === 1 ? 'process' : 'processes';
  const { report } = new ErrandError({
    kind: 'effect.outcome_unknown',
    message: `The run ${state.run} is cancelled, and a script of it is still running: it could not be ended (${many} ${processes.join(', ')})`,
    details: { run: state.run, processes },
  });
  return report;
}

async function endAll(state: RunState, runner: Runner): Promise<void> {
  const { endLeftRunning: end } = runner;
  if (end !== undefined)
    await Promise.all(openEffects(state).map((effect) => end(state.run, effect)));
}

function openEffects({ effects, unknownOutcomes }: RunState): readonly EffectRef[] {
  return [...effects.values(), ...unknownOutcomes.values()].map(({ effect }) => effect);
}
