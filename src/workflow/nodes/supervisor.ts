/** `supervisor`: a model decides which of its nodes runs next, until it is done. */
import type { SupervisorPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, list, literal, text, wholeNumber, type FromShape } from '../schema/leaf.ts';
import { planSpending, planStep, spendingShape, stepShape, timeoutShape } from './shared-keys.ts';

const DEFAULT_MAX_ROUNDS = 10;

export const supervisorShape = exampled(
  {
    type: literal('A model that decides which node runs next.', 'supervisor'),
    ...stepShape,
    ...timeoutShape,
    ...spendingShape,
    prompt: text('Its goal, as a template.'),
    manages: list('The nodes it may run.', text('A node or group.'), 1),
    max_rounds: wholeNumber('The most decisions. Default: 10.', { min: 1, max: 10_000 }).optional(),
  },
  {
    prompt: 'Answer the ticket: {{ workflow.input.ticket }}',
    manages: ['publish', 'escalate'],
    max_rounds: 5,
  },
);

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
