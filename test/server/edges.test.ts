/** Requests at the edges of HTTP and of the contract: rare methods and headers, large answers, what a caller may not do. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serve, type Served } from './served.ts';
import { ALL } from './workflows.ts';

const FREE_TEXT = `workflow: {name: free, entry_point: why}
nodes:
  - name: why
    type: human_gate
    prompt: Why?
    options: [{label: Because, value: because, prompt_for: reason}, {label: No, value: "no"}]
    routes: [{to: $end}]
`;

const TWO_STEPS = `workflow: {name: two, entry_point: a}
nodes:
  - {name: a, type: set, value: 1, routes: [{to: b}]}
  - {name: b, type: set, value: 2}
`;

const MOST_STREAMS = 1024;

test('HEAD of a stream holds no stream open', async () => {
  const served = await serve({ files: ALL });
  const { run } = await served.run('ask');
  const headers = { accept: 'text/event-stream' };
  for (const path of [`/v1/runs/${run}/events`, '/v1/events'])
    for (let n = 0; n < MOST_STREAMS / 2 + 10; n++) {
      const { status } = await served.fetch(path, { method: 'HEAD', headers });
      expect([n, status]).toEqual([n, 200]);
    }
});

test('what no handler sees is refused with a problem document too', async () => {
  const served = await serve({ files: ALL });
  const host = `Host: 127.0.0.1\r\nConnection: close\r\n`;
  expect(await spoken(served, `GET /health HTTP/1.1\r\n${host}Expect: cake\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 422 [^]*"kind":"request\.invalid"/,
  );
  expect(await spoken(served, `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`)).toMatch(
    /^HTTP\/1\.1 405 [^]*"kind":"request\.method"/,
  );
  expect(
    await spoken(
      served,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:99999\r\nConnection: close\r\n\r\n`,
    ),
  ).toMatch(/^HTTP\/1\.1 403 [^]*"kind":"request\.forbidden"/);
  expect((await served.ask('/health')).status).toBe(200);
});

test('a value is found by the number of its event alone', async () => {
  const served = await serve({ files: ALL });
  const { run } = await served.run('hello', { input: { who: 'Ada' } });
  const { json } = await served.ask(`/v1/runs/${run}/events?type=node:completed`);
  const [{ seq }] = json.events;
  expect((await served.ask(`/v1/runs/${run}/value?at=${seq}`)).json).toBe('Hello Ada');
  expect((await served.ask(`/v1/runs/${run}/value?at=${seq}&path=hi`)).json).toBe('Hello Ada');
  expect((await served.ask(`/v1/runs/${run}/value?at=${seq}&path=nobody`)).status).toBe(404);
});

test('the answer of a person is cut where it is large, and the move says that it takes a text', async () => {
  const served = await serve({ files: { 'free.yaml': FREE_TEXT } });
  const { run, nextMoves } = await served.run('free');
  expect(nextMoves[0]).toMatchObject({
    move: 'answer',
    promptFor: [{ value: 'because', name: 'reason' }],
  });
  const value = { selected: 'because', additional_input: 'x'.repeat(70_000) };
  const { status, json } = await served.ask(`/v1/runs/${run}/answers`, { json: { value } });
  expect([status, json.gate, json.value.truncated]).toEqual([200, 'why', true]);
  expect((await served.ask(json.value.href)).json).toEqual(value);
});

test('the retry of a run whose finished nodes have changed says that it has to accept that, and is accepted', async () => {
  const served = await serve({ files: { 'two.yaml': TWO_STEPS } });
  const { run } = await served.run('two');
  writeFileSync(join(served.folder, 'two.yaml'), TWO_STEPS.replace('value: 1', 'value: 7'));
  const retry = async () => (await served.ask(`/v1/runs/${run}`)).json.nextMoves[0];
  await expect.poll(retry).toMatchObject({
    move: 'retry',
    needs: ['from', 'acceptDrift'],
    command: `errand retry ${run} --from NODE --accept-drift`,
  });
  const { path, body } = await retry();
  const { status } = await served.ask(path, { json: { ...body, from: 'b', acceptDrift: true } });
  expect([200, 202]).toContain(status);
});

test('without --allow-edit a file may not be replaced, whatever else is wrong', async () => {
  const secret = 'a-secret-of-ada-0123';
  const served = await serve({ files: ALL, env: { ERRAND_TOKENS: `ada:${secret}:edit` } });
  const { status, json } = await served.ask('/v1/workflows/hello', {
    method: 'PUT',
    token: secret,
    headers: { 'content-type': 'text/plain' },
    body: 'x',
  });
  expect([status, json.kind]).toEqual([403, 'request.forbidden']);
  expect(json.detail).toContain('--allow-edit');
});

test('of saves at once over one text, one is taken and the others are stale', async () => {
  const served = await serve({ files: { ...ALL, 'two.yaml': TWO_STEPS }, args: ['--allow-edit'] });
  const tag = (await served.fetch('/v1/workflows/two')).headers.get('etag') ?? '';
  const saves = Array.from({ length: 12 }, async (_, n) => {
    const body = `${TWO_STEPS}# ${n}\n`;
    const headers = { 'content-type': 'application/yaml', 'if-match': tag };
    const { status } = await served.fetch('/v1/workflows/two', { method: 'PUT', headers, body });
    return { status, body };
  });
  const ends = await Promise.all(saves);
  const taken = ends.filter(({ status }) => status === 200);
  expect(taken).toHaveLength(1);
  expect(ends.filter(({ status }) => status === 412)).toHaveLength(11);
  const { text } = (await (await served.fetch('/v1/workflows/two')).json()) as { text: string };
  expect(text).toBe(taken[0]?.body);
});

test('If-Match may list several tags', async () => {
  const served = await serve({ files: ALL, args: ['--allow-edit'] });
  const path = '/v1/workflows/hello';
  const before = await served.ask(path);
  const tag = before.headers.get('etag') ?? '';
  const put = (ifMatch: string) =>
    served.ask(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/yaml', 'if-match': ifMatch },
      body: before.json.text,
    });
  expect((await put(`"other", W/${tag}`)).status).toBe(412);
  expect((await put(`"other", ${tag}`)).status).toBe(200);
});

test('only a kind of the catalog links to its row', async () => {
  const served = await serve({ files: ALL });
  const own = await served.ask(`/v1/runs/${(await served.run('fails')).run}/result`);
  expect([own.json.kind, own.headers.get('link')]).toEqual(['order.missing', null]);
  const known = await served.ask('/v1/runs/nobody');
  const [, href = ''] = /<(.*)>; rel="type"/.exec(known.headers.get('link') ?? '') ?? [];
  expect((await served.ask(href)).json.kind).toBe('run.not_found');
});

/** What the server says to these bytes, to the end of the connection. */
function spoken(served: Served, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(text));
    let said = '';
    socket.setEncoding('utf8').on('data', (part: string) => (said += part));
    socket.on('close', () => resolve(said)).on('error', reject);
  });
}

