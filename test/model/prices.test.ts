/** A model without a price: it is called, and that nothing counts it is said. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { costsText } from '../../src/cli/commands/costs.ts';
import { KEY } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { oneAgent, runFile, type Ran } from './runs.ts';
import { refuses, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const [responses] = PROTOCOLS;
if (responses === undefined) throw new Error('no protocols');

function run(model: string, header: object): Promise<Ran> {
  const provider = { name: 'openai', base_url: `${upstream.url}/v1`, api_key: KEY };
  upstream.answer(streams(responses?.stream({ text: 'Hi.', stop: 'completed' }) ?? ''));
  return runFile(oneAgent(model, {}, { runtime: { provider }, ...header }));
}

it('is reported where a budget of money cannot count it, and on the bill', async () => {
  const { result, events, costs } = await run('openai/unheard-of', {
    limits: { budget_usd: 0.01 },
  });
  expect(result.status).toBe('completed');
  expect(events.filter(({ type }) => type === 'error:suppressed')).toMatchObject([
    { error: { kind: 'provider.not_configured', action: { kind: 'fix_file' } } },
  ]);
  expect(costs).toMatchObject({
    totalUsdMicros: 0,
    attempts: [{ unpriced: true, estimated: true, inputTokens: 120 }],
  });
  expect(costsText(costs, 100)).toContain('No price is known for openai/unheard-of');
});

it('costs nothing when it refuses, price or no price', async () => {
  const provider = { name: 'openai', base_url: `${upstream.url}/v1`, api_key: KEY };
  upstream.answer(refuses(401, { error: { message: 'Incorrect API key provided' } }));
  const { costs } = await runFile(oneAgent('openai/unheard-of', {}, { runtime: { provider } }));
  expect(costs.attempts).toMatchObject([{ costUsdMicros: 0, estimated: false }]);
  expect(costs.attempts[0]).not.toHaveProperty('unpriced');
});

it('has the price of the file, with what a cache saves and costs', async () => {
  const price = {
    input_per_mtok: 10,
    output_per_mtok: 100,
    cache_read_per_mtok: 1,
    cache_write_per_mtok: 20,
  };
  const { events, costs } = await run('openai/unheard-of', {
    limits: { budget_usd: 1 },
    cost: { pricing: { 'openai/unheard-of': price } },
  });
  expect(events.map(({ type }) => type)).not.toContain('error:suppressed');
  // 20 fresh, 90 read and 10 written of 120 tokens in, and 30 out
  expect(costs.totalUsdMicros).toBe(20 * 10 + 90 * 1 + 10 * 20 + 30 * 100);
  expect(costs.attempts[0]).toMatchObject({ cachedTokens: 90, cacheWriteTokens: 10 });
});
