/** Workflows to interrupt: generated from a seed, with everything that can be open in a run. */
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { seeded } from '../../src/workflow/yaml/mutate.cases.ts';

export interface Subject {
  readonly name: string;
  /** The texts by name; the first one is run. */
  readonly files: Readonly<Record<string, string>>;
  readonly input: JsonObject;
  readonly answers: readonly { readonly gate: string; readonly value: JsonValue }[];
}

/** A script whose name begins with this may be repeated; the world must see any other only once. */
export const REPEATABLE = 'safe_';

interface Draft {
  readonly files: Map<string, JsonObject>;
  readonly answers: { gate: string; value: JsonValue }[];
  readonly pick: (count: number) => number;
  /** The length of the list of inputs. */
  readonly items: number;
  names: number;
}

interface Lines {
  readonly nodes: JsonObject[];
  readonly parallel: JsonObject[];
  readonly for_each: JsonObject[];
  readonly output: Record<string, JsonValue>;
}

type Route = JsonObject;
type Part = (draft: Draft, lines: Lines, next: string) => string;

export function generatedSubject(seed: number): Subject {
  const pick = random(seed);
  const items = 2 + pick(2);
  const draft: Draft = { files: new Map(), answers: [], pick, items, names: 0 };
  const workflow = file(draft, 't', [
    ...parts(draft, 2 + draft.pick(2)),
    group,
    ...parts(draft, 1),
  ]);
  // indented: the reader would refuse one line of it as too deep
  const files = new Map([['t.yaml', workflow], ...draft.files]);
  return {
    name: `generated ${seed}`,
    files: Object.fromEntries([...files].map(([name, value]) => [name, text(value)])),
    input: { items: ['x', 'y', 'z'].slice(0, items) },
    answers: draft.answers,
  };
}

export function text(value: JsonValue): string {
  return JSON.stringify(value, null, 1);
}

function file(draft: Draft, name: string, chain: readonly Part[]): JsonObject {
  const lines: Lines = { nodes: [], parallel: [], for_each: [], output: {} };
  let next = '$end';
  for (const part of [...chain].reverse()) next = part(draft, lines, next);
  const { nodes, parallel, for_each, output } = lines;
  return {
    workflow: {
      name,
      entry_point: next,
      input: { items: { type: 'array', default: ['x', 'y'] } },
      state: { log: { type: 'array', default: [], merge: 'append' } },
    },
    nodes,
    ...(parallel.length === 0 ? {} : { parallel }),
    ...(for_each.length === 0 ? {} : { for_each }),
    output: { ...output, log: '{{ state.log }}' },
  };
}

/** The parts of a chain; groups and children hold chains of their own. */
function parts(draft: Draft, count: number): Part[] {
  const all: readonly Part[] = [script, flaky, broken, set, set, transform, wait, gate, child];
  return Array.from({ length: count }, () => all[draft.pick(all.length)] ?? set);
}

function fresh(draft: Draft, stem: string): string {
  return `${stem}${++draft.names}`;
}

function deedName(draft: Draft): { readonly name: string; readonly more: JsonObject } {
  const isSafe = draft.pick(3) === 0;
  const name = fresh(draft, isSafe ? `${REPEATABLE}deed` : 'deed');
  return { name, more: isSafe ? { idempotent: true } : {} };
}

function deed(name: string, failures: number, more: JsonObject): JsonObject {
  return {
    name,
    type: 'script',
    command: 'sh',
    args: ['deed.sh', name, String(failures)],
    ...more,
  };
}

const script: Part = (draft, { nodes, output }, next) => {
  const { name, more } = deedName(draft);
  nodes.push(deed(name, 0, { ...more, routes: [{ to: next }] }));
  output[name] = `{{ ${name}.output.did | default('nothing') }}`;
  return name;
};

const flaky: Part = (draft, { nodes, output }, next) => {
  const { name, more } = deedName(draft);
  const again: Route = { on_error: 'internal.script_error', retry: { max: 3, backoff: 'none' } };
  nodes.push(deed(name, 1 + draft.pick(2), { ...more, routes: [{ to: next }, again] }));
  output[name] = `{{ ${name}.output.did | default('nothing') }}`;
  return name;
};