test('a name that JavaScript keeps for itself is refused, and never left out in silence', async () => {
  const served = await serve({ files: ALL });
  const post = (path: string, body: string) =>
    served.fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
  const { run } = await served.run('ask');
  for (const [path, body, name] of [
    ['/v1/runs', '{"workflow":"hello","input":{"who":"Ada","__proto__":1}}', 'input.__proto__'],
    ['/v1/runs', '{"workflow":"ask","answers":{"__proto__":"yes"}}', 'answers.__proto__'],
    ['/v1/runs', '{"workflow":"hello","__proto__":{"input":{"who":"Ada"}}}', '__proto__'],
    [`/v1/runs/${run}/resume`, '{"input":{"__proto__":1}}', 'input.__proto__'],
    [`/v1/runs/${run}/answers`, '{"value":"yes","__proto__":{"gate":"x"}}', '__proto__'],
  ] as const) {
    const response = await post(path, body);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { kind: 'request.invalid', detail: `There is no field ${name}` },
    ]);
  }
  expect((await served.ask('/v1/runs?__proto__=1')).status).toBe(422);
  // inside of a value it is data like any other
  const answered = await post(`/v1/runs/${run}/answers`, '{"value":{"__proto__":{"a":1}}}');
  expect((await answered.json()) as object).not.toMatchObject({ kind: 'request.invalid' });
});
