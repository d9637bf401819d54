/**
 * Files that lost or replaced nodes between two legs, with the drift accepted: the resume is refused
 * before anything is written, or the run continues. It never ends in a defect.
 */
import { expect, it } from 'vitest';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { randomFrom, type Random } from '../../src/rehearsal/world/random.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { howToRepeat, sampled } from '../sampled.ts';
import { speak } from './conversation.ts';
import { drawPlan, planOfFiles, type DrawnPlan } from './plans.ts';
import type { Fields } from './shape.ts';
import { weatherOf } from './weather.ts';

/** Loading a workflow costs as much as running it, so each commit takes another eighth of the seeds. */
const RUNS_PER_PLAN = 10;
const SEEDS = sampled(
  Array.from({ length: 1500 }, (_, seed) => seed),
  { oneOf: 8, what: 'files that lost nodes' },
);

interface Group extends Fields {
  readonly name: string;
  readonly routes?: unknown;
}

interface FileText {
  nodes: Fields[];
  parallel?: (Group & { agents: string[] })[];
  for_each?: (Group & { agent: Fields })[];
}

type Edit = (file: FileText, random: Random) => FileText;

const rename: Edit = (file, random) => {
  const members = (file.for_each ?? []).flatMap(({ agent }) => String(agent['name']));
  const names = [...members, ...namesIn(file)];
  return renamed(file, random.pick(names)) as FileText;
};

const dropMember: Edit = (file, random) => {
  const groups = (file.parallel ?? []).filter(({ agents }) => agents.length > 1);
  if (groups.length > 0) random.pick(groups).agents.splice(random.int(2), 1);
  return file;
};

const TYPES: readonly Fields[] = [
  { type: 'set', value: 1 },
  { type: 'call', function: 'f', arguments: { n: 1 } },
  { type: 'agent', model: 'sim/one', prompt: 'Do it', tools: [] },
  { type: 'wait', duration: '1s' },
  { type: 'human_gate', prompt: 'Really?', options: [{ value: 'yes' }] },
];

const replace: Edit = (file, random) => {
  // those that other nodes run inside them have most to lose
  const chiefs = file.nodes.filter(({ type }) => type === 'supervisor');
  const names = chiefs.map((node) => String(node['name']));
  const name = random.pick(random.chance(0.5) && names.length > 0 ? names : namesIn(file));
  const type = random.pick(TYPES);
  const routes = [{ to: '$end' }];
  const others = <T extends Fields>(list: readonly T[] = []): T[] =>
    list.filter((each) => each['name'] !== name);
  return {
    ...file,
    nodes: [...others(file.nodes), { name, ...type, routes }],
    ...(file.parallel === undefined ? {} : { parallel: others(file.parallel) }),
    ...(file.for_each === undefined ? {} : { for_each: others(file.for_each) }),
  };
};

const EDITS: readonly Edit[] = [rename, rename, dropMember, replace, replace];

function namesIn({ nodes, parallel = [], for_each = [] }: FileText): string[] {
  return [...nodes, ...parallel, ...for_each].map((node) => String(node['name']));
}

/** Everywhere in the file, in templates too. */
function renamed(value: unknown, name: string): unknown {
  if (value === name) return `${name}_new`;
  if (typeof value === 'string')
    return value.replaceAll(new RegExp(`\\b${name}\\.(?=output|error)`, 'g'), `${name}_new.`);
  if (Array.isArray(value)) return value.map((each) => renamed(each, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renamed(each, name)]));
}

/** Undefined where the edited files are not valid. */
function edited({ files }: DrawnPlan, random: Random): WorkflowPlan | undefined {
  const name = random.pick(Object.keys(files));
  const file = JSON.parse(files[name] ?? '') as FileText;
  const text = JSON.stringify(random.pick(EDITS)(file, random));
  try {
    return planOfFiles({ ...files, [name]: text }).plan;
  } catch {
    // what was removed is named somewhere else in the file
    return undefined;
  }
}

it('a file that lost nodes is refused before anything is written, or the run continues', async () => {
  const ends = { refused: 0, continued: 0 };
  const defects: string[] = [];
  for (const seed of SEEDS) {
    const drawn = await drawPlan(Math.floor(seed / RUNS_PER_PLAN));
    const plan = edited(drawn, randomFrom('edit', seed));
    if (plan === undefined) continue;
    const { legs, incidents } = await simulate(drawn.plan, {
      seed,
      faults: weatherOf(seed),
      answers: 'any',
      speaker: speak,
      resumes: 2,
      maxLegs: 6,
      revise: () => ({ plan, acceptDrift: true }),
    });
    if (incidents.some(({ what }) => what === 'stuck')) defects.push(`seed ${seed}: stuck`);
    for (const { result, change, fromSeq, toSeq } of legs) {
      const kind = result.status === 'refused' ? result.error.kind : undefined;
      if (kind?.startsWith('internal.') === true)
        defects.push(`seed ${seed}: ${result.status === 'refused' ? result.error.message : ''}`);
      if (kind === 'run.drifted' && fromSeq !== toSeq) defects.push(`seed ${seed}: written`);
      if (kind === 'run.drifted') ends.refused++;
      else if (change !== undefined && toSeq > fromSeq) ends.continued++;
    }
  }
  process.stdout.write(
    `${SEEDS.length} files (${howToRepeat('test/simulation/renamed.test.ts')})\n`,
  );
  expect(defects).toEqual([]);
  expect(Math.min(ends.refused, ends.continued)).toBeGreaterThan(SEEDS.length / 20);
}, 600_000);
