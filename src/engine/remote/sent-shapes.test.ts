/** The store of a server, with answers that no Errand server gives: a wrong shape is never an empty list. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { ServerClient } from './server-client.ts';
import { serverEvents } from './server-events.ts';
import { ServerStore } from './server-store.ts';
import { serverStreamFrames, type StreamFrame } from './server-stream.ts';

let sent = '';
let type = 'application/json';
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': type }).end(sent);
});
let client: ServerClient;
let store: ServerStore;

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // true: it listens on a port
  const { port } = server.address() as AddressInfo;
  client = new ServerClient({ url: `http://127.0.0.1:${port}` });
  store = new ServerStore(client);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const CORRUPT = {
  report: { kind: 'store.corrupt', message: expect.stringMatching(/^The server sent /) },
};
const AT = '2026-01-01T00:00:00Z';
const ROW = { run: 'abc', workflow: 'w', status: 'completed', startedAt: AT, costUsdMicros: 0 };

async function eventsOf(from?: number): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { events } of store.read('abc', from)) found.push(...events);
  return found;
}

describe.each<JsonValue>([
  5,
  null,
  [],
  {},
  { run: 5, status: { a: 1 }, nodes: 'x', costs: null, runs: [null], events: [null] },
  { ...ROW, runs: [{ ...ROW, status: 'weird' }], events: [{ type: 5 }], status: 'weird' },
  {
    ...ROW,
    runs: [{ ...ROW, startedAt: 'x' }],
    events: [{ seq: 1, at: AT, type: 'none' }],
    seq: 1,
  },
  {
    ...ROW,
    runs: [{ ...ROW, error: 5 }],
    events: [{ seq: 2, at: AT, type: 'run:started' }],
    seq: 1,
    plan: 5,
  },
  { ...ROW, runs: 'x', events: 'x', seq: 1, plan: { files: 5 } },
  { ...ROW, runs: [{ ...ROW, waiting: {} }], events: [], next: 0, seq: 'x', plan: {} },
])('%j', (body) => {
  it.each([
    ['a run', () => store.get('abc')],
    ['a list', () => store.list()],
    ['events', () => eventsOf()],
  ])('is refused as %s', async (_, ask) => {
    sent = JSON.stringify(body);
    await expect(ask()).rejects.toMatchObject(CORRUPT);
  });
});

it('a stream of something else is refused', async () => {
  type = 'text/event-stream';
  sent = 'id: 1\nevent: run:started\ndata: {"seq":1,"type":"run:started"}\n\n';
  const { signal } = new AbortController();
  const following = serverEvents(client, { run: 'abc', after: 0, signal });
  await expect(following.next()).rejects.toMatchObject(CORRUPT);
});

it('a stream with nothing in it is a server that does not answer', async () => {
  type = 'text/event-stream';
  sent = '';
  const control = new AbortController();
  const away = Promise.withResolvers<ErrorReport>();
  const following = serverEvents(client, {
    run: 'abc',
    after: 0,
    signal: control.signal,
    onAway: away.resolve,
  });
  const next = following.next();
  expect(await away.promise).toMatchObject({ kind: 'store.unavailable' });
  control.abort();
  expect(await next).toMatchObject({ done: true });
});

describe('the frames of a stream', () => {
  const framesOf = async (texts: readonly string[], maxChars?: number) => {
    const body = new ReadableStream<string>({
      start(controller) {
        for (const text of texts) controller.enqueue(text);
        controller.close();
      },
    }).pipeThrough(new TextEncoderStream());
    const frames: StreamFrame[] = [];
    for await (const frame of serverStreamFrames(new Response(body), maxChars)) frames.push(frame);
    return frames;
  };

  it('are read wherever they are cut', async () => {
    const whole = 'retry: 5\n\nid: 1\nevent: a\ndata: 1\n\n: ping\n\n';
    expect(await framesOf(whole.split(''))).toEqual(await framesOf([whole]));
    expect(await framesOf([whole])).toEqual([
      { event: 'retry', data: null },
      { event: 'a', data: 1, id: 1 },
      { event: 'ping', data: null },
    ]);
  });

  it('have an end', async () => {
    await expect(framesOf(['data: "aaa', 'aaaaaaaaa', 'aaaaaaa'], 16)).rejects.toThrow('longer');
  });
});
