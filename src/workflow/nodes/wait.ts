/** `wait`: time that passes, durably. */
import { parseDuration } from '../duration.ts';
import { given } from '../given.ts';
import type { WaitPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { anyText, durationOrTemplate, literal, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './common.ts';

export const waitShape = {
  type: literal('Time that passes.', 'wait'),
  ...stepShape,
  duration: durationOrTemplate(
    'How long: 500ms, 60s, 2.5m, 1h, a number of seconds, or a template.',
  ),
  reason: anyText('Why; shown to people.').optional(),
};

export type WaitFile = FromShape<typeof waitShape>;

export function planWait(
  node: WaitFile,
  path: Path,
  planner: Planner,
): Omit<WaitPlan, 'fingerprint'> {
  return given({
    type: 'wait',
    ...planStep(node, path, planner),
    duration: parseDuration(node.duration) ?? node.duration,
    reason: node.reason,
  });
}
