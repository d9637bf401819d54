/** Pictures in a prompt: from the file to the provider, and never fetched from here. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { KEY } from './harness.ts';
import { runFile, type Ran } from './runs.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function show(
  protocol: Protocol,
  images: readonly unknown[],
  model: unknown = protocol.model,
): Promise<Ran> {
  upstream.answer(streams(protocol.stream({ text: 'A dot.', stop: protocol.stops.good })));
  const [name = ''] = protocol.model.split('/');
  const provider = { name, base_url: `${upstream.url}${protocol.base}`, api_key: KEY };
  return runFile({
    workflow: { name: 't', entry_point: 'list', runtime: { provider } },
    nodes: [
      { name: 'list', type: 'set', value: images, routes: [{ to: 'a' }] },
      { name: 'a', prompt: 'What is it?', model, tools: [], images: ['{{ list.output }}'] },
    ],
  });
}

describe.each(PROTOCOLS)('an image by $name', (protocol) => {
  it('goes to the model with its data', async () => {
    const { result } = await show(protocol, [`data:image/png;base64,${PIXEL}`]);
    expect(result).toMatchObject({ status: 'completed', output: { result: 'A dot.' } });
    expect(JSON.stringify(upstream.received[0]?.body)).toContain(PIXEL);
    expect(upstream.received).toHaveLength(1);
  });

  it('goes by its address, which nobody here looks at', async () => {
    const address = `${upstream.url}/dot.png`;
    const { result, costs } = await show(protocol, [address]);
    const paths = upstream.received.map(({ path }) => path);
    expect(paths).not.toContain('/dot.png');
    if (result.status !== 'completed') {
      // where the protocol has no addresses it says so, before anything is sent
      expect(result).toMatchObject({ error: { kind: 'provider.unsupported' } });
      expect(paths).toEqual([]);
    } else expect(JSON.stringify(upstream.received[0]?.body)).toContain(address);
    expect(costs.attempts).toHaveLength(1);
  });
});

describe('what is no image', () => {
  const [responses] = PROTOCOLS;
  if (responses === undefined) throw new Error('no protocols');

  it.each([['cat.png'], ['file:///etc/passwd'], ['data:text/html;base64,PGI+'], [7]])(
    'is refused before anything is sent: %j',
    async (image) => {
      const { result } = await show(responses, [image]);
      expect(result).toMatchObject({
        status: 'failed',
        error: { kind: 'validation.input', outcome: 'not_started', location: { node: 'a' } },
      });
      expect(upstream.received).toHaveLength(0);
    },
  );

  it('is not shown to a model that cannot see, and the reason is reported', async () => {
    const blind = ['openai/o1-mini', responses.model];
    const { calls, events } = await show(responses, [`data:image/png;base64,${PIXEL}`], blind);
    expect(calls).toEqual([`${responses.model} ok`]);
    expect(events.find(({ type }) => type === 'error:suppressed')).toMatchObject({
      error: {
        kind: 'provider.capability_missing',
        message: 'openai/o1-mini cannot read images',
      },
    });
  });
});
