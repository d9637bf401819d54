/** `parallel` and `for_each`: members that run side by side, each a branch of its own. */
import { given } from '../given.ts';
import {
  FAILURE_MODES,
  type ForEachPlan,
  type NodePlan,
  type ParallelPlan,
} from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import {
  choice,
  list,
  literal,
  matching,
  text,
  wholeNumber,
  type FromShape,
  type Schema,
} from '../schema/leaf.ts';
import { namedShape, planStep, routedShape } from './common.ts';

const DEFAULT_MAX_CONCURRENT = 8;

const groupShape = {
  ...namedShape,
  ...routedShape,
  failure_mode: choice(
    'What a failed member means. quorum needs `quorum`. Default: fail_fast.',
    FAILURE_MODES,
  ).optional(),
  quorum: wholeNumber('How many members must succeed; the rest is cancelled.', {
    min: 1,
  }).optional(),
  max_concurrent: wholeNumber('Members at once. Default: 8.', { min: 1, max: 1000 }).optional(),
};

const LOOP_NAME_PATTERN =
  '^(?!(workflow|context|output|error|state|failing|attempt|_index|_key)$)[A-Za-z_][A-Za-z0-9_]{0,99}$';

export const parallelShape = {
  ...groupShape,
  agents: list('The nodes and groups that run side by side.', text('A node or group.'), 1),
};

const forEachFields = {
  ...groupShape,
  source: text(
    'What to go through: a dotted name such as workflow.input.items, or a template that gives a list.',
  ),
  as: matching(
    'What templates of the member call the item.',
    LOOP_NAME_PATTERN,
    'a name that templates do not use otherwise',
  ),
  key_by: text('Names each member by a field of its item, such as ticket.id.').optional(),
};

/** The member is a node of any type, so it is known only when all types are. */
export function forEachShape<S extends Schema>(
  member: S,
): typeof forEachFields & { readonly agent: S } {
  return { ...forEachFields, agent: member };
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
  return given({
    type: 'for_each',
    ...planGroup(node, path, planner),
    source: node.source,
    as: node.as,
    keyBy: node.key_by,
    member,
  });
}

function planGroup(node: GroupFile, path: Path, planner: Planner) {
  return given({
    ...planStep(node, path, planner),
    maxConcurrent: node.max_concurrent ?? DEFAULT_MAX_CONCURRENT,
    failureMode: node.failure_mode ?? 'fail_fast',
    quorum: node.quorum,
  });
}
