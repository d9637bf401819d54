/**
 * Changes to a generated workflow between two legs of a run, as a person would make them with an
 * editor.
 */
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import type { Revision } from '../../src/rehearsal/simulated-run.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import type { Files } from './generate.ts';
import { planOfFiles, type DrawnPlan } from './plans.ts';
import type { Fields } from './shape.ts';

interface Revised {
  readonly files: Files;
  readonly plan: WorkflowPlan;
}

/** Keys of a changed node that it did not have before. */
function markOf(number: number): string {
  return `revision-${number}`;
}

/** The file at the resumption of the run, for one seed. */
export function reviser(drawn: DrawnPlan, seed: number): (leg: number) => Revision | undefined {
  return (leg) => {
    const random = randomFrom('revision', seed, leg);
    const draw = random.int(4);
    if (draw === 0) return undefined;
    const plan = draw === 1 ? drawn.plan : revised(drawn, draw).plan;
    return { plan, acceptDrift: random.chance(0.5) };
  };
}

/**
 * The changed input at the resumption of the run, for one seed: another list, or no more waiting.
 */
export function amender(seed: number): (leg: number) => Revision {
  return (leg) => {
    const random = randomFrom('amendment', seed, leg);
    return {
      acceptDrift: random.chance(0.7),
      now: random.chance(0.5),
      ...(random.chance(0.5) ? { input: { items: random.pick(LISTS) } } : {}),
    };
  };
}

const LISTS = [[1, 2], [4], [], [3, 2, 1], [1, 2, 3, 4]];

const REVISED = new WeakMap<DrawnPlan, Map<number, Revised>>();

/** One of two; all runs of a workflow share them, because each has to be loaded and checked. */
function revised(drawn: DrawnPlan, number: number): Revised {
  const known = REVISED.get(drawn) ?? new Map<number, Revised>();
  REVISED.set(drawn, known);
  const found = known.get(number) ?? revise(drawn, number);
  known.set(number, found);
  return found;
}

function revise({ files }: DrawnPlan, number: number): Revised {
  const changed = Object.fromEntries(
    Object.entries(files).map(([name, text], index) => {
      const file = JSON.parse(text) as FileText;
      const random = randomFrom('revise', text, number);
      for (const node of nodesOf(file))
        if (random.chance(0.25)) change(node, markOf(number + 10 * index));
      return [name, JSON.stringify(file)];
    }),
  );
  const { plan } = planOfFiles(changed);
  return { files: changed, plan };
}

interface ForEachText extends Fields {
  readonly agent: Fields | ForEachText;
}

interface FileText {
  readonly nodes: Fields[];
  readonly for_each?: ForEachText[];
}

/** By name, to compare two texts. */
export function nodesOf({ nodes, for_each = [] }: FileText): readonly Fields[] {
  return [...nodes, ...for_each.flatMap(membersOf)];
}

function membersOf({ agent }: ForEachText): readonly Fields[] {
  return isForEach(agent) ? [agent, ...membersOf(agent)] : [agent];
}

function isForEach(node: Fields | ForEachText): node is ForEachText {
  return node['type'] === 'for_each';
}

/** Changes the work of the node, and not its routes. */
function change(node: Fields, mark: string): void {
  switch (node['type']) {
    case 'script':
      node['env'] = { REVISION: mark };
      return;
    case 'call':
    case 'tool':
    case 'transform':
      node['arguments'] = { ...(node['arguments'] as Fields), revision: mark };
      return;
    case 'agent':
    case 'supervisor':
    case 'human_gate':
      node['prompt'] = `${String(node['prompt'])} (${mark})`;
      return;
    case 'set':
      node['value'] = { n: 1, mark };
      return;
    default:
      return;
  }
}
