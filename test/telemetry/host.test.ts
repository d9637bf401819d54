/** A host that traces `fetch` and the AI SDK, with a provider on the loopback interface. */
import { createRequire } from 'node:module';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SDKS } from '../model/harness.ts';
import { PROTOCOLS } from '../model/protocols.ts';
import { startUpstream, streams, type Upstream } from '../model/upstream.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { api, loadInstrumentation, recordTelemetry, tree, type Recorded } from './otel.ts';
import { openPlace, type Place } from './runs.ts';

const SECRET = 'sk-planted-3c1f8a7d9e2b4c6f';
const host = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown[] };

let upstream: Upstream;
let recorded: Recorded;
let place: Place | undefined;

beforeAll(async () => {
  requireSdks();
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

beforeEach(() => {
  recorded = recordTelemetry();
  const load = createRequire(join(import.meta.dirname, '../otel-sdk/package.json'));
  const { OpenTelemetry } = load('@ai-sdk/otel') as { OpenTelemetry: new () => object };
  host.AI_SDK_TELEMETRY_INTEGRATIONS = [new OpenTelemetry()];
});

afterEach(async () => {
  delete host.AI_SDK_TELEMETRY_INTEGRATIONS;
  await place?.close();
  place = undefined;
  await recorded.close();
});

async function runAgent(env: Record<string, string>): Promise<string> {
  const protocol = PROTOCOLS.find(({ name }) => name === 'responses');
  if (protocol === undefined) throw new Error('no such protocol');
  const [provider = ''] = protocol.model.split('/');
  const flow = `workflow:
  name: flow
  entry_point: writer
  runtime:
    provider: { name: ${provider}, base_url: '${upstream.url}${protocol.base}' }
nodes:
  - { name: writer, model: ${protocol.model}, prompt: 'The word is ${SECRET} and also pelican', tools: [] }
`;
  const { UndiciInstrumentation } = loadInstrumentation();
  const undici = new UndiciInstrumentation();
  undici.setTracerProvider(api.trace.getTracerProvider());
  undici.enable();
  try {
    const all = { [protocol.key]: 'a-key-that-nobody-may-see', ...env };
    place = await openPlace({ 'flow.yaml': flow }, { env: all, secrets: [SECRET] });
    symlinkSync(join(SDKS, 'node_modules'), join(place.folder, 'node_modules'));
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    const run = await place.engine.start(await place.engine.load('flow.yaml'));
    expect(await run.result()).toMatchObject({ status: 'completed' });
    return protocol.model;
  } finally {
    undici.disable();
  }
}

describe('a host that traces fetch and the AI SDK', () => {
  it('gets each call once, with its request below it and no prompt anywhere', async () => {
    const model = await runAgent({});
    const spans = await recorded.spans();
    const name = model.slice(model.indexOf('/') + 1);
    expect(tree(spans)).toBe(
      `invoke_workflow flow\n  invoke_agent writer\n    chat ${name}\n      POST`,
    );
    const counted = spans.filter(
      ({ attributes }) => attributes['gen_ai.usage.input_tokens'] !== undefined,
    );
    expect(counted.map((span) => span.name)).toEqual([`chat ${name}`]);
    expect(counted[0]?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
    });
    const said = JSON.stringify(spans.map(({ attributes, status }) => [attributes, status]));
    for (const word of [SECRET, 'pelican', 'Hello.', 'a-key-that'])
      expect(said).not.toContain(word);
  });

  it('gets what was said with ERRAND_OTEL_CONTENT=1, without the secrets', async () => {
    await runAgent({ ERRAND_OTEL_CONTENT: '1' });
    const chat = (await recorded.spans()).find((span) => span.name.startsWith('chat '));
    expect(chat?.attributes['gen_ai.input.messages']).toContain('pelican');
    expect(chat?.attributes['gen_ai.output.messages']).toContain('Hello.');
    expect(JSON.stringify(chat?.attributes)).not.toContain(SECRET);
  });
});
