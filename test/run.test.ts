/**
 * The life of a run by the command line alone. A third of the tests start the command from the sources,
 * others with each commit; the rest start the built one, which loads sooner.
 */
import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../src/cli/run-errand.cases.ts';
import { drawn, howToRepeat, IS_WHOLE } from './sampled.ts';
import { untilLine } from './survival/until.ts';

const SOURCES = join(import.meta.dirname, '..', 'bin', 'errand.mjs');

afterAll(() => {
  process.stdout.write(`\nfrom the sources: ${howToRepeat('test/run.test.ts')}\n`);
});

function launcher(): string {
  const { currentTestName = '' } = expect.getState();
  return IS_WHOLE || drawn(`sources for ${currentTestName}`, 3) === 0 ? SOURCES : LAUNCHER;
}

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-run-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function errand(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [launcher(), ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 300_000,
  });
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

const file = (nodes: string, header = ''): string =>
  `workflow:\n  name: t\n  entry_point: a\n${header}nodes:\n${nodes}`;

const bash = (script: string, more = ''): string =>
  `{name: a, type: script, command: bash, args: ["-c", ${JSON.stringify(script)}]${more}}`;

interface Shown {
  readonly run: string;
  readonly status: string;
  readonly output?: unknown;
  readonly error?: { readonly kind: string };
  readonly waiting?: { readonly reason: string };
  readonly costs: { readonly attempts: readonly object[] };
}

function shown({ stdout }: SpawnSyncReturns<string>): Shown {
  return JSON.parse(stdout) as Shown;
}

describe('errand run', () => {
  it('prints the output on stdout and nothing else there', () => {
    write(
      't.yaml',
      `${file(`  - ${bash(`echo '{"n": 4}'`, ', routes: [{to: b}]')}\n  - {name: b, type: transform, code: input.n + 38, arguments: {n: "{{ a.output.n }}"}}\n`)}output: {answer: "{{ b.output }}"}\n`,
    );
    const result = errand('run', 't.yaml');
    expect({ status: result.status, output: JSON.parse(result.stdout) as unknown }).toEqual({
      status: 0,
      output: { answer: 42 },
    });
    expect(result.stderr).toContain('b completed');
  });

  it('gives one object in JSON, whatever happens', () => {
    write('t.yaml', file(`  - ${bash('echo no such thing >&2; exit 3')}\n`));
    const result = errand('run', 't.yaml', '--format', 'json');
    expect(result.status).toBe(3);
    expect(shown(result)).toMatchObject({
      workflow: 't',
      status: 'failed',
      error: {
        kind: 'internal.script_error',
        message: 'no such thing',
        details: { exit_code: 3 },
        location: { node: 'a', line: 5 },
      },
      costs: {
        attempts: [{ node: 'a', type: 'script', kind: 'internal.script_error', outcome: 'failed' }],
      },
    });
  });

  it('keeps what a script raised, through a sub-workflow', () => {
    const raise = `echo '{"kind": "order.missing", "message": "No order", "details": {"id": 7}}' > $ERRAND_ERROR_OUT`;
    write('child.yaml', file(`  - ${bash(raise)}\n`));
    write('t.yaml', file('  - {name: a, type: workflow, workflow: ./child.yaml}\n'));
    const result = errand('run', 't.yaml', '--format', 'json');
    expect(result.status).toBe(3);
    expect(shown(result).error).toMatchObject({
      kind: 'order.missing',
      details: { id: 7 },
      frames: [{ path: 'a/a' }, { path: 'a' }],
    });
  });

  it.each([
    ['a file that is not there', ['run', 'nope.yaml'], 2, 'validation.workflow'],
    ['an input that is missing', ['run', 'in.yaml'], 2, 'validation.input'],
    [
      'an input that does not exist',
      ['run', 'in.yaml', '-i', 'x=1', '-i', 'y=1'],
      2,
      'validation.input',
    ],
    ['an input of another type', ['run', 'in.yaml', '-i', 'x=many'], 2, 'validation.input'],
  ])('refuses %s, and runs nothing', (_, args, status, kind) => {
    write(
      'in.yaml',
      file('  - {name: a, type: set, value: 1}\n', '  input: {x: {type: number}}\n'),
    );
    const result = errand(...args, '--format', 'json');
    expect(result.status).toBe(status);
    expect(shown(result)).toMatchObject({ status: 'refused', error: { kind } });
    expect(existsSync(join(folder, '.errand', 'runs'))).toBe(false);
  });

  it('reads inputs by their declared types', () => {
    write(
      't.yaml',
      `${file('  - {name: a, type: set, value: 1}\n', '  input: {s: {type: string}, n: {type: number}, l: {type: array, default: [1]}}\n')}output: {all: "{{ workflow.input }}"}\n`,
    );
    const result = errand('run', 't.yaml', '-i', 's=12', '-i', 'n=12');
    expect(JSON.parse(result.stdout)).toEqual({ all: { s: '12', n: 12, l: [1] } });
  });

  it('ends with 4 at a limit and says so', () => {
    write(
      't.yaml',
      file(
        '  - {name: a, type: set, value: 1, routes: [{to: a}]}\n',
        '  limits: {max_iterations: 3}\n',
      ),
    );
    const result = errand('run', 't.yaml');
    expect(result.status).toBe(4);
    expect(result.stderr).toContain('limit.steps');
  });

  it('writes the events of the run, without a gap', () => {
    write('t.yaml', file('  - {name: a, type: set, value: 1}\n'));
    const lines = errand('run', 't.yaml', '--json').stdout.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { seq: number; type: string });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('run:completed');
    const [run = ''] = readdirSync(join(folder, '.errand', 'runs'));
    const stored = readFileSync(join(folder, '.errand', 'runs', run, 'events.jsonl'), 'utf8');
    expect(stored.trim().split('\n')).toEqual(lines);
  });
});

