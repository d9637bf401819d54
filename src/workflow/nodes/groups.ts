/** `parallel` and `for_each`: members that run concurrently, each in its own branch. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import {
  FAILURE_MODES,
  type ForEachPlan,
  type NodePlan,
  type ParallelPlan,
} from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import {
  choice,
  exampled,
  hinted,
  list,
  literal,
  matching,
  text,
  wholeNumber,
  type FromShape,
  type Schema,
} from '../schema/leaf.ts';
import { namedShape, planStep, routedShape } from './shared-keys.ts';

const DEFAULT_MAX_CONCURRENT = 8;

const groupShape = exampled(
  {
    ...namedShape,
    ...routedShape,
    failure_mode: choice(
      'What a failed member means. quorum needs `quorum`. Default: fail_fast.',
      FAILURE_MODES,
    ).optional(),
    quorum: wholeNumber('How many members must succeed; then the others are cancelled.', {
      min: 1,
    }).optional(),
    max_concurrent: wholeNumber('The most members that run at once. Default: 8.', {
      min: 1,
      max: 1000,
    }).optional(),
  },
  { failure_mode: 'continue_on_error', quorum: 1, max_concurrent: 4 },
);

const LOOP_NAME_PATTERN =
  '^(?!(workflow|context|output|error|state|failing|attempt|_index|_key)$)[A-Za-z_][A-Za-z0-9_]{0,99}$';

export const parallelShape = exampled(
  {
    ...groupShape,
    agents: list('The nodes and groups that run side by side.', text('A node or group.'), 1),
  },
  { agents: ['publish', 'escalate'] },
);

const forEachFields = exampled(
  {
    ...groupShape,
    source: text(
      'The list: a dotted name such as workflow.input.items, or a template that gives one.',
    ),
    as: matching(
      'The name of the item in the templates of a member.',
      LOOP_NAME_PATTERN,
      'a name that templates do not use otherwise',
    ),
    key_by: text('The field of an item that names its member.').optional(),
  },
  { source: 'workflow.input.tickets', as: 'ticket', key_by: 'ticket.id' },
);

/** The member is a node of any type, so its schema exists only after those of all types. */
export function forEachShape<T>(
  member: Schema<T>,
): typeof forEachFields & { readonly agent: Schema<T> } {
  const agent = hinted(member, {
    description: 'The node that runs for each item.',
    examples: [{ name: 'label', prompt: 'Label {{ ticket }}' }],
  });
  return { ...forEachFields, agent };
}

export const parallelType = literal('Members side by side.', 'parallel');
export const forEachType = literal('One member for each item of a list.', 'for_each');

export type ParallelFile = FromShape<typeof parallelShape>;
export type ForEachFields = FromShape<typeof forEachFields>;

type GroupFile = FromShape<typeof groupShape>;

export function planParallel(
  node: ParallelFile,
  path: Path,
  planner: Planner,
): Omit<ParallelPlan, 'fingerprint'> {
  return { type: 'parallel', ...planGroup(node, path, planner), members: node.agents };
}

export function planForEach(
  node: ForEachFields,
  member: NodePlan,
  path: Path,
  planner: Planner,
): Omit<ForEachPlan, 'fingerprint'> {
  return omitUndefined({
    type: 'for_each',
    ...planGroup(node, path, planner),
    source: node.source,
    as: node.as,
    keyBy: node.key_by,
    member,
  });
}

function planGroup(node: GroupFile, path: Path, planner: Planner) {
  return omitUndefined({
    ...planStep(node, path, planner),
    maxConcurrent: node.max_concurrent ?? DEFAULT_MAX_CONCURRENT,
    failureMode: node.failure_mode ?? 'fail_fast',
    quorum: node.quorum,
  });
}
