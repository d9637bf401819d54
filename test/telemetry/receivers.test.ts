/** Receivers that refuse, hang or talk rubbish, and low limits of the SDK: a run is not hurt, and one line says why. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { attributesOf } from './offline.ts';
import { openReceiver } from './receiver.ts';

const SECRET = 'sk-planted-7f3a9c2e5b8d1f4a';
const FAILED = 3;
const folder = mkdtempSync(join(tmpdir(), 'errand-receivers-'));
let server: Server | undefined;

beforeAll(() => {
  symlinkSync(join(import.meta.dirname, '../otel-sdk/node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'flow.yaml'),
    `workflow: { name: flow, entry_point: bad }
nodes:
  - { name: bad, type: script, command: sh, args: ['-c', 'exit 4'], routes: [{ on_error: true, to: stop }, { to: stop }] }
  - { name: stop, type: terminate, status: failed, reason: Not today }
`,
  );
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function listen(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Its exit code, its result without what differs from run to run, and its lines on stderr. */
async function run(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [LAUNCHER, 'run', 'flow.yaml', '--format', 'json'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const { status, error } = JSON.parse(stdout) as { status: string; error: { kind: string } };
  const lines = stderr.split('\n').filter((line) => line !== '');
  return { exit: (await exited)[0] as unknown, status, kind: error.kind, lines };
}

const ENDED = { exit: FAILED, status: 'failed', kind: 'terminate.failed' };

describe('a receiver', () => {
  it.each<readonly [string, string, RequestListener]>([
    [
      'refuses',
      'it answered 401 Unauthorized',
      (_, response) => response.writeHead(401).end(SECRET),
    ],
    [
      'is overloaded',
      'Export failed with retryable status',
      (_, response) => response.writeHead(503, { 'retry-after': '600' }).end(),
    ],
    ['never answers', 'Request timed out', () => undefined],
    ['breaks the connection', 'socket hang up', (request) => request.socket.destroy()],
  ])('that %s costs one line', async (_what, why, answer) => {
    const at = await listen(answer);
    const ended = await run({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://ada:${SECRET}@${at}/?key=${SECRET}`,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${SECRET}`,
    });
    expect(ended).toEqual({
      ...ENDED,
      lines: [`errand run: Not all spans and metrics could be sent to http://${at}: ${why}`],
    });
  });

  it.each(['not a url', 'localhost:4318', 'ftp://x'])(
    'that has no address costs one line, and nothing is sent: %s',
    async (address) => {
      expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: address })).toEqual({
        ...ENDED,
        lines: [
          'errand run: Nothing is sent to OpenTelemetry: OTEL_EXPORTER_OTLP_ENDPOINT is no http:// or https:// address. Give it an address such as http://localhost:4318, or unset it.',
        ],
      });
    },
  );

  it('that took only a part says so', async () => {
    const said = '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too many"}}';
    const at = await listen((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(said),
    );
    const { lines, ...ended } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://${at}` });
    expect(ended).toEqual(ENDED);
    expect(lines).toEqual([expect.stringContaining('too many')]);
  });
});

describe('a receiver of one signal', () => {
  it.each([
    ['TRACES', '/v1/traces'],
    ['METRICS', '/v1/metrics'],
  ])('of %s gets that one, and nothing is said', async (signal, path) => {
    const asked: string[] = [];
    const at = await listen((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const address = { [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]: `http://${at}${path}` };
    expect(await run(address)).toEqual({ ...ENDED, lines: [] });
    expect(asked).toEqual([path]);
  });
});

describe('a limit of the SDK', () => {
  it.each([
    ['attributes', { OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '1' }],
    ['text', { OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '1' }],
    ['links', { OTEL_SPAN_LINK_COUNT_LIMIT: '0' }],
    ['batches', { OTEL_BSP_MAX_QUEUE_SIZE: '4', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1' }],
  ])('of %s changes nothing but the spans', async (_what, limits) => {
    const receiver = await openReceiver();
    try {
      const ended = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...limits });
      expect(ended).toEqual({ ...ENDED, lines: [] });
      expect(
        receiver
          .spans()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(['errand.node bad', 'errand.node stop', 'invoke_workflow flow', 'sh']);
    } finally {
      receiver.close();
    }
  });

  it('that leaves few attributes keeps the kind of the failure', async () => {
    const receiver = await openReceiver();
    try {
      await run({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: '7',
      });
      const failed = receiver.spans().filter(({ status }) => status.code === 2);
      expect(failed.map((span) => [span.name, attributesOf(span)['error.type']])).toEqual([
        ['sh', 'internal.script_error'],
        ['errand.node bad', 'internal.script_error'],
        ['errand.node stop', 'terminate.failed'],
        ['invoke_workflow flow', 'terminate.failed'],
      ]);
    } finally {
      receiver.close();
    }
  });

  it('that nobody knows is said, and what was made is sent', async () => {
    const receiver = await openReceiver();
    try {
      const { lines, ...ended } = await run({
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_TRACES_SAMPLER: 'dice',
      });
      expect(ended).toEqual(ENDED);
      expect(lines).toEqual([expect.stringMatching(/^errand run: OpenTelemetry warns: .*dice/)]);
      expect(receiver.spans()).toHaveLength(4);
    } finally {
      receiver.close();
    }
  });
});
