/** Servers that others have published, over stdio and HTTP: killed, hanging, restarted, and misused. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { processesWith, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import type { McpServer } from '../../src/workflow/plan/plan.ts';
import { errand } from '../survival/process.ts';
import { host, until, type Host } from './harness.ts';
import { SDKS } from './tools.ts';

const SERVERS = fileURLToPath(new URL('../mcp-servers/', import.meta.url));
const LOOPBACK = fileURLToPath(new URL('loopback.ts', import.meta.url));

function program(name: string): string {
  const path = join(SERVERS, 'node_modules', '@modelcontextprotocol', name, 'dist', 'index.js');
  if (!existsSync(path))
    throw new Error(
      `The servers are not installed in ${SERVERS}. Run \`npm test\`, which does it.`,
    );
  return path;
}

/** Takes a while, and tells how far it is, so that a test knows that it has begun. */
const LONG = 'trigger-long-running-operation';
const WHILE = { duration: 20, steps: 400 };
/** The server says that it may be repeated; to see what happens if not, the file says otherwise. */
const ONCE = { [LONG]: { idempotent: false, timeoutMs: 20_000 } };

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Published {
  readonly settings: Partial<McpServer>;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** After it was killed. */
  readonly restart: () => Promise<void>;
}

async function listen(port: number): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(
    process.execPath,
    ['--import', LOOPBACK, program('server-everything'), 'streamableHttp'],
    { env: { PATH: process.env['PATH'], PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stderr })) {
    const bound = /^port (\d+)$/.exec(line)?.[1];
    if (bound !== undefined) {
      child.stderr.resume();
      return { child, port: Number(bound) };
    }
  }
  throw new Error('the server ended before it listened');
}

const ways: Readonly<Record<string, (mark: string) => Promise<Published>>> = {
  stdio: (mark) =>
    Promise.resolve({
      settings: {
        args: [program('server-everything'), 'stdio', mark],
        env: {},
        toolSettings: ONCE,
      },
      signal: (signal) => {
        for (const pid of processesWith(mark)) process.kill(pid, signal);
      },
      // the first that needs it starts it
      restart: () => Promise.resolve(),
    }),
  http: async () => {
    let running = await listen(0);
    const { port } = running;
    return {
      settings: {
        type: 'http',
        url: `http://127.0.0.1:${port}/mcp`,
        headers: {},
        toolSettings: ONCE,
      },
      signal: (signal) => void running.child.kill(signal),
      restart: async () => {
        if (running.child.exitCode === null && running.child.signalCode === null)
          await once(running.child, 'exit');
        running = await listen(port);
      },
    };
  },
};

/** A call that is under way: its server has reported that it works on it. */
async function begun(
  { call }: Host,
  settings: Partial<McpServer>,
): Promise<{ readonly ended: Promise<EffectResult> }> {
  let shown = 0;
  const ended = call(LONG, WHILE, { server: settings, context: { progress: () => void shown++ } });
  await until(() => shown > 0);
  return { ended };
}

describe.each(['stdio', 'http'] as const)('a published server over %s', (way) => {
  const open = async (): Promise<{ at: Host; server: Published }> => {
    const at = host();
    const make = ways[way];
    if (make === undefined) throw new Error(way);
    return { at, server: await make(at.mark) };
  };

  it('is called: text, structured content, and a refusal of bad arguments', async () => {
    const { at, server } = await open();
    const asked = { server: server.settings };
    expect(await at.call('echo', { message: 'hello' }, asked)).toEqual({
      ok: true,
      output: 'Echo: hello',
    });
    expect(await at.call('get-structured-content', { location: 'Chicago' }, asked)).toMatchObject({
      ok: true,
      output: { temperature: expect.any(Number) },
    });
    expect(reportOf(await at.call('get-sum', { a: 'one', b: 2 }, asked))).toMatchObject({
      kind: 'tool.input_invalid',
      outcome: 'not_started',
    });
  });

  it('that is killed in the middle of a call leaves it unknown, and is called anew afterwards', async () => {
    const { at, server } = await open();
    const { ended } = await begun(at, server.settings);
    server.signal('SIGKILL');
    expect(reportOf(await ended)).toMatchObject({ kind: 'mcp.unreachable', outcome: 'unknown' });
    await server.restart();
    expect(await at.call('get-sum', { a: 1, b: 2 }, { server: server.settings })).toMatchObject({
      ok: true,
      output: expect.stringContaining('3'),
    });
  });

  it('that hangs is left at the time of the tool, and is there again afterwards', async () => {
    const { at, server } = await open();
    const asked = {
      server: {
        ...server.settings,
        toolSettings: { echo: { timeoutMs: 2000, idempotent: false } },
      },
    };
    const sum = (): Promise<EffectResult> => at.call('get-sum', { a: 1, b: 2 }, asked);
    // it has to be there before it can hang
    expect(await sum()).toMatchObject({ ok: true });
    server.signal('SIGSTOP');
    expect(reportOf(await at.call('echo', { message: 'x' }, asked))).toMatchObject({
      kind: 'tool.timeout',
      outcome: 'unknown',
    });
    // one that is a process is replaced; one behind an address has to come back by itself
    if (way === 'http') server.signal('SIGCONT');
    expect(await sum()).toMatchObject({ ok: true });
  });
});

describe('a server whose tools may touch one folder', () => {
  function project(calls: (folder: string) => readonly object[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'errand-files-'));
    folders.push(folder);
    symlinkSync(join(SDKS, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, 'open'));
    mkdirSync(join(folder, 'secret'));
    writeFileSync(join(folder, 'open', 'note.txt'), 'all may read this');
    writeFileSync(join(folder, 'secret', 'key.txt'), 'nobody-may-read-this');
    symlinkSync(join(folder, 'secret', 'key.txt'), join(folder, 'open', 'link.txt'));
    const server = {
      command: process.execPath,
      args: [program('server-filesystem'), join(folder, 'open')],
    };
    const file = {
      workflow: {
        name: 't',
        entry_point: 'a',
        runtime: {
          mcp_servers: { files: server },
          simulate: { m: [...calls(folder), { answer: 'done' }] },
        },
      },
      nodes: [{ name: 'a', prompt: 'Read', model: 'sim/m', tools: ['files/read_text_file'] }],
    };
    writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
    return folder;
  }

  it('tells an agent that a path outside is refused, and nothing of what is there', async () => {
    const read = (path: string): object => ({
      tool_calls: [{ name: 'files__read_text_file', arguments: { path } }],
    });
    const folder = project((at) => [
      read(join(at, 'open/note.txt')),
      read(`${at}/open/../secret/key.txt`),
      read(join(at, 'open/link.txt')),
      read('/etc/passwd'),
      { tool_calls: [{ name: 'files__write_file', arguments: { path: 'open/x', content: 'y' } }] },
    ]);
    const { exit, stdout } = await errand(['run', 't.yaml', '--json'], { cwd: folder });
    expect(exit).toBe(0);
    const ended = stdout
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { type: string; effect?: { type: string }; error?: { kind: string } },
      )
      .filter(
        ({ type, effect }) => /^effect:(succeeded|failed)$/.test(type) && effect?.type === 'tool',
      );
    expect(ended.map(({ error }) => error?.kind ?? 'ok')).toEqual([
      'ok',
      'mcp.tool_failed',
      'mcp.tool_failed',
      'mcp.tool_failed',
      'tool.forbidden',
    ]);
    expect(stdout).not.toContain('nobody-may-read-this');
    expect(stdout).not.toContain('root:x:');
    expect(existsSync(join(folder, 'open', 'x'))).toBe(false);
  });
});
