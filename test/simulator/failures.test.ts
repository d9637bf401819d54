/** What the simulator plays as failures, seen by the real SDKs and judged by `reportFrom`. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCorpus } from '../../src/simulator-server/corpus.ts';
import { startSimulator, type SimulatorServer } from '../../src/simulator-server/start.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { reportFrom } from '../../src/providers/report-from.ts';
import { ENTRIES } from '../corpus/entries.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { isForeign, protocolOf } from '../sdk-parity/protocol.ts';
import { CLIENTS, type Client } from './clients.ts';
import { scriptOf } from './script.cases.ts';

const BY_STATUS = [
  'provider.rate_limited',
  'provider.overloaded',
  'provider.server_error',
  'provider.timeout',
  'provider.conflict',
  'provider.auth',
  'provider.permission',
  'provider.model_not_found',
  'provider.invalid_request',
  'provider.tool_schema',
  'provider.context_length',
  'provider.request_too_large',
  'provider.unsupported',
  'provider.quota_exhausted',
];

const CORPUS = new URL('../corpus/provider-failures.jsonl', import.meta.url);

let server: SimulatorServer;

beforeAll(async () => {
  requireSdks();
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  server = await startSimulator({
    corpus: readCorpus(readFileSync(CORPUS, 'utf8')),
    script: scriptOf(`
hinted:
  - fail: {kind: provider.rate_limited, retry_after: 1.5}
gateway:
  - fail: {status: 502, headers: {server: nginx}, body: "<html><h1>502 Bad Gateway</h1></html>"}
bare:
  - fail: {status: 503, retry_after: 3}
cutter:
  - stream: ["Once upon", " a time"]
    cut: true
fader:
  - stream: ["Once upon", " a time"]
    then_fail: {kind: provider.overloaded}
loser:
  - answer: Done and gone
    lose_reply: true
`),
  });
});

afterAll(async () => {
  await server?.close();
});

interface Seen {
  readonly report: ErrorReport;
  readonly text: string;
}

/** What was thrown, or the answer where nothing was. */
async function see(client: Client, model: string, isStream: boolean): Promise<Seen> {
  let text = '';
  const onText = (piece: string): void => {
    text += piece;
  };
  const failure = await client
    .ask({ url: server.url, model, prompt: 'Tell me.', isStream, onText })
    .then(({ answer }) => answer)
    .catch((thrown: unknown) => thrown);
  const delivered = text !== '';
  const report = reportFrom(failure, {
    provider: client.provider,
    ...(isStream ? { delivered } : {}),
  });
  return { report, text };
}

const WAYS = CLIENTS.flatMap((client) => [
  { name: client.name, client, isStream: false },
  { name: `${client.name}, streamed`, client, isStream: true },
]);

describe.each(WAYS)('$name', ({ client, isStream }) => {
  it.each(BY_STATUS)('sees %s', async (kind) => {
    expect((await see(client, `fail/${kind}`, isStream)).report.kind).toBe(kind);
  });

  it('sees how long to wait, to the millisecond', async () => {
    const { report } = await see(client, 'hinted', isStream);
    expect(report).toMatchObject({
      kind: 'provider.rate_limited',
      provider: { retryAfterMs: 1500 },
    });
  });

  it('sees answers that are no JSON, and answers without a word', async () => {
    expect((await see(client, 'gateway', isStream)).report).toMatchObject({
      kind: 'provider.server_error',
      retryable: true,
    });
    // its errors have no headers
    const hint = client.name === 'google-genai' ? {} : { retryAfterMs: 3000 };
    expect((await see(client, 'bare', isStream)).report).toMatchObject({
      retryable: true,
      provider: { status: 503, ...hint },
    });
  });

  it('sees a connection that breaks before the answer', async () => {
    const { report } = await see(client, 'fail/provider.network', isStream);
    expect(report).toMatchObject({ kind: 'provider.network', outcome: 'unknown' });
  });

  it('sees that a reply is lost after the work was done, and the server bills it', async () => {
    const before = server.records.length;
    expect((await see(client, 'loser', isStream)).report.kind).toBe('provider.network');
    expect(server.records.slice(before)).toMatchObject([
      { ending: 'lost', usage: { inputTokens: 2, outputTokens: 4 } },
    ]);
  });

  it('sees an answer that is cut', async () => {
    const { report, text } = await see(client, 'cutter', isStream);
    expect(report).toMatchObject({ kind: 'provider.stream_interrupted', category: 'ambiguous' });
    if (isStream) expect('Once upon a time'.startsWith(text) && text !== '').toBe(true);
  });

  it('sees an answer that ends at its limit, or at a filter', async () => {
    expect((await see(client, 'fail/provider.truncated', isStream)).report.kind).toBe(
      'provider.truncated',
    );
    expect((await see(client, 'fail/provider.content_filter', isStream)).report.kind).toBe(
      'provider.content_filter',
    );
  });

  it('sees a failure in the middle of a stream', async () => {
    const { report } = await see(client, 'fader', isStream);
    expect(report).toMatchObject({
      kind: 'provider.overloaded',
      category: isStream ? 'ambiguous' : 'transient',
    });
  });
});

const SPOKEN_BY: Readonly<Record<string, string>> = {
  chat: 'ai/openai (chat)',
  responses: 'ai/openai (responses)',
  messages: 'ai/anthropic',
  gemini: 'ai/google',
};

function clientFor(protocol: string | undefined): Client | undefined {
  return CLIENTS.find(({ name }) => name === SPOKEN_BY[protocol ?? '']);
}

describe('an entry of the corpus', () => {
  const recorded = ENTRIES.filter(({ status, stream, transport, contested }) => {
    return (status ?? 0) >= 400 && stream === false && transport === null && !contested;
  })
    .filter((entry) => !isForeign(entry))
    .flatMap((entry) => {
      const client = clientFor(protocolOf(entry));
      return client === undefined ? [] : [{ id: entry.id, entry, client }];
    });

  it.each(recorded)('$id', async ({ id, entry, client }) => {
    const question = { url: server.url, prompt: 'Tell me.', isStream: false };
    const failure = await client
      .ask({ ...question, model: `corpus/${id}` })
      .catch((thrown: unknown) => thrown);
    const { provider, api, operation } = entry;
    const { kind, category, retryable } = entry.expect;
    expect(reportFrom(failure, { provider, api, operation })).toMatchObject({
      kind,
      category,
      retryable,
    });
  });

  it('that is not there is reported as a model that is not', async () => {
    for (const protocol of Object.keys(SPOKEN_BY)) {
      const client = clientFor(protocol);
      if (client === undefined) throw new Error(`There is no client for ${protocol}`);
      const { report } = await see(client, 'corpus/nothing', false);
      expect(report.kind).toBe('provider.model_not_found');
    }
  });
});
