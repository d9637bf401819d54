/** `tool`: one call of one tool, without a model. */
import type { ToolPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { flag, jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import {
  breakerShape,
  planBreaker,
  planTruncating,
  answeringShape,
  planAnswering,
  planStep,
  stepShape,
  timeoutShape,
  truncatingShape,
} from './common.ts';

export const toolShape = {
  type: literal('One call of a tool.', 'tool'),
  ...stepShape,
  ...timeoutShape,
  ...breakerShape,
  ...answeringShape,
  ...truncatingShape,
  tool: text('The tool: its name, or server/name.'),
  arguments: jsonMap('What it is called with; values are templates.').optional(),
  idempotent: flag(
    'Whether it may be repeated when its outcome is unknown. Default: false.',
  ).optional(),
};

export type ToolFile = FromShape<typeof toolShape>;

export function planTool(
  node: ToolFile,
  path: Path,
  planner: Planner,
): Omit<ToolPlan, 'fingerprint'> {
  return {
    type: 'tool',
    ...planStep(node, path, planner),
    ...planAnswering(node),
    ...planBreaker(node),
    ...planTruncating(node),
    tool: node.tool,
    arguments: node.arguments ?? {},
    isIdempotent: node.idempotent ?? false,
  };
}
