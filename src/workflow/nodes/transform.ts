/** `transform`: JavaScript in a sandbox, over what it is given. */
import type { TransformPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import { answeringShape, planAnswering, planStep, stepShape } from './common.ts';

export const transformShape = {
  type: literal('JavaScript in a sandbox.', 'transform'),
  ...stepShape,
  ...answeringShape,
  code: text('An expression, or a body with `return`; it sees its arguments as `input`.'),
  arguments: jsonMap('What the code sees as `input`; values are templates.').optional(),
};

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
