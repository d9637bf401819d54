/** Output that a process wrote before its exit is read, however late the exit is reported. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { processesWith } from '../effect-port.cases.ts';
import { canHoldUp, holdUp } from '../held-up.cases.ts';
import { ProcessTransport } from '../mcp/process-transport.ts';
import { drainOutput } from './drain-output.ts';
import { openScriptBench } from '../script/script-effect.cases.ts';

/** Seconds; longer than a busy machine keeps this process waiting. */
const LEFT = `600.${process.pid}`;

const root = mkdtempSync(join(tmpdir(), 'errand-read-out-'));
const bench = openScriptBench();
afterAll(() => {
  bench.dispose();
  rmSync(root, { recursive: true });
});

describe.skipIf(!canHoldUp)('while this process is blocked', () => {
  it('a script loses nothing that it wrote', async () => {
    const { prelude, release } = holdUp(bench.folder);
    const script = bench.bash(`${prelude} echo hello; echo well >&2`);
    await release();
    expect(await script).toEqual({
      ok: true,
      output: { stdout: 'hello\n', stderr: 'well\n', exit_code: 0 },
    });
  });

  it('an MCP server’s last message is not lost', async () => {
    const { prelude, release } = holdUp(root);
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    const transport = new ProcessTransport({
      command: 'bash',
      args: ['-c', `${prelude} echo '${JSON.stringify(answer)}'`],
      env: { PATH: process.env['PATH'] ?? '' },
      cwd: root,
    });
    const received: unknown[] = [];
    transport.onmessage = (message) => void received.push(message);
    const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
    await transport.start();
    await release();
    await closed;
    expect(received).toEqual([answer]);
    await transport.close();
  });
});

describe('a pipe that something else holds', () => {
  it('is read as long as there is something in it, and no longer', async () => {
    const parts = ['a', 'b', 'c'];
    const held = new Readable({
      read() {
        const part = parts.shift();
        if (part !== undefined) setImmediate(() => this.push(part));
      },
    });
    let text = '';
    held.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await drainOutput([held], 0);
    expect(text).toBe('abc');
    expect(held.listenerCount('data')).toBe(1);
    held.destroy();
  });

  it('cannot block us by writing without end', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    const endless = new Readable({
      read() {
        setImmediate(() => this.push(chunk));
      },
    });
    let bytes = 0;
    endless.on('data', ({ length }: Buffer) => (bytes += length));
    await drainOutput([endless], 0);
    expect(bytes).toBeGreaterThanOrEqual(1024 * 1024);
    endless.destroy();
  });
});

describe('a script that leaves something running which holds its stdout', () => {
  const warning = [{ failure: { kind: 'internal.script_error' }, isWarning: true }];

  it('succeeds with what was read, and a warning', async () => {
    const result = await bench.bash('echo early; (sleep 20; echo late) &');
    expect(result).toMatchObject({ ok: true, output: { stdout: 'early\n' }, suppressed: warning });
  });

  it.skipIf(process.platform === 'darwin')('also where that has left its group', async () => {
    const result = await bench.bash(`echo early; setsid sleep ${LEFT} &`);
    expect(result).toMatchObject({ ok: true, output: { stdout: 'early\n' }, suppressed: warning });
    processesWith(LEFT).forEach((pid) => process.kill(pid, 'SIGKILL'));
  });

  it('has no such warning where its output is redirected, or it ends in time', async () => {
    const output = { stdout: 'early\n', stderr: '', exit_code: 0 };
    const redirected = await bench.bash('echo early; sleep 20 > /dev/null 2>&1 &');
    expect(redirected).toEqual({ ok: true, output });
    const inTime = await bench.bash('(sleep 0.02; echo early) &');
    expect(inTime).toEqual({ ok: true, output });
  });
});
