/** `supervisor`: a model decides which of its nodes runs next, until it is done. */
import type { SupervisorPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { list, literal, text, wholeNumber, type FromShape } from '../schema/leaf.ts';
import { planSpending, planStep, spendingShape, stepShape, timeoutShape } from './common.ts';

const DEFAULT_MAX_ROUNDS = 10;

export const supervisorShape = {
  type: literal('A model that decides which node runs next.', 'supervisor'),
  ...stepShape,
  ...timeoutShape,
  ...spendingShape,
  prompt: text('What it has to reach, as a template.'),
  manages: list('The nodes it may run.', text('A node or group.'), 1),
  max_rounds: wholeNumber('Decisions at most. Default: 10.', { min: 1, max: 10_000 }).optional(),
};

export type SupervisorFile = FromShape<typeof supervisorShape>;

export function planSupervisor(
  node: SupervisorFile,
  path: Path,
  planner: Planner,
): Omit<SupervisorPlan, 'fingerprint'> {
  return {
    type: 'supervisor',
    ...planStep(node, path, planner),
    ...planSpending(node, planner),
    prompt: node.prompt,
    manages: node.manages,
    maxRounds: node.max_rounds ?? DEFAULT_MAX_ROUNDS,
  };
}
