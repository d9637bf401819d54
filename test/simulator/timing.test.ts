/** Answers that come late, in parts, or never; time is the test's. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  startSimulator,
  type RequestRecord,
  type SimulatorServer,
} from '../../src/simulator-server/start.ts';
import { ManualClock } from './manual-clock.ts';
import { scriptOf } from './script.cases.ts';

let server: SimulatorServer;
let clock: ManualClock;
let over: Promise<RequestRecord>;

beforeEach(async () => {
  clock = new ManualClock();
  const { promise, resolve } = Promise.withResolvers<RequestRecord>();
  over = promise;
  server = await startSimulator({
    clock,
    onRequest: resolve,
    script: scriptOf(`
late:
  - answer: late
    delay: 50ms
slow:
  - stream: [one, two]
    first_token: 2s
    stall: 500ms
stuck:
  - stream: ["1234", "5678"]
    stall: forever
silent:
  - hang: true
    delay: 1ms
`),
  });
});

afterEach(async () => {
  await server.close();
});

function ask(model: string, stream: boolean, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Now?' }] }),
    ...(signal === undefined ? {} : { signal }),
  });
}

it('an answer comes after its delay', async () => {
  const asked = ask('late', false);
  const timer = await clock.next();
  expect(timer.ms).toBe(50);
  timer.fire();
  expect(await (await asked).json()).toMatchObject({ choices: [{ message: { content: 'late' } }] });
});

it('a stream has its headers at once, its first piece late and a pause between pieces', async () => {
  const response = await ask('slow', true);
  expect(response.status).toBe(200);
  const first = await clock.next();
  expect(first.ms).toBe(2000);
  first.fire();
  const second = await clock.next();
  expect(second.ms).toBe(500);
  second.fire();
  const text = await response.text();
  expect(text).toContain('"content":"one"');
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
});

it('a stream that stalls for ever bills what was sent when the client leaves', async () => {
  const controller = new AbortController();
  const response = await ask('stuck', true, controller.signal);
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes('1234')) {
    const { value } = (await reader?.read()) ?? {};
    text += new TextDecoder().decode(value as Uint8Array | undefined);
  }
  controller.abort();
  expect(await over).toMatchObject({ ending: 'left', usage: { inputTokens: 1, outputTokens: 1 } });
});

it('a request that is never answered ends with the client', async () => {
  const controller = new AbortController();
  const asked = expect(ask('silent', false, controller.signal)).rejects.toThrow(/abort/i);
  // the delay shows that the request has arrived
  (await clock.next()).fire();
  controller.abort();
  await asked;
  expect(await over).toMatchObject({ ending: 'hung', usage: {} });
});

it('a server that ends breaks what is open, and leaves no timer behind', async () => {
  const asked = expect(ask('late', false)).rejects.toThrow();
  await clock.next();
  await server.close();
  await asked;
  expect(clock.cancelled).toEqual([50]);
  expect(server.records).toMatchObject([{ ending: 'left', usage: {} }]);
});
