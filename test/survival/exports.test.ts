/** What the command writes and reads of a run beside carrying it on: however long, whatever failed. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import { errand } from './process.ts';
import { text } from './subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-exports-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

function placeOf(name: string, file: JsonObject): Place {
  const cwd = join(root, name);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 't.yaml'), text(file));
  return { cwd, env: { ERRAND_HOME: join(cwd, 'home') } };
}

function exported({ cwd }: Place): { readonly run: string; readonly types: readonly string[] } {
  const runs = join(cwd, 'home', 'runs');
  const [run = ''] = readdirSync(runs);
  const lines = readFileSync(join(runs, run, 'events.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  return { run, types: events.map(({ type }) => type) };
}

/** A call takes about 125,000 arguments; on a small stack fewer, so the run need not be as long. */
const STEPS = 20_000;
const SMALL_STACK = ['--stack-size=400'];

it('continues with a run that has more events than a call takes arguments', async () => {
  const place = placeOf('long', {
    workflow: {
      name: 't',
      entry_point: 'tick',
      limits: { max_iterations: STEPS * 2 },
      state: { n: { type: 'number', default: 0, merge: 'sum' } },
    },
    nodes: [
      {
        name: 'tick',
        type: 'set',
        value: 1,
        state: { n: 1 },
        routes: [{ to: 'ask', when: `{{ state.n >= ${STEPS} }}` }, { to: 'tick' }],
      },
      {
        name: 'ask',
        type: 'human_gate',
        prompt: 'On?',
        options: [{ label: 'Yes', value: 'yes', route: '$end' }],
      },
    ],
    output: { n: '{{ state.n }}' },
  });
  expect((await errand(['run', 't.yaml', '--quiet'], place)).exit).toBe(5);
  const { run } = exported(place);
  const small = { ...place, node: SMALL_STACK };
  expect((await errand(['watch', run, '--quiet'], small)).exit).toBe(0);
  const answered = await errand(['answer', run, '--value', 'yes', '--format', 'json'], small);
  expect(JSON.parse(answered.stdout)).toMatchObject({ status: 'completed', output: { n: STEPS } });
  expect(exported(place).types.at(-1)).toBe('run:completed');
});

it('exports the whole run when the disk takes it again before the end', async () => {
  const sh = (name: string, script: string, to: string): JsonObject => ({
    name,
    type: 'script',
    command: 'sh',
    args: ['-c', script],
    routes: [{ to }],
  });
  const place = placeOf('behind', {
    workflow: { name: 't', entry_point: 'away' },
    nodes: [
      sh('away', 'cd home/runs/*; mv events.jsonl kept; mkdir events.jsonl', 'back'),
      sh('back', 'cd home/runs/*; rmdir events.jsonl; mv kept events.jsonl', 'rest'),
      { name: 'rest', type: 'set', value: 1 },
    ],
  });
  const { exit, stderr } = await errand(['run', 't.yaml'], place);
  expect(exit).toBe(0);
  expect(stderr).toContain('Cannot write events.jsonl');
  expect(exported(place).types).toContain('run:completed');
});

it.each([
  ['a folder', 'rm events.jsonl; mkdir events.jsonl'],
  ['a pipe', 'rm events.jsonl; mkfifo events.jsonl'],
])(
  'continues where the exports cannot be read or written, and says so to all: %s',
  async (what, spoil) => {
    const place = placeOf(what.replace(' ', '-'), {
      workflow: { name: 't', entry_point: 'ask' },
      nodes: [
        {
          name: 'ask',
          type: 'human_gate',
          prompt: 'On?',
          options: [{ label: 'Yes', value: 'yes', route: '$end' }],
        },
      ],
    });
    expect((await errand(['run', 't.yaml', '--quiet'], place)).exit).toBe(5);
    const { run } = exported(place);
    execFileSync('sh', ['-c', spoil], { cwd: join(place.cwd, 'home', 'runs', run) });
    const { exit, stderr } = await errand(['answer', run, '--value', 'yes', '--quiet'], place);
    expect(exit).toBe(0);
    // a pipe is replaced by a file, which a folder cannot be
    if (what === 'a folder')
      expect(stderr).toContain('Cannot write events.jsonl: a folder has that name');
    else expect(exported(place).types.at(-1)).toBe('run:completed');
  },
  300_000,
);
