/** Keys that are made when they are needed, and once more when a provider refuses them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CredentialRequest } from '../../src/effects/model/credentials.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { load } from '../sdk-parity/install.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { JumpClock, oneAgent, openRunner, planOf, ranOf, runFile, type Ran } from './runs.ts';
import { refuses, startUpstream, streams, type Reply, type Upstream } from './upstream.ts';

let upstream: Upstream;
let folder: string;
beforeAll(async () => {
  upstream = await startUpstream();
  folder = mkdtempSync(join(tmpdir(), 'errand-key-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await upstream.close();
});

const OLD = 'first-key-which-expires';
const FRESH = 'second-key-which-is-good';
const UNAUTHORIZED = refuses(401, { error: { message: `Incorrect API key provided: ${OLD}` } });
const LIMITED = refuses(429, { error: { message: 'Slow down.' } }, { 'retry-after': '1' });

/** A provider that accepts only the keys that it is given. */
function takes(protocol: Protocol, ...keys: readonly string[]): Reply {
  const hello = streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good }));
  return (response, received) => {
    const sent = JSON.stringify(received.headers) + received.path;
    const isGood = keys.some((key) => sent.includes(key));
    (isGood ? hello : UNAUTHORIZED)(response, received);
  };
}

/** The first key, and each time that it is refused the next. */
function source(asked: CredentialRequest[], ...keys: readonly string[]) {
  let at = 0;
  return (request: CredentialRequest): Promise<string> => {
    asked.push(request);
    if (request.isRefresh) at++;
    return Promise.resolve(keys[at] ?? keys.at(-1) ?? '');
  };
}

const [responses] = PROTOCOLS;
if (responses === undefined) throw new Error('no protocols');

const settingsOf = (protocol: Protocol, more: object = {}): object => ({
  runtime: {
    provider: {
      name: protocol.model.split('/')[0] ?? '',
      base_url: `${upstream.url}${protocol.base}`,
      ...more,
    },
  },
});

function run(
  protocol: Protocol,
  credentials: Record<string, ReturnType<typeof source>>,
  more: object = {},
): Promise<Ran> {
  return runFile(oneAgent(protocol.model, more, settingsOf(protocol)), { credentials });
}

describe.each(PROTOCOLS)('a key that expired, by $name', (protocol) => {
  const [name = ''] = protocol.model.split('/');

  it('is made anew once, and the call is made again with it', async () => {
    const asked: CredentialRequest[] = [];
    upstream.answer(takes(protocol, FRESH));
    const ran = await run(protocol, { [name]: source(asked, OLD, FRESH) });
    expect(ran.result).toMatchObject({ status: 'completed', output: { result: 'Hello.' } });
    expect(ran.calls).toEqual([`${protocol.model} provider.auth`, `${protocol.model} ok`]);
    expect(ran.waitsMs).toEqual([0]);
    expect(asked.map(({ isRefresh }) => isRefresh)).toEqual([false, true]);
    // counted at the server, equal to the ledger, never above what was printed
    expect(upstream.received).toHaveLength(2);
    expect(ran.costs.attempts.map(({ attempt, kind }) => [attempt, kind])).toEqual([
      [0, 'provider.auth'],
      [1, undefined],
    ]);
    expect(ran.bound).toBeGreaterThanOrEqual(2);
    // an event says so, and none has the secret
    const requests = ran.events.filter(({ type }) => type === 'effect:requested');
    expect(requests.map((event) => 'refreshesKey' in event)).toEqual([false, true]);
    expect(JSON.stringify(ran.events)).not.toContain(OLD);
    expect(JSON.stringify(ran.events)).not.toContain(FRESH);
  });

  it('that is refused a second time ends the call', async () => {
    const asked: CredentialRequest[] = [];
    upstream.answer(UNAUTHORIZED);
    const ran = await run(protocol, { [name]: source(asked, OLD, FRESH) });
    expect(ran.result).toMatchObject({ status: 'failed', error: { kind: 'provider.auth' } });
    expect(upstream.received).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });
});

