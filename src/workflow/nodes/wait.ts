/** `wait`: a durable pause. */
import { parseDuration } from '../plan/duration.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { WaitPlan } from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import { exampled, anyText, durationOrTemplate, literal, type FromShape } from '../schema/leaf.ts';
import { planStep, stepShape } from './shared-keys.ts';

export const waitShape = exampled(
  {
    type: literal('Waits for a time.', 'wait'),
    ...stepShape,
    duration: durationOrTemplate(
      'How long: 500ms, 60s, 2.5m, 1h, a number of seconds, or a template.',
    ),
    reason: anyText('The reason; shown to people.').optional(),
  },
  { duration: '15m', reason: 'The index is built' },
);

export type WaitFile = FromShape<typeof waitShape>;

export function planWait(
  node: WaitFile,
  path: Path,
  planner: Planner,
): Omit<WaitPlan, 'fingerprint'> {
  return omitUndefined({
    type: 'wait',
    ...planStep(node, path, planner),
    duration: parseDuration(node.duration) ?? node.duration,
    reason: node.reason,
  });
}
