/** What is stopped is really stopped, and what is interrupted can be gone on with: real processes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import { expectWholeLog } from './books.ts';
import { logOf, oneLeg, type LegEnd } from './one-leg.ts';
import { inPlace, prepare } from './place.ts';
import { errand, startErrand, type Ended } from './process.ts';
import { text } from './subjects.ts';
import { untilLine } from './until.ts';
import { deedsIn, livingWith } from './world.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-stops-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

function sh(name: string, script: string, more: JsonObject = {}): JsonObject {
  return { name, type: 'script', command: 'sh', args: ['-c', script], ...more };
}

interface Seen extends LegEnd {
  /** What is left of the processes that it started. */
  readonly living: readonly number[];
  readonly world: string;
}

/** Runs a workflow here, over a real store, with real scripts. */
async function runHere(files: Readonly<Record<string, JsonObject>>): Promise<Seen> {
  const subject = {
    name: `stops ${++folders}`,
    files: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, text(file)])),
    input: {},
    answers: [],
  };
  const prepared = prepare(subject, join(root, String(folders)));
  return inPlace(prepared, root, async ({ job }) => {
    const end = await oneLeg(job);
    const log = await logOf(job.store);
    expectWholeLog(log?.events ?? []);
    const world = deedsIn(job.world).length === 0 ? '' : readFileSync(job.world, 'utf8');
    return { ...end, living: livingWith(`WORLD=${job.world}`), world };
  });
}

const workflow = (entry: string, more: JsonObject = {}): JsonObject => ({
  name: 't',
  entry_point: entry,
  ...more,
});

describe('a timeout', () => {
  const tree = 'sleep 300 & sleep 300 & (sleep 300; echo late) & wait';

  it.each([
    ['a script with children', tree, {}, 'internal.script_timeout'],
    ['a script that does not listen', `trap "" TERM; ${tree}; wait`, {}, 'internal.script_timeout'],
  ])('of a node leaves nothing running: %s', async (_, script, more, kind) => {
    const { result, living } = await runHere({
      't.yaml': {
        workflow: workflow('a'),
        nodes: [sh('a', script, { timeout_seconds: 0.3, ...more })],
      },
    });
    expect(result).toMatchObject({ status: 'failed', error: { kind, outcome: 'partial' } });
    expect(living).toEqual([]);
  });

  it.each<[string, Record<string, JsonObject>, string]>([
    [
      'the run',
      {
        't.yaml': {
          workflow: workflow('a', { limits: { timeout_seconds: 0.3 } }),
          nodes: [sh('a', tree)],
        },
      },
      'limit.run_timeout',
    ],
    [
      'a node that calls a workflow',
      {
        't.yaml': {
          workflow: workflow('a'),
          nodes: [{ name: 'a', type: 'workflow', workflow: './child.yaml', timeout_seconds: 0.3 }],
        },
        'child.yaml': { workflow: workflow('b'), nodes: [sh('b', tree)] },
      },
      'limit.node_timeout',
    ],
    [
      'a child',
      {
        't.yaml': {
          workflow: workflow('a'),
          nodes: [{ name: 'a', type: 'workflow', workflow: './child.yaml' }],
        },
        'child.yaml': {
          workflow: workflow('b', { limits: { timeout_seconds: 0.3 } }),
          nodes: [sh('b', tree)],
        },
      },
      'limit.run_timeout',
    ],
  ])('of %s leaves nothing running', async (_, files, kind) => {
    const { result, living } = await runHere(files);
    expect(result).toMatchObject({ status: 'failed', error: { kind } });
    expect(living).toEqual([]);
  });
});

describe('a group that has seen enough', () => {
  const untilBegun = 'while [ ! -f "$WORLD" ]; do sleep 0.01; done';
  const slow = sh(
    'slow',
    'echo "- 0 slow done" >> "$WORLD"; sleep 300; echo "- 1 late done" >> "$WORLD"',
  );

  it.each<[string, JsonObject, JsonObject, JsonValue]>([
    ['fail_fast', { failure_mode: 'fail_fast' }, sh('quick', `${untilBegun}; exit 1`), 'failed'],
    ['quorum', { failure_mode: 'quorum', quorum: 1 }, sh('quick', untilBegun), 'completed'],
  ])('stops the siblings: %s', async (_, mode, quick, status) => {
    const { result, living, world } = await runHere({
      't.yaml': {
        workflow: workflow('g'),
        nodes: [slow, quick],
        parallel: [{ name: 'g', agents: ['slow', 'quick'], ...mode }],
      },
    });
    expect(result.status).toBe(status);
    expect(living).toEqual([]);
    expect(world).toBe('- 0 slow done\n');
  });
});

describe('retries around retries', () => {
  it('execute exactly what errand validate printed', async () => {
    const again = { on_error: true, retry: { max: 2, backoff: 'none' } };
    const calling = (name: string, file: string): JsonObject => ({
      workflow: workflow(name),
      nodes: [{ name, type: 'workflow', workflow: file, routes: [{ to: '$end' }, again] }],
    });
    const files: Record<string, JsonObject> = {
      't.yaml': calling('outer', './middle.yaml'),
      'middle.yaml': calling('middle', './inner.yaml'),
      'inner.yaml': {
        workflow: workflow('leaf'),
        nodes: [
          {
            name: 'leaf',
            type: 'script',
            command: 'sh',
            args: ['deed.sh', 'leaf', '999'],
            routes: [{ to: '$end' }, again],
          },
        ],
      },
    };
    const { result, world } = await runHere(files);
    const { stdout } = await errand(['validate', 't.yaml', '--format', 'json'], {
      cwd: join(root, String(folders)),
    });
    const printed = JSON.parse(stdout) as { files: { worstCase: { effects: number } }[] };
    expect(result.status).toBe('failed');
    expect(world.trim().split('\n').length).toBe(27);
    expect(printed.files[0]?.worstCase.effects).toBe(27);
  });
});

