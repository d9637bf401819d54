import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import { memoryFiles } from '../../src/workflow/yaml/files.cases.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import type { ToolDescriptions } from '../../src/workflow/authoring/tool-description.ts';
import { validateWorkflow, type Validation } from '../../src/workflow/check/validate-workflow.ts';
import { isReservedKind } from '../../src/errors/catalog/kinds.ts';
import { mayThrowAnything } from '../../src/rehearsal/laws/classified-once.ts';
import { drawFiles } from './worst-case/files.ts';
import { Play, type Played } from './worst-case/play.ts';
import { Player } from './worst-case/player.ts';
import { drawn, howToRepeat, IS_WHOLE } from '../sampled.ts';

/**
 * Files that are valid and have a bound: every eighth of 2,000, and others with each commit. More of them
 * in a soak: `FILES=20000`; one: `FILE=12`.
 */
const ALL_FILES = Number(process.env['FILES'] ?? 2000);
const ONE = process.env['FILE'];
const PARTS = IS_WHOLE || process.env['FILES'] !== undefined || ONE !== undefined ? 1 : 8;
const FILES = ALL_FILES / PARTS;
const FIRST = ONE === undefined ? drawn('worst case', PARTS) : Number(ONE);

const LOOK = { isDeclared: true, isIdempotent: true, writes: false };
const PAY = { isDeclared: true, isIdempotent: false, writes: true };
const DESCRIBES: ToolDescriptions = { look: LOOK, pay: PAY, act: PAY };

function judge(files: Readonly<Record<string, string>>): Validation {
  const names = Object.keys(DESCRIBES);
  const known = () => ({ functions: names, tools: names, describes: DESCRIBES });
  return validateWorkflow('main.yaml', memoryFiles(files), {}, { known });
}

/** A greedy player, one that often does something else, and one that crashes and resumes. */
const PLAYERS = [
  { greed: 1, legs: 1, crashes: 0 },
  { greed: 0.9, legs: 1, crashes: 0 },
  { greed: 0.85, legs: 4, crashes: 0.02 },
];

interface Trial {
  readonly seed: number;
  readonly bound: number;
  readonly effects: number | null;
  readonly verdict: Validation;
  readonly plan: WorkflowPlan;
  readonly plays: readonly Played[];
}

/** Undefined for files that are not valid or have no bound. */
function playOut(files: Readonly<Record<string, string>>, seed: number): Trial | undefined {
  const verdict = judge(files);
  const worstCase = verdict.files[0]?.worstCase ?? undefined;
  if (verdict.plan === undefined || worstCase === undefined) return undefined;
  const { modelRequests: bound, effects } = worstCase;
  if (bound === null) return undefined;
  const children = Object.keys(verdict.plan.children);
  const tools = Object.fromEntries(['', ...children].map((file) => [file, DESCRIBES]));
  const plan = { ...verdict.plan, tools };
  const plays = PLAYERS.map(({ greed, legs, crashes }, index) => {
    const random = randomFrom('player', seed, index);
    return new Play(plan, { random, player: new Player(random, greed), legs, crashes }).run();
  });
  return { seed, bound, effects, verdict, plan, plays };
}

function mostOf({ plays }: Trial): number {
  return Math.max(...plays.flatMap(({ legs }) => legs.map((leg) => leg.modelRequests)));
}

function breachesOf({ bound, effects, verdict, plan, plays, seed }: Trial): string[] {
  const never = new Set(
    verdict.files.flatMap(({ file, diagnostics }) =>
      diagnostics
        .filter(({ code }) => code === 'never-matches')
        .map(({ pointer }) => `${file}${pointer}`),
    ),
  );
  return plays.flatMap(({ legs, taken, failed }) => [
    ...legs
      .filter(({ modelRequests }) => modelRequests > bound)
      .map(({ modelRequests }) => `${seed}: ${modelRequests} requests, and ${bound} were printed`),
    ...(effects === null ? [] : legs)
      .filter((leg) => leg.effects > (effects ?? 0))
      .map((leg) => `${seed}: ${leg.effects} effects, and ${effects ?? 0} were printed`),
    ...[...taken].filter((route) => never.has(route)).map((route) => `${seed}: ${route} was taken`),
    ...failed.flatMap(({ file, node, kind }) => {
      const said = verdict.files.find((each) => each.file === file)?.nodes[node.name];
      const isSaid = said?.raises.includes(kind) === true;
      if (isSaid || isBeyond(kind) || mayThrowAnything(plan, node)) return [];
      return [`${seed}: ${node.name} in ${file} failed with ${kind}`];
    }),
  ]);
}

