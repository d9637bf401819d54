/** The page about Temporal does what it says, typed into a shell against a real server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { notPrinted, stepsOf } from '../docs/page.ts';
import { say } from './server.ts';
import { openStage, PACKAGES, ROOT, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('the guide to Temporal, and the commands on it');

/** Done before: the packages are here, the server runs, and nobody exports into another shell. */
const DONE = /^(npm|temporal|export) /;

describe.skipIf(skipped !== undefined)('docs/guide/temporal.md', () => {
  let stage: Stage;
  let worker: ChildProcess | undefined;
  const said: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'errand-guide-'));

  beforeAll(async () => {
    stage = await openStage('guide');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(
      join(PACKAGES, 'node_modules', '@temporalio'),
      join(folder, 'node_modules', '@temporalio'),
    );
  });

  afterAll(async () => {
    worker?.kill('SIGKILL');
    await stage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('does what it says', { timeout: 600_000 }, async () => {
    const { address, namespace, taskQueue } = stage.config;
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      NO_COLOR: '1',
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_TASK_QUEUE: taskQueue,
    };
    let run = 'RUN';
    for (const step of stepsOf(readFileSync(join(ROOT, 'docs/guide/temporal.md'), 'utf8'))) {
      if (step.type === 'file') writeFileSync(join(folder, step.name), step.text);
      else if (step.typed === 'errand worker &')
        worker = await background(['worker'], { env, cwd: folder }, said);
      else if (!DONE.test(step.typed)) {
        const typed = step.typed.replaceAll(/\bRUN\b/g, run).replace(/^errand/, '"$@"');
        const { exit, printed } = await typeUntilAnswered(step.exit, () =>
          type(typed, env, folder),
        );
        run = /\b(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{24}\b/.exec(printed)?.[0] ?? run;
        expect(exit, `${step.typed}\n${printed}`).toBe(step.exit);
        expect(notPrinted(step.prints, printed), `${step.typed}\n${printed}`).toBeUndefined();
      }
    }
    expect(run).not.toBe('RUN');
    expect(await stopped(worker)).toEqual([0, null]);
    const told = said
      .join('')
      .replaceAll(address, '127.0.0.1:7233')
      .replaceAll(taskQueue, 'errand')
      .replaceAll(namespace, 'default');
    await expect(`$ errand worker\n-- stdout\n-- stderr\n${told}`).toMatchFileSnapshot(
      '../cli/__golden__/commands/worker.txt',
    );
  });
});

const UNAVAILABLE = 6;
const TRIES = 3;

/**
 * On a starved machine the server may count a question to a worker as asked that no worker got. The command
 * says then that no worker responds, and that waiting helps: a person would type it again.
 */
async function typeUntilAnswered<T extends { readonly exit: unknown }>(
  wanted: number,
  command: () => Promise<T>,
): Promise<T> {
  let typed = await command();
  for (let tries = 1; typed.exit === UNAVAILABLE && wanted !== UNAVAILABLE; tries++) {
    if (tries >= TRIES) break;
    say('the server lost a question to a worker; the command is typed again');
    typed = await command();
  }
  return typed;
}

/** Until it has said its first line. */
async function background(
  args: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
  said: string[],
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await once(child.stderr, 'data');
  return child;
}

async function type(
  command: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<{ readonly exit: unknown; readonly printed: string }> {
  const child = spawn('bash', ['-c', `{ ${command}\n} 2>&1`, 'bash', process.execPath, LAUNCHER], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [exit] = (await once(child, 'close')) as [unknown];
  return { exit, printed };
}

async function stopped(child: ChildProcess | undefined): Promise<unknown> {
  if (child === undefined) return undefined;
  const gone = once(child, 'close');
  child.kill('SIGTERM');
  return gone;
}
