/** `errand mcp` as a process: its streams, its end, and what it leaves behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { sharedErrand } from '../cli/shared/command.ts';
import { folderWith, overStdio, type Json } from './clients.ts';
import { ASK, FAILS, HELLO, PLANTED, SLOW, TELLING } from './workflows.ts';

/** Prints where nobody should, from inside the process. */
const NOISY = `
workflow: {name: noisy, entry_point: say, module: ./noisy.mjs}
nodes:
  - {name: say, type: call, function: say}
`;
const MODULE = `export function say() { console.log('noise on stdout'); return 'said'; }\n`;

const FILES = {
  'hello.yaml': HELLO,
  'ask.yaml': ASK,
  'slow.yaml': SLOW,
  'noisy.yaml': NOISY,
  'noisy.mjs': MODULE,
};

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));

interface Raw {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly output: { stdout: string; stderr: string };
  readonly write: (line: string) => void;
  /** Sends a request and waits for its answer. */
  readonly ask: (method: string, params?: object) => Promise<Json>;
  /** The next message that answers no request. */
  readonly until: (fits: (message: Json) => boolean) => Promise<Json>;
}

function start(folder: string, more: Readonly<Record<string, string>> = {}): Raw {
  const child = spawn(process.execPath, [LAUNCHER, 'mcp'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...more },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    output.stdout += part;
    for (const look of waiting) look();
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => (output.stderr += part));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let seen = 0;
  const until: Raw['until'] = (fits) =>
    new Promise((resolve) => {
      const look = (): void => {
        const lines = output.stdout.split('\n').slice(0, -1);
        const found = lines
          .map((line) => JSON.parse(line))
          .findIndex((each, at) => at >= seen && fits(each));
        if (found < 0) return;
        waiting.delete(look);
        resolve(JSON.parse(lines[found] ?? ''));
      };
      waiting.add(look);
      look();
    });
  let id = 0;
  const write = (line: string): void => void child.stdin.write(`${line}\n`);
  return {
    child,
    ended,
    output,
    write,
    until: (fits) => {
      seen = output.stdout.split('\n').length - 1;
      return until(fits);
    },
    ask: (method, params = {}) => {
      const mine = ++id;
      write(JSON.stringify({ jsonrpc: '2.0', id: mine, method, params }));
      return until((message) => message.id === mine);
    },
  };
}

async function call(raw: Raw, name: string, given: object = {}): Promise<Json> {
  const { result } = await raw.ask('tools/call', { name, arguments: given });
  return result.structuredContent;
}

test('stdout has nothing but the protocol, and odd lines end nothing', async () => {
  const folder = folderWith(FILES);
  const raw = start(folder);
  const info = { name: 'evil/elicited', version: '1' };
  const hello = await raw.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: info,
  });
  expect(hello.result).toMatchObject({ protocolVersion: '2025-06-18' });
  expect(await call(raw, 'noisy')).toMatchObject({ status: 'completed', output: 'said' });
  for (const [line, code] of [
    ['not JSON', -32_700],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
    ['null', -32_600],
    [`"${'x'.repeat(9_000_000)}"`, -32_600],
  ] as const) {
    const refused = raw.until((message) => message.id === null);
    raw.write(line);
    expect(await refused).toMatchObject({ error: { code } });
  }
  for (const [more, code] of [
    [{}, -32_600],
    [{ method: 7 }, -32_600],
    [{ params: {} }, -32_600],
    [{ method: 'tools/call', params: { name: 'noisy', _meta: { progressToken: {} } } }, -32_602],
    [{ method: 'tools/call', params: { name: 'noisy', _meta: 1 } }, -32_602],
    [{ method: 'tools/call', params: [1] }, -32_602],
    [{ method: 'ping', params: 'x' }, -32_602],
  ] as const) {
    const id = `odd ${JSON.stringify(more)}`;
    const refused = raw.until((message) => message.id === id);
    raw.write(JSON.stringify({ jsonrpc: '2.0', id, ...more }));
    expect(await refused).toMatchObject({ error: { code } });
  }
  for (const id of [null, {}, [1]]) {
    const refused = raw.until((message) => message.id === null);
    raw.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }));
    expect(await refused).toMatchObject({ error: { code: -32_600 } });
  }
  raw.write('');
  // neither a notification nor a reply has a reply, however odd it is
  raw.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}');
  raw.write('{"jsonrpc":"2.0","id":99,"result":7}');
  raw.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}');
  expect(await raw.ask('ping')).toMatchObject({ result: {} });
  const large = await raw.ask('tools/call', {
    name: 'hello',
    arguments: { who: 'x'.repeat(2_000_000) },
  });
  expect(large.result.structuredContent.error.kind).toBe('request.too_large');

  const calling = call(raw, 'ask');
  const asked = await raw.until((message) => message.method === 'elicitation/create');
  const content = { value: 'no' };
  raw.write(
    JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content } }),
  );
  const { run, output } = await calling;
  expect(output).toBe('no');
  const audit = await sharedErrand(['audit', run, '--format', 'json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const [{ who }] = JSON.parse(audit.stdout);
  expect(who).toBe('mcp:evil_elicited/elicited');

  raw.child.stdin?.end();
  expect(await raw.ended).toBe(0);
  const lines = raw.output.stdout.trimEnd().split('\n');
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(raw.output.stderr).toContain('noise on stdout');
});