/** The author's own kinds, and those that no route of the file takes. */
function isBeyond(kind: string): boolean {
  return !isReservedKind(kind) || kind === 'limit.steps' || kind === 'terminate.failed';
}

/** Rows of files that were once bounded too low: what is printed, and what the player makes of it. */
function trial(text: string, more: Readonly<Record<string, string>> = {}): Trial | undefined {
  return playOut({ 'main.yaml': text, ...more }, 0);
}

describe('the worst player', () => {
  it(`makes no more requests than were printed, in any of ${FILES} files`, () => {
    const breaches: string[] = [];
    let played = 0;
    let reached = 0;
    for (let seed = FIRST; played < (ONE === undefined ? FILES : 1); seed += PARTS) {
      const found = playOut(drawFiles(randomFrom('worst case', seed)), seed);
      if (found === undefined) continue;
      played++;
      if (found.bound > 0 && mostOf(found) >= found.bound) reached++;
      breaches.push(...breachesOf(found));
    }
    process.stdout.write(
      `${played} files (${howToRepeat('test/simulation/worst-case.test.ts')})\n`,
    );
    expect(breaches.slice(0, 20)).toEqual([]);
    // a player that never comes near would prove nothing; of all files it reaches the bound in a twentieth, and
    // the part of one commit may lie three standard deviations below that
    const expected = FILES / 20;
    const least = IS_WHOLE ? expected : expected - 3 * Math.sqrt(expected);
    if (ONE === undefined) expect(reached).toBeGreaterThan(least);
  }, 600_000);
});

const RETRY = 'retry: {max: 50, backoff: none}';
const HEAD = 'workflow: {name: t, entry_point: a, state: {n: {type: number, default: 0}}';

describe('a retry on a kind that was once thought impossible', () => {
  it.each([
    [
      'no route matches',
      `${HEAD}, on_error: [{on_error: route.no_match, ${RETRY}}]}
agents: [{name: a, prompt: Hi, model: sim/m, tools: [], max_turns: 1, routes: [{to: $end, when: "{{ false }}"}]}]`,
      51,
    ],
    [
      'a guard that cannot be evaluated',
      `${HEAD}, on_error: [{on_error: "route.*", ${RETRY}}]}
agents: [{name: a, prompt: Hi, model: sim/m, tools: [], max_turns: 1, routes: [{to: $end, when: "{{ 1 / state.n > 0 }}"}]}]`,
      51,
    ],
    [
      'write_state that nobody offered',
      `${HEAD}}
agents: [{name: a, prompt: Hi, model: sim/m, tools: [], routes: [{to: $end}, {on_error: agent.permission_denied, ${RETRY}}]}]`,
      51,
    ],
    [
      'a tool that the node may not use',
      `${HEAD}}
agents: [{name: a, prompt: Hi, model: sim/m, tools: [], routes: [{to: $end}, {on_error: tool.forbidden, ${RETRY}}]}]`,
      51,
    ],
    [
      'the time of a child',
      `${HEAD}}
agents: [{name: a, type: workflow, workflow: ./child.yaml, timeout_seconds: 500, routes: [{to: $end}, {on_error: limit.node_timeout, ${RETRY}}]}]`,
      20,
    ],
    [
      'the time of a supervisor',
      `${HEAD}}
agents:
  - {name: a, type: supervisor, prompt: Hi, model: sim/m, manages: [b], max_rounds: 1, timeout_seconds: 500, routes: [{to: $end}, {on_error: limit.node_timeout, ${RETRY}}]}
  - {name: b, type: set, value: 1}`,
      51,
    ],
    [
      'a raise of a supervisor',
      `${HEAD}}
agents:
  - {name: a, type: supervisor, prompt: Hi, model: sim/m, manages: [b], max_rounds: 1, routes: [{to: $end}, {on_error: order.missing, ${RETRY}}]}
  - {name: b, type: set, value: 1}`,
      51,
    ],
    [
      'the budget of a supervisor',
      `${HEAD}}
agents:
  - {name: a, type: supervisor, prompt: Hi, model: sim/m, manages: [b], max_rounds: 1, budget: {tokens: 1}, routes: [{to: $end}, {on_error: limit.budget, ${RETRY}}]}
  - {name: b, type: set, value: 1}`,
      0,
    ],
  ])('counts: %s', (_, text, atLeast) => {
    const child = `workflow: {name: c, entry_point: x}
agents: [{name: x, prompt: Hi, model: sim/m, tools: [], max_turns: 1}]`;
    const found = trial(text, { 'child.yaml': child });
    if (found === undefined) throw new Error('It is not valid, or has no bound');
    const codes = found.verdict.files.flatMap((file) => file.diagnostics.map(({ code }) => code));
    expect(codes).not.toContain('never-matches');
    expect(mostOf(found)).toBeGreaterThanOrEqual(atLeast);
    expect(breachesOf(found)).toEqual([]);
  });

  it('is billed with the models of the nearest caller that names some', () => {
    const agent = 'agents: [{name: a, prompt: Hi, tools: [], max_turns: 1}]';
    const calls = (file: string): string =>
      `agents: [{name: a, type: workflow, workflow: ./${file}}]`;
    const found = trial(
      `workflow: {name: t, entry_point: a, runtime: {default_model: sim/x}}\n${calls('middle.yaml')}`,
      {
        'middle.yaml': `workflow: {name: m, entry_point: a, runtime: {default_model: [sim/x, sim/y, sim/z]}}\n${calls('leaf.yaml')}`,
        'leaf.yaml': `workflow: {name: l, entry_point: a}\n${agent}`,
      },
    );
    expect(found?.bound).toBe(18);
    expect(found === undefined ? [] : breachesOf(found)).toEqual([]);
  });
});

