/**
 * Scripts that outlived their Errand: `cancel` ends them, as it ends those of a running run, and no
 * answer starts them a second time beside themselves.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { errand, startErrand, type Ended } from '../survival/process.ts';
import { untilLine } from '../survival/until.ts';
import { workflow } from './table.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-cancel-left-'));
const pids: number[] = [];
afterAll(() => {
  for (const pid of pids) if (isRunning(pid)) process.kill(-pid, 'SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // a process that nobody has collected yet has ended all the same
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

interface Orphan {
  readonly pid: number;
  readonly run: string;
  readonly type: (...args: readonly string[]) => Promise<Ended>;
}

/** A run whose process was killed, and whose script still runs. */
async function orphaned(script: string, more = ''): Promise<Orphan> {
  const cwd = mkdtempSync(join(root, 'place-'));
  const line = JSON.stringify(`echo $$ >> pid; ${script}`);
  const node = `- {name: a, type: script, command: sh, args: ["-c", ${line}]${more}}`;
  writeFileSync(join(cwd, 't.yaml'), workflow(node));
  const env = { PATH: process.env['PATH'] ?? '', ERRAND_HOME: join(cwd, 'home') };
  const running = startErrand(['run', 't.yaml'], { cwd, env });
  await untilLine(join(cwd, 'pid'));
  running.kill('SIGKILL');
  await running.ended;
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  pids.push(pid);
  const type = (...args: readonly string[]): Promise<Ended> => errand(args, { cwd, env });
  const { stdout } = await type('runs', '--format', 'json');
  const [found] = JSON.parse(stdout) as readonly { readonly run: string }[];
  return { pid, run: found?.run ?? '', type };
}

describe.runIf(process.platform === 'linux')('cancel of an interrupted run', () => {
  it.each([
    { script: 'sleep 300', more: '', what: 'the script that was left running' },
    { script: 'sleep 300', more: ', idempotent: true', what: 'one that may be repeated' },
    {
      script: "trap '' TERM; while :; do sleep 0.05; done",
      more: '',
      what: 'one that ignores TERM',
    },
  ])('ends $what', async ({ script, more }) => {
    const { pid, run, type } = await orphaned(script, more);
    expect(isRunning(pid)).toBe(true);
    expect(await type('cancel', run)).toMatchObject({ exit: 0 });
    expect(isRunning(pid)).toBe(false);
    const { stdout } = await type('show', run, '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled' });
  });

  it('ends one whose outcome a person is being asked about', async () => {
    const { pid, run, type } = await orphaned('sleep 300');
    expect(await type('resume', run)).toMatchObject({ exit: 5 });
    expect(isRunning(pid)).toBe(true);
    expect(await type('cancel', run)).toMatchObject({ exit: 0 });
    expect(isRunning(pid)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('an answer about a script that still runs', () => {
  it('may not be repeat until it has ended, and may be edit at once', async () => {
    const { pid, run, type } = await orphaned('sleep 300');
    expect(await type('resume', run)).toMatchObject({ exit: 5 });
    const refused = await type('answer', run, '--value', 'repeat', '--format', 'json');
    expect(refused.exit).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: {
        kind: 'validation.input',
        message: expect.stringMatching(
          /^a is still running as .*so it is not started a second time$/,
        ),
        details: { processes: expect.arrayContaining([pid]) },
      },
    });
    const edit = JSON.stringify({ edit: { stdout: '', stderr: '', exit_code: 0 } });
    expect(await type('answer', run, '--value', edit)).toMatchObject({ exit: 0 });
  });
});
