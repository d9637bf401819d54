/** Facts that a command must print: that it was cut off, that an outcome is unknown, that a budget was exceeded. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { anyErrand, errand } from '../survival/process.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-silence-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Place {
  readonly type: (...args: readonly string[]) => ReturnType<typeof errand>;
  /** In a process that something in it ends. */
  readonly end: (...args: readonly string[]) => ReturnType<typeof errand>;
  readonly events: () => readonly RunEvent[];
}

function place(files: Readonly<Record<string, string>>): Place {
  const cwd = mkdtempSync(join(root, 'place-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const home = join(cwd, 'home');
  return {
    type: (...args) => anyErrand(args, { cwd, env: { ERRAND_HOME: home } }),
    end: (...args) => errand(args, { cwd, env: { ERRAND_HOME: home } }),
    events: () => {
      const runs = join(home, 'runs');
      const text = readFileSync(join(runs, readdirSync(runs)[0] ?? '', 'events.jsonl'), 'utf8');
      // written by the command
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEvent);
    },
  };
}

it('a function that ends the process does not end the run: the exit is not 0, and the command to resume is printed', async () => {
  const { end } = place({
    't.yaml': `workflow: {name: t, entry_point: a, module: ./m.mjs}
nodes: [{name: a, type: call, function: leave}]
`,
    'm.mjs': 'export const leave = () => { process.exit(0); };\n',
  });
  for (const form of [[], ['--format', 'json'], ['--json'], ['--quiet']]) {
    const { exit, stderr } = await end('run', 't.yaml', ...form);
    expect(exit, stderr).toBe(130);
    const said = stderr.split('\n').filter((line) => line.includes('was cut off'));
    expect(said).toEqual([
      expect.stringMatching(/^▪ (\w+) was cut off: .*Resume with: errand resume \1$/),
    ]);
  }
});

it('an extension that ends the process in its stop does not turn a failure into success', async () => {
  const { end } = place({
    't.yaml': `workflow: {name: t, entry_point: a, extensions: [./e.mjs]}
nodes: [{name: a, type: script, command: 'false'}]
`,
    'e.mjs': `import { extension } from 'errand';
export const e = extension({ name: 'e', contract: 1, stop: () => process.exit(0) });
`,
  });
  const { exit, stderr } = await end('run', 't.yaml');
  expect(exit, stderr).toBe(3);
  expect(stderr).toContain('internal.script_error');
});

const DOUBTFUL = {
  't.yaml': `workflow: {name: t, entry_point: both}
parallel: [{name: both, agents: [quick, pay], failure_mode: quorum, quorum: 1, routes: [{to: $end}]}]
nodes:
  - {name: quick, type: script, command: sh, args: ['-c', 'while ! [ -e begun ]; do sleep 0.05; done']}
  - {name: pay, type: script, command: sh, args: ['-c', 'touch begun; sleep 30']}
`,
};

it('a run that completes with an effect in doubt prints it', async () => {
  const { type } = place(DOUBTFUL);
  const { exit, stderr } = await type('run', 't.yaml');
  expect(exit, stderr).toBe(0);
  expect(stderr).toMatch(
    /▪ 1 effect has an unknown outcome: both\[pay\]\/pay \(sh\); see errand show \w+\n/,
  );
});

it('and in JSON, as errand show has it', async () => {
  const { type } = place(DOUBTFUL);
  const { exit, stdout, stderr } = await type('run', 't.yaml', '--format', 'json');
  expect(exit, stderr).toBe(0);
  const said = JSON.parse(stdout) as { run: string; in_doubt: unknown };
  const shown = JSON.parse((await type('show', said.run, '--format', 'json')).stdout) as object;
  expect(said.in_doubt).toMatchObject([{ node: 'pay', target: 'sh' }]);
  expect(shown).toMatchObject({ in_doubt: said.in_doubt });
});

it('a run without unknown outcomes mentions none', async () => {
  const { type } = place({
    't.yaml': `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: set, value: 1}]
`,
  });
  const { stdout } = await type('run', 't.yaml', '--format', 'json');
  expect(JSON.parse(stdout)).not.toHaveProperty('in_doubt');
});

const overspending = (price: string): string => `workflow:
  name: t
  entry_point: all
  limits: {budget_usd: 0.01, timeout_seconds: 60}
  ${price}
parallel: [{name: all, agents: [a, b], failure_mode: all_or_nothing}]
nodes:
  - {name: a, model: sim/big, prompt: hi, tools: [], max_tokens: 100, timeout_seconds: 60}
  - {name: b, model: sim/big, prompt: hi, tools: [], max_tokens: 100, timeout_seconds: 60}
`;
const SAYS = 'simulate: {big: [{answer: x, usage: {input_tokens: 10, output_tokens: 100000}}]}';

it.each([
  ['of simulated models', `runtime: {simulate_price_per_mtok: {input: 1, output: 10}, ${SAYS}}`],
  [
    'of one model',
    `runtime: {${SAYS}}\n  cost: {pricing: {sim/big: {input_per_mtok: 1, output_per_mtok: 10}}}`,
  ],
])('a last call that exceeds the budget leaves a warning, by the price %s', async (_of, price) => {
  const { type, events } = place({ 't.yaml': overspending(price) });
  const validated = await type('validate', 't.yaml');
  expect(validated.stdout.replaceAll(/\s+/g, ' ')).toContain(
    '$0.01 if providers keep to max_tokens',
  );
  const { exit, stderr } = await type('run', 't.yaml');
  expect(exit, stderr).toBe(0);
  expect(stderr).toMatch(/warning: A call of [ab] cost more than was reserved for it: \$/);
  const warned = events().filter((event) => event.type === 'error:suppressed');
  expect(warned).toMatchObject([
    {
      isWarning: true,
      error: { kind: 'limit.budget', details: { limit: 10_000, unit: 'usdMicros' } },
    },
  ]);
});