const broken: Part = (draft, { nodes, output }, next) => {
  const { name, more } = deedName(draft);
  const handled: Route = { on_error: 'internal.script_error', to: next };
  nodes.push(deed(name, 99, { ...more, routes: [{ to: next }, handled] }));
  output[name] = `{{ ${name}.error.kind | default('fine') }}`;
  return name;
};

const set: Part = (draft, { nodes }, next) => {
  const name = fresh(draft, 'note');
  nodes.push({ name, type: 'set', value: name, state: { log: [name] }, routes: [{ to: next }] });
  return name;
};

const transform: Part = (draft, { nodes, output }, next) => {
  const name = fresh(draft, 'count');
  const given = { items: '{{ workflow.input.items }}' };
  const code = 'input.items.length + 40';
  nodes.push({ name, type: 'transform', code, arguments: given, routes: [{ to: next }] });
  output[name] = `{{ ${name}.output }}`;
  return name;
};

const wait: Part = (draft, { nodes }, next) => {
  const name = fresh(draft, 'pause');
  nodes.push({ name, type: 'wait', duration: '5ms', routes: [{ to: next }] });
  return name;
};

const gate: Part = (draft, { nodes, output }, next) => {
  const name = fresh(draft, 'gate');
  const options = ['yes', 'no'].map((value) => ({ label: value, value }));
  nodes.push({ name, type: 'human_gate', prompt: 'Go on?', options, routes: [{ to: next }] });
  draft.answers.push({ gate: name, value: 'yes' });
  output[name] = `{{ ${name}.output.selected }}`;
  return name;
};

const child: Part = (draft, { nodes, output }, next) => {
  const name = fresh(draft, 'child');
  const inside: readonly Part[] = [script, set, flaky, gate];
  const chain = [
    inside[draft.pick(inside.length)] ?? set,
    inside[draft.pick(inside.length)] ?? set,
  ];
  draft.files.set(`${name}.yaml`, file(draft, name, chain));
  nodes.push({ name, type: 'workflow', workflow: `./${name}.yaml`, routes: [{ to: next }] });
  output[name] = `{{ ${name}.output }}`;
  return name;
};

const MODES = ['fail_fast', 'continue_on_error', 'all_or_nothing', 'quorum'] as const;

/** a member may fail only if the others finish anyway, or the result would depend on timing */
const group: Part = (draft, lines, next) => {
  const mode = MODES[draft.pick(MODES.length)] ?? 'fail_fast';
  const name = fresh(draft, 'group');
  const mayFail = mode === 'continue_on_error' || mode === 'all_or_nothing';
  const rules = {
    failure_mode: mode,
    routes: [{ to: next }, { on_error: ['group.failed', 'group.quorum'], to: next }],
  };
  lines.output[name] =
    mode === 'all_or_nothing'
      ? `{{ ${name}.error.kind | default('fine') }}`
      : `{{ ${name}.outputs }}`;
  if (draft.pick(2) === 0) {
    const { name: member, more } = deedName(draft);
    const one = deed(`${member}`, 0, { ...more, args: ['deed.sh', `${member}_{{ item }}`] });
    lines.for_each.push({
      name,
      source: 'workflow.input.items',
      as: 'item',
      ...(draft.pick(2) === 0 ? { key_by: 'item' } : {}),
      agent: one,
      max_concurrent: 1 + draft.pick(3),
      ...rules,
      ...(mode === 'quorum' ? { quorum: draft.items } : {}),
    });
    return name;
  }
  const members = [script, flaky, ...(mayFail ? [broken] : [transform])].map((part) =>
    memberOf(part, draft, lines),
  );
  lines.parallel.push({
    name,
    agents: members,
    ...rules,
    ...(mode === 'quorum' ? { quorum: members.length } : {}),
  });
  return name;
};

/** The group handles a member's failure, so the member has no handler of its own. */
function memberOf(part: Part, draft: Draft, { nodes }: Lines): string {
  const own: Lines = { nodes: [], parallel: [], for_each: [], output: {} };
  const name = part(draft, own, '$end');
  for (const node of own.nodes) {
    const routes = (node['routes'] as Route[]).filter(
      ({ to, on_error }) => on_error === undefined || to === undefined,
    );
    nodes.push({ ...node, routes });
  }
  return name;
}

function random(seed: number): (count: number) => number {
  const next = seeded(seed * 2_654_435_761);
  return (count) => (next() * 2 ** 32) % count;
}
