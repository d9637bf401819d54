/** The lines of `ERRAND_LOG` at `errand worker` against a real server, over a worker that is killed. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { planOfTexts } from '../engine/plan.ts';
import { until } from './killing.ts';
import { openStage, PACKAGES, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('the log lines of a worker');
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const SECRET = 'sk-planted-7f3a9c2e5b8d1f4a';
const TRACE = CALLER.slice(3, 35);

interface LoggingWorker {
  readonly child: ChildProcess;
  said: string;
  lines(): readonly Readonly<Record<string, unknown>>[];
}

/** With the time at which each was written. */
function keptBundles(): readonly unknown[] {
  const cache = join(PACKAGES, 'node_modules', '.cache', 'errand');
  const names = existsSync(cache) ? readdirSync(cache) : [];
  return names
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, statSync(join(cache, name)).mtimeMs]);
}

describe.skipIf(skipped !== undefined)('ERRAND_LOG at errand worker', { timeout: 300_000 }, () => {
  let stage: Stage;
  const folder = mkdtempSync(join(tmpdir(), 'errand-worker-log-'));
  const workers: ChildProcess[] = [];

  beforeAll(async () => {
    stage = await openStage('worker-log');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(
      join(PACKAGES, 'node_modules', '@temporalio'),
      join(folder, 'node_modules', '@temporalio'),
    );
  });

  afterAll(async () => {
    for (const child of workers) child.kill('SIGKILL');
    await stage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function worker(level: string): Promise<LoggingWorker> {
    const { address, namespace, taskQueue } = stage.config;
    const child = spawn(process.execPath, [LAUNCHER, 'worker'], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NO_COLOR: '1',
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        TEMPORAL_TASK_QUEUE: taskQueue,
        ANTHROPIC_API_KEY: SECRET,
        ERRAND_LOG: level,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    workers.push(child);
    const logging: LoggingWorker = {
      child,
      said: '',
      lines: () =>
        logging.said
          .split('\n')
          .filter((line) => line.startsWith('{') && line.endsWith('}'))
          .map((line) => JSON.parse(line) as Record<string, unknown>),
    };
    child.stderr.setEncoding('utf8').on('data', (text: string) => (logging.said += text));
    await until(() => logging.said.includes('Ctrl-C'));
    return logging;
  }

  it('has one line for each failure with its kind, run, node and trace, and no secret', async () => {
    const driver = await stage.client({ heartbeatMs: 4000 });
    const first = await worker('debug');
    const plan = planOfTexts({
      'main.yaml': `workflow: {name: main, entry_point: bad, input: {note: {type: string}}}
agents:
  - {name: bad, type: script, command: sh, args: ['-c', 'echo "$0" >&2; exit 4', '{{ workflow.input.note }}'], routes: [{to: slow}, {on_error: true, to: slow}]}
  - {name: slow, type: script, command: sh, args: ['-c', 'touch begun; until test -e ready; do sleep 0.1; done'], idempotent: true, routes: [{to: stop}]}
  - {name: stop, type: terminate, status: failed, reason: Not today}`,
    });
    const run = await driver.start(plan, { note: SECRET }, { trace: { traceparent: CALLER } });
    await until(() => existsSync(join(folder, 'begun')));
    await until(() => first.lines().some(({ node }) => node === 'slow'));
    const gone = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await gone;
    const kept = keptBundles();
    expect(kept).toHaveLength(1);
    const second = await worker('info');
    // a worker that starts again does not make the workflow's bundle again
    expect(keptBundles()).toEqual(kept);
    writeFileSync(join(folder, 'ready'), '');
    expect(await run.result()).toMatchObject({ status: 'failed' });
    await until(() => second.lines().some(({ event }) => event === 'run:failed'));
    for (const line of [...first.lines(), ...second.lines()])
      expect(line).toMatchObject({ run: run.id, workflow: 'main', trace_id: TRACE });
    const failures = (lines: readonly Readonly<Record<string, unknown>>[]): unknown =>
      lines
        .filter(({ kind, level }) => kind !== undefined && level !== 'debug')
        .map(({ level, event, kind, node }) => [level, event, kind, node]);
    expect(failures(first.lines())).toEqual([
      ['warn', 'effect:failed', 'internal.script_error', 'bad'],
    ]);
    expect(first.lines().map(({ event }) => event)).toEqual(
      expect.arrayContaining(['run:started', 'node:started', 'effect:requested', 'route:taken']),
    );
    expect(failures(second.lines())).toEqual([
      ['warn', 'node:failed', 'terminate.failed', 'stop'],
      ['error', 'run:failed', 'terminate.failed', 'stop'],
    ]);
    expect(first.said + second.said).not.toContain(SECRET);
  });
});