test('closed input is a stop: effects may end, and the next server carries the run on', async () => {
  const folder = folderWith(FILES);
  const first = start(folder);
  const mark = join(folder, 'go');
  const { run, status } = await call(first, 'slow', { mark, _wait_seconds: 0 });
  expect(status).toBe('running');
  await expect.poll(() => existsSync(join(folder, 'began'))).toBe(true);
  // a call that waits is not what keeps it
  first.write(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 99,
      method: 'tools/call',
      params: { name: 'get_run', arguments: { run, wait_seconds: 50 } },
    }),
  );
  first.child.stdin?.end();
  writeFileSync(mark, '');
  expect(await first.ended).toBe(0);
  const second = start(folder);
  await expect
    .poll(async () => (await call(second, 'get_run', { run, wait_seconds: 10 })).status)
    .toBe('completed');
  expect(readFileSync(join(folder, 'began'), 'utf8')).toBe('x\n');
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('killed in a call and started again, the same key gives the same run, and nothing twice', async () => {
  const folder = folderWith(FILES);
  const first = start(folder);
  const given = { mark: join(folder, 'go'), _key: 'once' };
  first.write(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'slow', arguments: given },
    }),
  );
  await expect.poll(() => existsSync(join(folder, 'began'))).toBe(true);
  first.child.kill('SIGKILL');
  await first.ended;
  const second = start(folder);
  const again = await call(second, 'slow', given);
  const { runs } = await call(second, 'list_runs');
  expect(runs).toMatchObject([{ run: again.run }]);
  // whether the script has done its work is for a person to say
  expect(again).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
  expect(readFileSync(join(folder, 'began'), 'utf8')).toBe('x\n');
  // the script outlived its server
  writeFileSync(given.mark, '');
  second.child.stdin?.end();
  expect(await second.ended).toBe(0);
});

test('without the package it is refused, by the name of the package', async () => {
  const folder = folderWith(FILES, false);
  const env = { PATH: process.env['PATH'] ?? '' };
  const { exit, stderr, stdout } = await sharedErrand(['mcp'], { cwd: folder, env });
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain('npm install @modelcontextprotocol/server');
  const refused = await sharedErrand(['mcp', 'nothing.yaml'], { cwd: folder, env });
  expect(refused.exit).toBe(2);
});

test('ERRAND_LOG writes one line for each failure to stderr, with its trace and without secrets', async () => {
  const secret = 'sk-planted-7f3a9c2e5b8d1f4a';
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const agent = await overStdio(folderWith({ 'fails.yaml': FAILS.replace('No such', secret) }), {
    env: { ERRAND_LOG: 'info', OPENAI_API_KEY: secret },
  });
  const _meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const { structuredContent: failed } = await agent.call('fails', {}, { _meta });
  const { run, error } = failed;
  expect(error.kind).toBe('order.missing');
  await expect.poll(agent.stderr).toContain('"run:failed"');
  expect(agent.stderr()).not.toContain(secret);
  const lines = agent.stderr().split('\n');
  const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const about = { run, workflow: 'fails', trace_id: traceId };
  const failure = { node: 'broken', path: 'broken', kind: 'order.missing', ...about };
  expect(logged).toMatchObject([
    { level: 'info', event: 'run:started', ...about },
    { level: 'warn', event: 'effect:failed', ...failure },
    { level: 'error', event: 'run:failed', ...failure },
  ]);
});

test('what a module prints reaches the log of the client without the secrets of its workflow', async () => {
  const raw = start(folderWith(TELLING), { PLANTED_VALUE: PLANTED });
  const clientInfo = { name: 'reader', version: '1' };
  await raw.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  expect((await call(raw, 'tell')).output).toBe('told');
  raw.child.stdin?.end();
  expect(await raw.ended).toBe(0);
  expect(raw.output.stderr).toContain('told on stdout: [redacted]');
  expect(raw.output.stderr).toContain('told as a warning: [redacted]');
  expect(raw.output.stdout + raw.output.stderr).not.toContain(PLANTED);
});
