/** `tool`: one call of one tool, without a model. */
import type { ToolPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, flag, jsonMap, literal, text, type FromShape } from '../schema/leaf.ts';
import {
  breakerShape,
  planBreaker,
  planCalling,
  planTruncating,
  answeringShape,
  planAnswering,
  planStep,
  stepShape,
  timeoutShape,
  truncatingShape,
} from './shared-keys.ts';

export const toolShape = exampled(
  {
    type: literal('One call of a tool.', 'tool'),
    ...stepShape,
    ...timeoutShape,
    ...breakerShape,
    ...answeringShape,
    ...truncatingShape,
    tool: text('The tool: its name, or server/name.'),
    arguments: jsonMap('Its arguments; values are templates.').optional(),
    idempotent: flag(
      'Whether it may be repeated when its outcome is unknown. Default: what the tool declares.',
    ).optional(),
  },
  { tool: 'tickets/search', arguments: { text: '{{ workflow.input.ticket }}' } },
);

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
    ...planCalling(node),
  };
}
