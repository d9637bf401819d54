/** `wait`: time that passes, durably. */
import { DURATION_FORM, DURATION_PATTERN, parseDuration } from '../duration.ts';
import { given } from '../given.ts';
import type { WaitPlan } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import { anyText, either, literal, matching, number, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './common.ts';

export const waitShape = {
  type: literal('Time that passes.', 'wait'),
  ...stepShape,
  duration: either('How long; a number is seconds.', `${DURATION_FORM}, or a template`, [
    matching('As written.', `${DURATION_PATTERN}|\\{[{%]`, `${DURATION_FORM}, or a template`),
    number('Seconds.', { above: 0, max: 31_622_400 }),
  ]),
  reason: anyText('Why; shown to people.').optional(),
};

export type WaitFile = FromShape<typeof waitShape>;

export function planWait(node: WaitFile, path: Path, planner: Planner): Omit<WaitPlan, 'fingerprint'> {
  return given({
    type: 'wait',
    ...planStep(node, path, planner),
    duration: parseDuration(node.duration) ?? node.duration,
    reason: node.reason,
  });
}
