/**
 * What real sockets do to real SDKs: refused, closed, garbled, silent, cut. Whatever an SDK makes of it,
 * it must be judged as it is when plain `fetch` meets the same.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractFailure } from '../../src/providers/extract/extract.ts';
import { beginningOf, streamHeaders } from './faults.ts';
import { loadCommon, requireSdks } from './install.ts';
import { judge } from './judge.ts';
import { PLAYERS, type Call, type Player } from './players.ts';
import type { Protocol } from './protocol.ts';
import { freePort } from '../free-port.ts';
import { startLoopback, type Loopback, type Script } from './server.ts';

/** For a server that never answers. */
const LIMIT_MS = 300;
/** For a stream that has to begin within it, on a busy machine too. */
const STREAM_LIMIT_MS = 3000;

interface Scenario {
  readonly name: string;
  readonly isStream: boolean;
  readonly script: (protocol: Protocol) => Script;
  readonly expected: { readonly kind: string; readonly category: string };
  readonly phase: string;
  readonly limitMs?: number;
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'closes the connection instead of answering',
    isStream: false,
    script: () => (_, socket) => socket.destroy(),
    expected: { kind: 'provider.network', category: 'transient' },
    phase: 'sent',
  },
  {
    name: 'answers in something else than HTTP',
    isStream: false,
    script: () => (_, socket) => socket.end('220 mail.example.com ESMTP ready\r\n\r\n'),
    expected: { kind: 'provider.network', category: 'unknown' },
    phase: 'sent',
  },
  {
    name: 'accepts the request and says nothing',
    isStream: false,
    script: () => () => undefined,
    expected: { kind: 'provider.timeout', category: 'transient' },
    phase: 'sent',
    limitMs: LIMIT_MS,
  },
  {
    name: 'cuts the connection in the middle of a stream',
    isStream: true,
    script: (protocol) => (response, socket) => {
      response.writeHead(200, streamHeaders(protocol));
      response.write(beginningOf(protocol), () => socket.destroy());
    },
    expected: { kind: 'provider.stream_interrupted', category: 'ambiguous' },
    phase: 'streaming',
  },
  {
    name: 'falls silent in the middle of a stream',
    isStream: true,
    script: (protocol) => (response) => {
      response.writeHead(200, streamHeaders(protocol)).write(beginningOf(protocol));
    },
    expected: { kind: 'provider.stream_interrupted', category: 'ambiguous' },
    phase: 'streaming',
    limitMs: STREAM_LIMIT_MS,
  },
  {
    name: 'cuts the connection in the middle of a whole answer',
    isStream: false,
    script: () => (response, socket) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":"chatcmpl-1","choices":[{"mess', () => socket.destroy());
    },
    expected: { kind: 'provider.stream_interrupted', category: 'ambiguous' },
    phase: 'streaming',
  },
];

let server: Loopback;

beforeAll(async () => {
  requireSdks();
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  server = await startLoopback();
});

afterAll(async () => {
  await server?.close();
});

const TARGETS = PLAYERS.flatMap((player) =>
  player.speaks.map((protocol) => ({ name: `${player.name} (${protocol})`, player, protocol })),
);

describe.each(SCENARIOS)('a server that $name', (scenario) => {
  it.concurrent.each(TARGETS)('$name', async ({ player, protocol }) => {
    const baseUrl = server.play(scenario.script(protocol));
    const limits = scenario.limitMs === undefined ? {} : limited(scenario.limitMs);
    const call = { baseUrl, protocol, api: 'Converse', isStream: scenario.isStream, ...limits };
    // smithy's limit for a silent socket names neither the socket nor the stream
    const isVague = player.name === 'aws' && scenario.name.startsWith('falls silent');
    const expected = isVague
      ? { ...scenario.expected, kind: 'provider.timeout' }
      : scenario.expected;
    await expectJudgement(player, call, { ...scenario, expected });
  });
});

describe('a server that is not there', () => {
  it.concurrent.each(TARGETS)('$name', async ({ player, protocol }) => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    await expectJudgement(
      player,
      { baseUrl, protocol, api: 'Converse', isStream: false },
      { expected: { kind: 'provider.network', category: 'transient' }, phase: 'before_send' },
    );
  });
});

describe('a limit that the client sets itself', () => {
  it.concurrent.each(TARGETS)('$name', async ({ player, protocol }) => {
    const baseUrl = server.play(() => undefined);
    const { failure } = await player.ask({
      baseUrl,
      protocol,
      api: 'Converse',
      isStream: false,
      timeoutMs: LIMIT_MS,
    });
    expect(judge(failure)).toMatchObject(
      // its limit is an abort, and the error says only that
      player.name === 'google-genai'
        ? { kind: 'cancelled.call' }
        : { kind: 'provider.timeout', category: 'transient', retryable: true },
    );
  });
});

async function expectJudgement(
  player: Player,
  call: Call,
  { expected, phase }: Pick<Scenario, 'expected' | 'phase'>,
): Promise<void> {
  const { failure, delivered } = await player.ask(call);
  expect(judge(failure, { delivered })).toMatchObject({
    ...expected,
    retryable: expected.category === 'transient',
  });
  expect(extractFailure(failure, { delivered })?.phase).toBe(phase);
}

/** The limits of the runtime's own client, far shorter than its five minutes. */
function limited(limitMs: number): Pick<Call, 'fetch' | 'requestHandler'> {
  const { Agent } = loadCommon('undici');
  const { NodeHttpHandler } = loadCommon('@smithy/node-http-handler');
  const dispatcher = new Agent({ headersTimeout: limitMs, bodyTimeout: limitMs });
  return {
    fetch: (input, init) => fetch(input, { ...init, dispatcher }),
    requestHandler: new NodeHttpHandler({
      requestTimeout: limitMs,
      socketTimeout: limitMs,
      throwOnRequestTimeout: true,
    }),
  };
}
