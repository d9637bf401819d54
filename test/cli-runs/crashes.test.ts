/**
 * Code of modules, functions and extensions that fails where nothing waits for it, that ends the process, or
 * that prints: the command still answers in its own form, and nothing secret leaves.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { errand, type Ended } from '../survival/process.ts';

const KEY = 'sk-proj-abcdefghijklmnop0123456789';
const VALUE = 'pg-Pw-4417-zzQ';
const root = mkdtempSync(join(tmpdir(), 'errand-crashes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const CALL = `workflow: {name: t, entry_point: a, on_unhandled: fail, module: ./m.mjs}
nodes: [{name: a, type: call, function: f, arguments: {password: "\${DBPASS}"}, timeout_seconds: 30}]
`;
const EXTENDED = `workflow: {name: t, entry_point: a, on_unhandled: fail, extensions: [./m.mjs]}
nodes: [{name: a, type: set, value: 1}]
`;

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly type: (...args: readonly string[]) => Promise<Ended>;
}

function place(module: string, file = CALL): Place {
  const cwd = mkdtempSync(join(root, 'place-'));
  writeFileSync(join(cwd, 't.yaml'), file);
  writeFileSync(join(cwd, 'm.mjs'), module);
  const env = { ERRAND_HOME: join(cwd, 'home'), OPENAI_API_KEY: KEY, DBPASS: VALUE };
  return { cwd, env, type: (...args) => errand(args, { cwd, env }) };
}

/** No key, no stack frame, no folder and no control character. */
function expectClean({ stdout, stderr }: Ended, { cwd }: Place): void {
  const all = stdout + stderr;
  expect(all).not.toContain(KEY);
  expect(all).not.toContain(VALUE);
  expect(all).not.toContain(cwd);
  expect(all).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(all).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
}

const LEAK = `Object.assign(new Error('503 with ' + process.env.OPENAI_API_KEY + ' \\u001b]0;pwn\\u0007'), {
  config: { headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY } } })`;
/** It waits for its signal, so that the run cannot have ended before it is stopped. */
const WAITS = `return new Promise((done) => signal.addEventListener('abort', () => done(1)));`;
const STRAY = {
  'a rejection that nothing awaits': `void Promise.reject(${LEAK});`,
  'a throw in a timer': `setTimeout(() => { throw ${LEAK}; }, 1);`,
  'a throw in a microtask': `queueMicrotask(() => { throw ${LEAK}; });`,
  'a rejection with a text': `void Promise.reject('no ' + process.env.OPENAI_API_KEY);`,
};

describe.each(Object.entries(STRAY))('%s, in a function', (_, line) => {
  const m = `export const f = (_, { signal }) => { ${line} ${WAITS} };\n`;

  it('stops the run, which can be resumed, with one object that says why', async () => {
    const here = place(m);
    const ended = await here.type('run', 't.yaml', '--format', 'json');
    expect(ended.exit, ended.stderr).toBe(130);
    const said = JSON.parse(ended.stdout) as { run: string; error: { id: string } };
    expect(said).toMatchObject({
      workflow: 't',
      status: 'interrupted',
      error: { kind: 'extension.lifecycle', action: { kind: 'fix_code' } },
      costs: { attempts: [{ node: 'a' }] },
    });
    expectClean(ended, here);
    // the whole of it, under the same id, in the internal record
    const records = readFileSync(join(here.cwd, 'home/internal.jsonl'), 'utf8');
    expect(records).toContain(said.error.id);
    expect(records).not.toContain(KEY);
    writeFileSync(join(here.cwd, 'm.mjs'), 'export const f = () => 2;\n');
    expect(await here.type('resume', said.run, '--quiet')).toMatchObject({ exit: 0 });
  });
});

it('a stray failure is shown to people with the command that resumes the run', async () => {
  const here = place(
    `export const f = (_, { signal }) => { void Promise.reject(${LEAK}); ${WAITS} };\n`,
  );
  for (const form of [[], ['--quiet'], ['--json'], ['--format', 'markdown']]) {
    const ended = await here.type('run', 't.yaml', ...form);
    expect(ended.exit, ended.stderr).toBe(130);
    expect(ended.stdout + ended.stderr).toContain('extension.lifecycle');
    expectClean(ended, here);
  }
  const { stderr } = await here.type('run', 't.yaml');
  expect(stderr).toMatch(/errand resume \w{24}/);
});

it('a stray failure that names a value of ${VAR} does not show it', async () => {
  const here = place(
    `export const f = ({ password }, { signal }) => { void Promise.reject(new Error('login ' + password)); ${WAITS} };\n`,
  );
  const ended = await here.type('run', 't.yaml', '--format', 'json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'interrupted' });
  expectClean(ended, here);
});

it('a run that ended by itself keeps its result, and the stray failure is a line beside it', async () => {
  const here = place(
    `export const f = () => { process.once('beforeExit', () => { throw ${LEAK}; }); return 1; };\n`,
  );
  const ended = await here.type('run', 't.yaml', '--format', 'json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'completed', output: 1 });
  expect(ended.exit).toBe(0);
  expect(ended.stderr).toContain('503 with');
  expectClean(ended, here);
});

describe('a module that fails late while it is loaded', () => {
  const late = `setTimeout(() => { throw ${LEAK}; }, 1);
export const f = () => 1;
await new Promise((done) => setTimeout(done, 60_000).unref());
await new Promise((done) => setInterval(() => 1, 1000));
`;

  it('makes validate refuse the file', async () => {
    const here = place(late);
    const ended = await here.type('validate', 't.yaml', '--format', 'json');
    expect(ended.exit, ended.stderr).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { kind: 'extension.lifecycle' } });
    expectClean(ended, here);
  });

  it('makes run refuse it, with the object of every result', async () => {
    const here = place(late);
    const ended = await here.type('run', 't.yaml', '--format', 'json');
    expect(ended.exit, ended.stderr).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      run: null,
      status: 'refused',
      error: { kind: 'extension.lifecycle' },
    });
    expectClean(ended, here);
  });

  it('is the same in an extension', async () => {
    const here = place(late, EXTENDED);
    for (const command of ['run', 'validate']) {
      const ended = await here.type(command, 't.yaml', '--format', 'json');
      expect(ended.exit, ended.stderr).toBe(2);
      expect(JSON.parse(ended.stdout)).toMatchObject({ error: { kind: 'extension.lifecycle' } });
      expectClean(ended, here);
    }
  });
});