describe('errand answer', () => {
  it('continues with a run that paused at a gate, and refuses what is no answer', () => {
    write(
      't.yaml',
      file(
        '  - {name: a, type: human_gate, prompt: Go?, options: [{label: Yes, value: y}, {label: No, value: n}]}\n',
      ),
    );
    const paused = errand('run', 't.yaml', '--format', 'json');
    expect(paused.status).toBe(5);
    const { run, waiting } = shown(paused);
    expect(waiting).toMatchObject({ reason: 'gate', gate: 'a', options: ['y', 'n'] });
    expect(errand('answer', run, '--value', 'maybe').status).toBe(2);
    const answered = errand('answer', run, '--value', 'y', '--format', 'json');
    expect(shown(answered)).toMatchObject({ status: 'completed', output: { selected: 'y' } });
    expect(errand('answer', run, '--value', 'y').status).toBe(2);
  });
});

describe('errand resume', () => {
  it('continues after a failure that was mended, and keeps what completed', () => {
    const once = 'echo x >> count; test -f mended';
    write(
      't.yaml',
      file(
        `  - {name: a, type: script, command: bash, args: ["-c", "echo a >> count"], routes: [{to: b}]}\n  - {name: b, type: script, command: bash, args: ["-c", ${JSON.stringify(once)}]}\n`,
      ),
    );
    const failed = errand('run', 't.yaml', '--format', 'json');
    expect(failed.status).toBe(3);
    write('mended', '');
    const resumed = errand('resume', shown(failed).run, '--format', 'json');
    expect(shown(resumed).status).toBe('completed');
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('a\nx\nx\n');
  });

  it('repeats after kill -9 only what it may, and asks about the rest', async () => {
    const slow = (name: string, more: string): string =>
      `  - {name: ${name}, type: script, command: bash, args: ["-c", "echo ${name} >> count; test -f go || sleep 60"]${more}}\n`;
    write('safe.yaml', file(slow('a', ', idempotent: true')));
    await killedWhile(() => errandInBackground('run', 'safe.yaml'));
    write('go', '');
    const [safe = ''] = readdirSync(join(folder, '.errand', 'runs'));
    expect(shown(errand('resume', safe, '--format', 'json')).status).toBe('completed');
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('a\na\n');

    rmSync(join(folder, 'go'));
    rmSync(join(folder, 'count'));
    rmSync(join(folder, '.errand'), { recursive: true });
    write('unsafe.yaml', file(slow('a', '')));
    await killedWhile(() => errandInBackground('run', 'unsafe.yaml'));
    write('go', '');
    const [unsafe = ''] = readdirSync(join(folder, '.errand', 'runs'));
    const asked = errand('resume', unsafe, '--format', 'json');
    expect(asked.status).toBe(5);
    expect(shown(asked).waiting).toMatchObject({
      reason: 'outcome',
      options: ['repeat', 'edit', 'abort'],
    });
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('a\n');
    const reported = errand(
      'answer',
      unsafe,
      '--value',
      '{"edit": {"done": true}}',
      '--format',
      'json',
    );
    expect(shown(reported)).toMatchObject({ status: 'completed', output: { done: true } });
  });
});

function errandInBackground(...args: string[]): ReturnType<typeof spawn> {
  return spawn(process.execPath, [launcher(), ...args], { cwd: folder, stdio: 'ignore' });
}

/** Kills the process once its script has left its first trace. */
async function killedWhile(begin: () => ReturnType<typeof spawn>): Promise<void> {
  const child = begin();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await untilLine(join(folder, 'count'));
  child.kill('SIGKILL');
  await gone;
}
