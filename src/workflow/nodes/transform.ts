/** `transform`: JavaScript in a sandbox, with its arguments as input. */
import type { TransformPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import { answeringShape, planAnswering, planStep, stepShape } from './shared-keys.ts';

export const transformShape = exampled(
  {
    type: literal('JavaScript in a sandbox.', 'transform'),
    ...stepShape,
    ...answeringShape,
    code: text('An expression, or a body with `return`; it sees its arguments as `input`.'),
    arguments: jsonMap('What the code sees as `input`; values are templates.').optional(),
  },
  {
    code: 'input.text.length',
    arguments: { text: '{{ workflow.input.ticket }}' },
  },
);

export type TransformFile = FromShape<typeof transformShape>;

export function planTransform(
  node: TransformFile,
  path: Path,
  planner: Planner,
): Omit<TransformPlan, 'fingerprint'> {
  return {
    type: 'transform',
    ...planStep(node, path, planner),
    ...planAnswering(node),
    code: node.code,
    arguments: node.arguments ?? {},
  };
}
