import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import {
  ASKS,
  closed,
  newPlace,
  PARKS,
  WORKS,
  type Place,
} from '../../engine/local/cases/carry-on.cases.ts';
import { MACHINE_CLOCK } from '../../effects/clock.ts';
import type { Outbox } from '../../engine/carry-on.ts';
import { sendWebhook } from './send-webhook.ts';
import { signatures, webhookSecrets } from './webhook-signature.ts';
import { webhookAddress } from './webhook-address.ts';
import { RETRY_MS, Webhooks } from './webhooks.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SECRETS = webhookSecrets(SECRET);

interface Got {
  readonly url: string;
  readonly id: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: object };
  readonly atMs: number;
}

/** Receivers by address: each says what it answers, or hangs. */
function receivers(place: Place, answer: (url: string, count: number) => number | 'hangs') {
  const got: Got[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = new Headers(init?.headers);
    const id = headers.get('webhook-id') ?? '';
    const count = got.filter((each) => each.url === url && each.id === id).length;
    const text = typeof init?.body === 'string' ? init.body : '';
    got.push({ url, id, body: JSON.parse(text) as Got['body'], atMs: place.clock.now() });
    const status = answer(url, count);
    if (status !== 'hangs') return Promise.resolve(new Response(null, { status }));
    return new Promise((_, reject) =>
      init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  };
  return { got, fetch };
}

async function webhooksOf(place: Place, urls: readonly string[], fetch: typeof globalThis.fetch) {
  const server = await place.open();
  const warnings: unknown[] = [];
  const webhooks = new Webhooks({
    clock: place.clock,
    addresses: urls.map(webhookAddress),
    secrets: SECRETS,
    outbox: await server.outbox(),
    onWarning: (thrown) => void warnings.push(thrown),
    fetch,
  });
  await webhooks.begin();
  const close = async (): Promise<void> => {
    await webhooks.stop({ graceMs: 0 });
    await server.close();
  };
  return { webhooks, server, warnings, close };
}

const ONE = 'https://one.example/hook';
const TWO = 'https://two.example/hook?key=abc';

test('sends what happens in any run of the store, once, from the first start on', async () => {
  const place = newPlace();
  const { got, fetch } = receivers(place, () => 204);
  // a command, in another process
  const command = await place.open({ functions: { work: () => 'done', tell: closed } });
  await (await command.start(ASKS)).result();
  const { close, server } = await webhooksOf(place, [ONE], fetch);
  const asked = await command.start(ASKS);
  await asked.result();
  await command.answer(asked.id, { value: 'no' }).then((handle) => handle?.result());
  const failed = await command.start(WORKS);
  await failed.result();
  const cancelled = await command.start(ASKS);
  await cancelled.result();
  await command.cancel(cancelled.id);
  await place.pass(5000);
  expect(got.map(({ id, body }) => [id.split(':')[0], body.type])).toEqual([
    [asked.id, 'gate.opened'],
    [asked.id, 'run.paused'],
    [asked.id, 'run.completed'],
    [failed.id, 'run.failed'],
    [cancelled.id, 'gate.opened'],
    [cancelled.id, 'run.paused'],
    [cancelled.id, 'run.cancelled'],
  ]);
  const events = await server.events(failed.id);
  const last = events.at(-1);
  expect(got[3]?.id).toBe(`${failed.id}:${last?.seq}`);
  expect(got[3]?.body).toMatchObject({
    timestamp: last?.at,
    data: {
      run: failed.id,
      workflow: 'works',
      status: 'failed',
      seq: last?.seq,
      error: { kind: 'bank.closed' },
    },
  });
  expect(got[0]?.body.data).toMatchObject({ status: 'running', gate: 'ask' });
  expect(got[1]?.body.data).toMatchObject({ status: 'paused', gate: 'ask' });
  await close();
  await command.close();
});

test('a refused message is tried again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, and then given up', async () => {
  const place = newPlace();
  const { got, fetch } = receivers(place, () => 500);
  const { close, server } = await webhooksOf(place, [TWO], fetch);
  const errand = await place.open({ functions: { work: closed } });
  await (await errand.start(PARKS)).result();
  await place.pass(24 * 3_600_000);
  const gaps = got.slice(1).map(({ atMs }, index) => atMs - (got[index]?.atMs ?? 0));
  expect(gaps).toHaveLength(RETRY_MS.length);
  for (const [index, gap] of gaps.entries()) {
    expect(gap).toBeGreaterThanOrEqual(RETRY_MS[index] ?? 0);
    expect(gap).toBeLessThanOrEqual((RETRY_MS[index] ?? 0) + 2000);
  }
  expect(new Set(got.map(({ id, body }) => JSON.stringify([id, body]))).size).toBe(1);
  const [state] = await (await server.outbox()).state();
  expect(state).toMatchObject({ waiting: 0, failed: 1, problem: 'the receiver answered 500' });
  expect(JSON.stringify(state)).not.toContain('abc');
  expect(state?.name).toMatch(/^https:\/\/two\.example \([0-9a-f]{8}\)$/);
  await close();
  await errand.close();
});

test('an address that hangs and a message that is refused hold up no other', async () => {
  const place = newPlace();
  const { got, fetch } = receivers(place, (url, count) => {
    if (url === ONE) return 'hangs';
    return got.filter((each) => each.url === TWO).length === 1 && count === 0 ? 500 : 200;
  });
  const { close } = await webhooksOf(place, [ONE, TWO], fetch);
  const errand = await place.open({ functions: { work: closed } });
  for (let n = 0; n < 20; n++) await (await errand.start(PARKS)).result();
  await place.pass(4000);
  expect(new Set(got.filter(({ url }) => url === TWO).map(({ id }) => id)).size).toBe(20);
  await place.pass(12_000);
  // the first 8 have had their 15 seconds
  expect(new Set(got.filter(({ url }) => url === ONE).map(({ id }) => id)).size).toBe(16);
  const stopped = close();
  await place.clock.passUntil(stopped);
  await errand.close();
});

test('what a server had taken when it died is sent by another one', async () => {
  const place = newPlace();
  const died = receivers(place, () => 'hangs');
  const { server, webhooks } = await webhooksOf(place, [ONE], died.fetch);
  const outbox = await server.outbox();
  await webhooks.stop({ graceMs: 0 });
  const errand = await place.open({ functions: { work: closed } });
  await (await errand.start(PARKS)).result();
  // taken, and never seen again
  const taken = await outbox.take([webhookAddress(ONE).id], 10);
  expect(taken).toHaveLength(1);
  const { got, fetch } = receivers(place, () => 200);
  const other = await webhooksOf(place, [ONE], fetch);
  await place.pass(18_000);
  expect(got).toEqual([]);
  await place.pass(5000);
  expect(got.map(({ body }) => body.type)).toEqual(['run.paused']);
  await other.close();
});

test('a store that is away is warned of once, and nothing is lost', async () => {
  const place = newPlace();
  const { got, fetch } = receivers(place, () => 200);
  const server = await place.open();
  const real = await server.outbox();
  let isAway = false;
  const outbox: Outbox = {
    ...real,
    take: (...given) => (isAway ? Promise.reject(new Error('away')) : real.take(...given)),
  };
  const warnings: unknown[] = [];
  const webhooks = new Webhooks({
    clock: place.clock,
    addresses: [webhookAddress(ONE)],
    secrets: SECRETS,
    outbox,
    onWarning: (thrown) => void warnings.push(thrown),
    fetch,
  });
  await webhooks.begin();
  isAway = true;
  const errand = await place.open({ functions: { work: closed } });
  await (await errand.start(PARKS)).result();
  await place.pass(10_000);
  expect(warnings).toHaveLength(1);
  isAway = false;
  await place.pass(2000);
  expect(got).toHaveLength(1);
  await webhooks.stop({ graceMs: 0 });
});

test('a receiver that hangs does not hold up a server that stops, and costs the message no try', async () => {
  const place = newPlace();
  const hanging = receivers(place, () => 'hangs');
  const errand = await place.open({ functions: { work: closed } });
  const { webhooks } = await webhooksOf(place, [ONE], hanging.fetch);
  await (await errand.start(PARKS)).result();
  await place.pass(2000);
  expect(hanging.got).toHaveLength(1);
  const stopped = webhooks.stop({ graceMs: 8000 });
  await place.pass(8000);
  await stopped;
  let failures = 0;
  const next = receivers(place, () => (failures++ < RETRY_MS.length ? 500 : 204));
  const { close, server } = await webhooksOf(place, [ONE], next.fetch);
  await place.pass(24 * 3_600_000);
  expect(next.got).toHaveLength(RETRY_MS.length + 1);
  expect(await (await server.outbox()).state()).toMatchObject([{ waiting: 0, failed: 0 }]);
  await close();
});

test('the signature is the one of Standard Webhooks, one for each secret', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  expect(signatures(message, SECRETS)).toBe(signature);
  const two = webhookSecrets(`${SECRET} whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  expect(signatures(message, two).split(' ')).toHaveLength(2);
  expect(signatures(message, two).split(' ')[0]).toBe(signature);
});

test.each([undefined, '', 'secret', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_!!!', `${SECRET} other`])(
  'the secret %j is refused, and not shown',
  (text) => {
    let thrown: unknown;
    try {
      webhookSecrets(text);
    } catch (refusal) {
      thrown = refusal;
    }
    expect(isKind(thrown, 'validation.input')).toBe(true);
    expect(String(thrown)).not.toContain(SECRET.slice(6));
  },
);

test.each([
  'http://example.com/hook',
  'ftp://example.com',
  'example.com',
  'http://10.0.0.1/',
  'http://127.0.0.1.example.com/',
  'https://user:pass@example.com/',
])('the address %s is refused', (url) => {
  expect(() => webhookAddress(url)).toThrow();
});

test.each([
  'https://example.com/hook',
  'https://10.0.0.1/',
  'http://127.0.0.1:8080/x',
  'http://localhost:1/',
  'http://[::1]:1/',
])('the address %s is taken', (url) => {
  expect(webhookAddress(url).url).toBe(url);
});

test('over the wire: headers, body, a redirect that is refused, a connection that is', async () => {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (request.url === '/moved') response.writeHead(307, { location: '/' }).end();
      else response.writeHead(200).end('ok');
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const message = { id: 'run-1:7', body: '{"type":"run.completed"}' };
  const how = { clock: MACHINE_CLOCK, secrets: SECRETS };
  const url = `http://127.0.0.1:${port}`;
  expect(await sendWebhook(`${url}/`, message, how)).toBeUndefined();
  const [first] = seen;
  expect(first?.body).toBe(message.body);
  expect(first?.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': 'run-1:7',
  });
  const timestamp = Number(first?.headers['webhook-timestamp']);
  expect(first?.headers['webhook-signature']).toBe(signatures({ ...message, timestamp }, SECRETS));
  expect(await sendWebhook(`${url}/moved`, message, how)).toBe(
    'the receiver redirects (307), which is refused',
  );
  expect(seen).toHaveLength(2);
  await new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  expect(await sendWebhook(`${url}/`, message, how)).toBe('the receiver could not be reached');
});

test('a 2xx is taken, whatever its body does after it', async () => {
  const broken = new ReadableStream({ start: (body) => body.error(new Error('reset')) });
  const fetch = async (): Promise<Response> => new Response(broken);
  const how = { clock: MACHINE_CLOCK, secrets: SECRETS, fetch };
  expect(await sendWebhook(ONE, { id: 'run-1:7', body: '{}' }, how)).toBeUndefined();
});
