/** `errand run --ui`: a page for the time of a run. */
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { newFolder } from './served.ts';
import { HELLO } from './workflows.ts';

const ASK = `
workflow: {name: ask, entry_point: first}
nodes:
  - {name: first, type: human_gate, prompt: One?, options: [{label: Yes, value: yes}], routes: [{to: second}]}
  - {name: second, type: human_gate, prompt: Two?, options: [{label: Yes, value: yes}], routes: [{to: done}]}
  - {name: done, type: set, value: all done}
`;

const started: ReturnType<typeof spawn>[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

interface Running {
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function runUi(folder: string, file: string): Running {
  const child = spawn(process.execPath, [LAUNCHER, 'run', file, '--ui', '--format', 'json'], {
    cwd: folder,
    // a browser of the machine that runs the tests is left alone
    env: { PATH: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (output.stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (output.stderr += part));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { output, ended, kill: (signal) => void child.kill(signal) };
}

interface Place {
  readonly origin: string;
  readonly run: string;
  readonly token: string;
}

async function placeOf({ output }: Running): Promise<Place> {
  const address = /Follow it at (http:\/\/127\.0\.0\.1:\d+)\/runs\/(\w+)#token=(\S+)/;
  await expect.poll(() => output.stderr, { timeout: 120_000 }).toMatch(address);
  const [, origin = '', run = '', token = ''] = address.exec(output.stderr) ?? [];
  return { origin, run, token };
}

async function answer({ origin, run, token }: Place, gate: string): Promise<number> {
  const { status } = await fetch(`${origin}/v1/runs/${run}/answers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ gate, value: 'yes' }),
  });
  return status;
}

describe('run --ui', () => {
  it('stays while the run asks, and ends with the run that its page has answered', async () => {
    const running = runUi(newFolder({ 'ask.yaml': ASK }), 'ask.yaml');
    const place = await placeOf(running);
    const page = await fetch(`${place.origin}/runs/${place.run}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('id="app"')]);
    for (const gate of ['first', 'second'])
      await expect
        .poll(() => answer(place, gate), { timeout: 120_000 })
        .toSatisfy((status: number) => status === 200 || status === 202);
    expect(await running.ended).toBe(0);
    expect(JSON.parse(running.output.stdout)).toMatchObject({
      status: 'completed',
      output: 'all done',
    });
    await expect(fetch(`${place.origin}/health`)).rejects.toThrow('fetch failed');
  });

  it('ends with a run that asks nobody', async () => {
    const running = runUi(newFolder({ 'hello.yaml': HELLO }), 'hello.yaml');
    await placeOf(running);
    expect(await running.ended).toBe(0);
  });

  it('leaves a run that waits when it is stopped', async () => {
    const folder = newFolder({ 'ask.yaml': ASK });
    const running = runUi(folder, 'ask.yaml');
    const place = await placeOf(running);
    await expect
      .poll(
        async () => {
          const headers = { authorization: `Bearer ${place.token}` };
          const moves = await fetch(`${place.origin}/v1/runs/${place.run}/moves`, { headers });
          return ((await moves.json()) as { status: string }).status;
        },
        { timeout: 120_000 },
      )
      .toBe('paused');
    running.kill('SIGINT');
    await running.ended;
    expect(JSON.parse(running.output.stdout)).toMatchObject({ status: 'paused' });
  });
});