describe('code that ends the process', () => {
  it.each([0, 7])('in a function (%i) leaves one object: interrupted', async (code) => {
    const here = place(`export const f = () => process.exit(${code});\n`);
    const ended = await here.type('run', 't.yaml', '--format', 'json');
    expect(ended.exit, ended.stderr).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      workflow: 't',
      status: 'interrupted',
      error: { kind: 'extension.lifecycle' },
      costs: { attempts: [{ node: 'a' }] },
    });
    expectClean(ended, here);
  });

  it('while a module is loaded is not success', async () => {
    const here = place('export const f = () => 1; process.exit(0);\n');
    for (const command of ['run', 'validate']) {
      const ended = await here.type(command, 't.yaml', '--format', 'json');
      expect(ended.exit, ended.stderr).toBe(2);
      expect(JSON.parse(ended.stdout)).toMatchObject({ error: { kind: 'extension.lifecycle' } });
    }
  });
});

describe('what a module prints', () => {
  const prints = `console.log('loaded', process.env.OPENAI_API_KEY);
export const f = ({ password }) => {
  console.log('connected with ' + password);
  console.info('a\\u001b]0;pwn\\u0007b');
  process.stdout.write('half a ');
  process.stdout.write(Buffer.from('line\\n'));
  process.stderr.write('key ' + process.env.OPENAI_API_KEY.slice(0, 9));
  console.error(process.env.OPENAI_API_KEY.slice(9));
  process.emitWarning('careful \\u001b[31m' + process.env.OPENAI_API_KEY);
  process.stdout.write('no line end');
  return 1;
};
`;

  it.each([[['--format', 'json']], [['--json']], [['--quiet']], [[]]])(
    'goes to stderr, without secrets and control characters (%j)',
    async (form) => {
      const here = place(prints);
      const ended = await here.type('run', 't.yaml', ...form);
      expect(ended.exit, ended.stderr).toBe(0);
      for (const line of form.includes('--json') ? ended.stdout.trim().split('\n') : [ended.stdout])
        expect(() => void JSON.parse(line)).not.toThrow();
      for (const text of [
        'loaded',
        'connected with [redacted]',
        'half a line',
        'careful',
        'no line end',
      ])
        expect(ended.stderr).toContain(text);
      expectClean(ended, here);
    },
  );

  it('is not part of the JSON of validate', async () => {
    const here = place(prints);
    const ended = await here.type('validate', 't.yaml', '--format', 'json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ isValid: true });
    expectClean(ended, here);
  });
});

describe('a function that ignores its signal', () => {
  /** As with a client that keeps its connection open: it holds the process for longer than a test may take. */
  const deaf = (before = ''): string =>
    `export const f = () => { ${before} return new Promise((done) => setTimeout(done, 600_000)); };\n`;

  it.each(['SIGINT', 'SIGTERM', 'SIGQUIT'])(
    'does not keep the process after %s, and the run can be resumed',
    async (signal) => {
      const here = place(deaf(`setTimeout(() => process.kill(process.pid, '${signal}'), 1);`));
      const ended = await here.type('run', 't.yaml', '--format', 'json');
      expect(ended.exit, ended.stderr).toBe(signal === 'SIGTERM' ? 143 : 130);
      const { run } = JSON.parse(ended.stdout) as { run: string };
      expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'interrupted' });
      expect(await here.type('resume', run, '--format', 'json')).toMatchObject({ exit: 5 });
    },
  );

  it('does not keep the process after its time is over', async () => {
    const late = CALL.replace('timeout_seconds: 30', 'timeout_seconds: 0.1');
    const ended = await place(deaf(), late).type('run', 't.yaml', '--format', 'json');
    expect(ended.exit, ended.stderr).toBe(5);
    expect(JSON.parse(ended.stdout)).toMatchObject({ waiting: { reason: 'outcome' } });
  });
});

describe.runIf(existsSync('/dev/full'))('a stdout that takes nothing', () => {
  it.each([['--json'], ['--format=json'], ['--quiet']])(
    'makes the exit code of run %s that of a failure',
    (form) => {
      const { cwd, env } = place('export const f = () => 1;\n');
      const command = `"$0" "$@" > /dev/full`;
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', command, process.execPath, LAUNCHER, 'run', 't.yaml', form],
        { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' },
      );
      expect(stderr).toContain('cannot write to stdout (ENOSPC)');
      expect(status).toBe(1);
    },
  );
});