describe('a supervisor that can come back to itself', () => {
  const file = (a: string, more = '', header = ''): string => `
workflow: {name: b9, entry_point: s, limits: {max_iterations: 3}${header}}
agents:
  - {name: s, type: supervisor, prompt: hi, model: sim/boss, manages: [a], max_rounds: 1, routes: [{to: $end}]}
  - {name: a, prompt: hi, model: sim/m, tools: [], max_turns: 1, routes: ${a}}
${more}`;
  it.each([
    ['by a route', file('[{to: s}]')],
    ['by an error route', file('[{to: $end}, {on_error: true, to: s}]')],
    [
      'through another node',
      file('[{to: b}]', '  - {name: b, type: set, value: 1, routes: [{to: s}]}'),
    ],
    [
      'by the table of the workflow',
      file('[{to: $end}]', '', ', on_error: [{on_error: true, to: s}]'),
    ],
    [
      'by an option of a gate',
      file(
        '[{to: b}]',
        '  - {name: b, type: human_gate, prompt: x, options: [{label: y, value: y, route: s}]}',
      ),
    ],
    [
      'through a group',
      file(
        '[{to: g}]',
        '  - {name: b, type: set, value: 1, routes: [{to: s}]}\nparallel: [{name: g, agents: [b]}]',
      ),
    ],
    [
      'through another supervisor',
      file(
        '[{to: t}]',
        '  - {name: t, type: supervisor, prompt: x, model: sim/m, manages: [b], max_rounds: 1}\n  - {name: b, type: set, value: 1, routes: [{to: s}]}',
      ),
    ],
    ['directly', file('[{to: $end}]').replace('manages: [a]', 'manages: [a, s]')],
  ])('is refused: %s', (_, text) => {
    const { isValid, files } = judge({ 'main.yaml': text });
    const found = files
      .flatMap(({ diagnostics }) => diagnostics)
      .filter(({ code }) => code === 'group-cycle');
    expect(isValid).toBe(false);
    expect(found[0]).toMatchObject({
      severity: 'error',
      line: expect.any(Number),
      column: expect.any(Number),
      suggestion: expect.any(String),
    });
  });

  it('may lead back to itself by its own routes, and its members to each other', () => {
    const text = file('[{to: b}]', '  - {name: b, type: set, value: 1}').replace(
      'routes: [{to: $end}]',
      'routes: [{to: s}]',
    );
    expect(judge({ 'main.yaml': text }).isValid).toBe(true);
  });
});