describe('a fresh key', () => {
  it('is not asked for where nobody makes keys', async () => {
    upstream.answer(UNAUTHORIZED);
    const file = oneAgent(responses.model, {}, settingsOf(responses, { api_key: OLD }));
    const ran = await runFile(file);
    expect(ran.result).toMatchObject({ error: { kind: 'provider.auth' } });
    expect(upstream.received).toHaveLength(1);
  });

  it('is one of the attempts that a model has: also after a wait, and never one more', async () => {
    const kinds = ['rate_limited', 'overloaded', 'server_error', 'timeout', 'network', 'conflict'];
    const takenOver = { on_error: kinds.map((kind) => `provider.${kind}`), to: '$end' };
    for (const [limits, routes] of [
      [1, []],
      [5, []],
      [0, [{ to: '$end' }, takenOver]],
    ] as const) {
      let number = 0;
      const replies = [...Array.from({ length: limits }, () => LIMITED), UNAUTHORIZED];
      const rest = takes(responses, FRESH);
      upstream.answer((response, received) => (replies[number++] ?? rest)(response, received));
      const more = { max_turns: 1, ...(routes.length === 0 ? {} : { routes }) };
      const ran = await run(responses, { openai: source([], OLD, FRESH) }, more);
      expect(ran.result.status).toBe(limits === 5 ? 'failed' : 'completed');
      expect(upstream.received).toHaveLength(limits === 5 ? 6 : limits + 2);
      expect(upstream.received.length).toBeLessThanOrEqual(ran.bound);
    }
  });

  it('is made once for all who were refused together', async () => {
    const asked: CredentialRequest[] = [];
    upstream.answer(takes(responses, FRESH));
    const names = ['p', 'q', 'r', 's'];
    const ran = await runFile(
      {
        workflow: { name: 't', entry_point: 'g', ...settingsOf(responses) },
        nodes: names.map((name) => ({ name, prompt: 'Hi.', tools: [], model: responses.model })),
        parallel: [{ name: 'g', agents: names }],
      },
      { credentials: { openai: source(asked, OLD, FRESH) } },
    );
    expect(ran.result.status).toBe('completed');
    expect(asked.filter(({ isRefresh }) => isRefresh)).toHaveLength(1);
  });

  it('is still to be had when the process ends before it is there', async () => {
    const clock = new JumpClock();
    const store = openMemoryStore({ now: () => clock.now() });
    const { plan, bound } = planOf(oneAgent(responses.model, {}, settingsOf(responses)));
    upstream.answer(takes(responses, FRESH));
    const waiting = Promise.withResolvers<void>();
    const stuck = ({ isRefresh }: CredentialRequest): Promise<string> => {
      if (!isRefresh) return Promise.resolve(OLD);
      waiting.resolve();
      return new Promise(() => undefined);
    };
    const first = openRunner({ store, credentials: { openai: stuck } }, clock);
    const handle = await first.start(plan, {});
    await waiting.promise;
    handle.stop();
    await handle.result();
    const asked: CredentialRequest[] = [];
    const second = openRunner({ store, credentials: { openai: source(asked, OLD, FRESH) } }, clock);
    const result = await (await second.resume(handle.id)).result();
    expect(result).toMatchObject({ status: 'completed', output: { result: 'Hello.' } });
    expect(asked.map(({ isRefresh }) => isRefresh)).toEqual([true]);
    expect(upstream.received).toHaveLength(2);
    const { costs } = await ranOf(store, handle.id, { result, bound });
    expect(costs.attempts.map(({ kind, outcome }) => kind ?? outcome)).toEqual([
      'provider.auth',
      'unknown',
      'succeeded',
    ]);
    await second.close();
  });
});

describe('where a key comes from', () => {
  it('is a program that the file names, run again when its key is refused', async () => {
    const counter = join(folder, 'times');
    writeFileSync(counter, '');
    writeFileSync(
      join(folder, 'key.mjs'),
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(process.argv[2], 'x');
       console.log(readFileSync(process.argv[2], 'utf8') === 'x' ? '${OLD}' : '${FRESH}');`,
    );
    upstream.answer(takes(responses, FRESH));
    const command = [process.execPath, join(folder, 'key.mjs'), '${COUNTER}'];
    const file = oneAgent(responses.model, {}, settingsOf(responses, { api_key_command: command }));
    const ran = await runFile(file, { env: { COUNTER: counter } });
    expect(ran.result).toMatchObject({ status: 'completed' });
    expect(upstream.received).toHaveLength(2);
    expect(JSON.stringify(ran.events)).not.toContain(FRESH);
  });

  it.each([
    [[process.execPath, '-e', 'console.error("a secret"); process.exit(3)'], 'exit code 3'],
    [['no-such-program-here'], 'ENOENT'],
  ])('is reported when the program gives none: %j', async (command, how) => {
    upstream.answer(UNAUTHORIZED);
    const file = oneAgent(responses.model, {}, settingsOf(responses, { api_key_command: command }));
    const { result, events } = await runFile(file);
    expect(result).toMatchObject({
      error: {
        kind: 'provider.not_configured',
        outcome: 'not_started',
        action: { kind: 'check_credentials', detail: expect.stringContaining(how) },
      },
    });
    expect(JSON.stringify(events)).not.toContain('a secret');
    expect(upstream.received).toHaveLength(0);
  });

  it('is handed to a provider that the host registers', async () => {
    const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
    const chat = PROTOCOLS.find(({ name }) => name === 'chat') ?? responses;
    upstream.answer(takes(chat, FRESH));
    const ran = await runFile(oneAgent('house/small'), {
      credentials: { house: source([], OLD, FRESH) },
      providers: {
        house: (model: string, { apiKey }) =>
          createOpenAICompatible({ name: 'house', baseURL: upstream.url, apiKey })(model),
      },
    });
    expect(ran.calls).toEqual(['house/small provider.auth', 'house/small ok']);
  });

  it('is what the call fails with when the source throws, or gives nothing', async () => {
    for (const broken of [() => Promise.reject(new Error('vault is sealed')), () => '']) {
      const ran = await run(responses, { openai: broken as ReturnType<typeof source> });
      expect(ran.result).toMatchObject({
        error: { kind: 'provider.not_configured', outcome: 'not_started' },
      });
    }
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const away = await run(responses, { openai: () => Promise.reject(refused) });
    expect(away.result).toMatchObject({
      error: { kind: 'provider.exhausted', cause: { kind: 'provider.network' } },
    });
    expect(away.calls).toHaveLength(3);
  });
});