describe('the command', () => {
  const home = (): { cwd: string; env: Record<string, string>; world: string } => {
    const cwd = join(root, `command-${++folders}`);
    mkdirSync(cwd, { recursive: true });
    const world = join(cwd, 'world');
    const slow = 'echo x >> "$WORLD"; test -f go || sleep 300 & wait';
    const file = {
      workflow: workflow('a'),
      nodes: [
        sh('a', slow, { idempotent: true, routes: [{ to: 'b' }] }),
        { name: 'b', type: 'set', value: 7 },
      ],
    };
    writeFileSync(join(cwd, 't.yaml'), text(file));
    return { cwd, env: { WORLD: world, ERRAND_HOME: join(cwd, 'home') }, world };
  };

  const said = ({ stdout }: Ended): { run: string; status: string; output?: unknown } =>
    JSON.parse(stdout) as { run: string; status: string };

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // the terminal was closed
    ['SIGHUP', 143],
  ] as const)(
    'leaves the run resumable after %s, and nothing running',
    async (signal, exit) => {
      const { cwd, env, world } = home();
      const running = startErrand(['run', 't.yaml', '--format', 'json'], { cwd, env });
      await untilLine(world);
      running.kill(signal);
      const ended = await running.ended;
      expect({ exit: ended.exit, ...said(ended) }).toMatchObject({ exit, status: 'interrupted' });
      expect(livingWith(`WORLD=${world}`)).toEqual([]);
      const listed = await errand(['runs', '--format', 'json'], { cwd, env });
      expect(JSON.parse(listed.stdout)).toMatchObject([{ status: 'interrupted' }]);
      writeFileSync(join(cwd, 'go'), '');
      const resumed = await errand(['resume', said(ended).run, '--format', 'json'], { cwd, env });
      expect({ exit: resumed.exit, ...said(resumed) }).toMatchObject({
        exit: 0,
        status: 'completed',
        output: 7,
      });
      expect(readFileSync(world, 'utf8')).toBe('x\nx\n');
    },
    300_000,
  );

  /** What it says there fails from the signal on. */
  const failing = (stream: 'stdout' | 'stderr', code: string, on: string): string[] => {
    const emit = `process.${stream}.emit("error", Object.assign(new Error("gone"), { code: "${code}" }))`;
    return [
      '--import',
      `data:text/javascript,process.on("${on}", () => setImmediate(() => ${emit}))`,
    ];
  };

  it.each([
    ['stderr', 'EIO'],
    ['stdout', 'EPIPE'],
    ['stdout', 'ENOSPC'],
  ] as const)(
    'stops what it runs when the terminal is closed, though %s fails with %s',
    async (stream, code) => {
      const { cwd, env, world } = home();
      const running = startErrand(['run', 't.yaml', '--quiet'], {
        cwd,
        env,
        node: failing(stream, code, 'SIGHUP'),
      });
      await untilLine(world);
      running.kill('SIGHUP');
      expect((await running.ended).exit).toBe(143);
      expect(livingWith(`WORLD=${world}`)).toEqual([]);
    },
    300_000,
  );

  it('gives its answer where a full disk takes no notes', async () => {
    const { cwd, env, world } = home();
    const running = startErrand(['run', 't.yaml', '--quiet'], {
      cwd,
      env,
      node: failing('stderr', 'ENOSPC', 'SIGUSR2'),
    });
    await untilLine(world);
    running.kill('SIGUSR2');
    const listed = await errand(['runs', '--quiet'], { cwd, env });
    expect((await errand(['cancel', listed.stdout.trim()], { cwd, env })).exit).toBe(0);
    // it was still there to hear of it
    expect((await running.ended).exit).toBe(130);
  });

  it('cancels a run that another process has, and it stays cancelled', async () => {
    const { cwd, env, world } = home();
    const running = startErrand(['run', 't.yaml', '--format', 'json'], { cwd, env });
    await untilLine(world);
    const listed = await errand(['runs', '--format', 'json'], { cwd, env });
    const [{ run = '', status = '' } = {}] = JSON.parse(listed.stdout) as Record<string, string>[];
    expect(status).toBe('running');
    const second = await errand(['resume', run, '--format', 'json'], { cwd, env });
    expect({ exit: second.exit, ...said(second) }).toMatchObject({
      exit: 2,
      status: 'refused',
      error: { kind: 'run.already_active' },
    });
    expect((await errand(['cancel', run], { cwd, env })).exit).toBe(0);
    const ended = await running.ended;
    expect({ exit: ended.exit, ...said(ended) }).toMatchObject({ exit: 130, status: 'cancelled' });
    expect(livingWith(`WORLD=${world}`)).toEqual([]);
    for (const args of [
      ['resume', run],
      ['retry', run, '--from', 'a'],
      ['answer', run, '--value', 'x'],
      ['cancel', run],
    ])
      expect((await errand(args, { cwd, env })).exit, args.join(' ')).toBe(2);
    expect(readFileSync(world, 'utf8')).toBe('x\n');
  });
});
