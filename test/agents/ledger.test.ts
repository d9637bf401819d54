/**
 * The bill of a run is what its models charged: over random plans of faults with simulated models,
 * cut streams included, to the micro-dollar, and over the wire wherever a provider tells.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playModel } from '../../src/effects/simulator/play-model.ts';
import { startSimulator, type SimulatorServer } from '../../src/simulator-server/start.ts';
import type { Usage } from '../../src/machine/state/events.ts';
import type { LedgerRow } from '../../src/history/run-view/ledger-row.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import { costUsdMicros, type Price } from '../../src/providers/pricing/prices.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { IS_SOAK } from '../runs.ts';
import { KEY } from '../model/harness.ts';
import { JumpClock, oneAgent, planOf, ranOf, runFile, type Ran } from '../model/runs.ts';
import { scriptOf } from '../simulator/script.cases.ts';

/** Other plans at each run. */
const PLANS = IS_SOAK ? 10_000 : 250;
const PRICE: Price = { inputUsdMicrosPerMtok: 3_000_000, outputUsdMicrosPerMtok: 15_000_000 };

/** A file takes `${A}` for a variable of the environment, wherever it stands. */
const text = (bounds: fc.StringConstraints): fc.Arbitrary<string> =>
  fc.string(bounds).map((said) => said.replaceAll('${', '$'));

const usage = fc.record(
  {
    input_tokens: fc.integer({ min: 0, max: 5000 }),
    output_tokens: fc.integer({ min: 0, max: 2000 }),
  },
  { requiredKeys: [] },
);
const billed = (entry: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc
    .tuple(entry, fc.option(usage, { nil: undefined }))
    .map(([said, counted]) => ({ ...said, ...(counted === undefined ? {} : { usage: counted }) }));

const TRANSIENT = ['rate_limited', 'overloaded', 'server_error', 'timeout', 'network', 'conflict'];
const FATAL = ['auth', 'content_filter', 'truncated', 'context_length', 'quota_exhausted'];

const entry = billed(
  fc.oneof(
    fc.record({ answer: text({ maxLength: 200 }).map((said) => `x${said}`) }),
    fc.record({ answer: fc.record({ n: fc.integer() }) }),
    fc.record({
      stream: fc.array(text({ minLength: 1, maxLength: 20 }), { maxLength: 4 }),
      cut: fc.constant(true),
    }),
    fc
      .constantFrom(...TRANSIENT, ...TRANSIENT, ...FATAL)
      .map((kind) => ({ fail: { kind: `provider.${kind}` } })),
    fc.constant({ tool_calls: [{ name: 'nobody', arguments: { n: 1 } }] }),
  ),
);

const plans = fc.record({
  m: fc.array(entry, { minLength: 1, maxLength: 6 }),
  n: fc.array(entry, { minLength: 1, maxLength: 4 }),
  partial: fc.constantFrom('fail', 'restart', 'keep_partial'),
  isChain: fc.boolean(),
  hasForm: fc.boolean(),
});

/** What the simulator itself says that it charged, beside what the run says that it paid. */
async function play(file: object): Promise<Ran & { readonly charged: readonly Usage[] }> {
  const clock = new JumpClock();
  const store = openMemoryStore({ now: () => clock.now() });
  const charged: Usage[] = [];
  const driver = new LocalBackend({
    store,
    clock,
    isShared: false,
    effects: {
      close: () => Promise.resolve(),
      run: async (request, context) => {
        if (request.work.type !== 'model') throw new Error('only models are asked');
        const result = await playModel(request.work.call, { ...context, clock });
        charged.push(result.usage ?? {});
        return result;
      },
    },
  });
  const { plan, bound } = planOf(file);
  const handle = await driver.start(plan, {}, { wait: true });
  const result = await handle.result();
  const ran = await ranOf(store, handle.id, { result, bound });
  await driver.close();
  return { ...ran, charged };
}

describe('the bill of simulated models', () => {
  it(`is what they charged, over ${PLANS} random plans of faults, cut streams included`, async () => {
    let cuts = 0;
    let failed = 0;
    await fc.assert(
      fc.asyncProperty(plans, async ({ m, n, partial, isChain, hasForm }) => {
        const { costs, charged, bound } = await play(
          oneAgent(
            isChain ? ['sim/m', { model: 'sim/n', on: 'any' }] : 'sim/m',
            { on_partial: partial, ...(hasForm ? { output: { n: { type: 'number' } } } : {}) },
            {
              runtime: {
                simulate: { m, n },
                simulate_price_per_mtok: { input: 3, output: 15 },
              },
            },
          ),
        );
        const rows = costs.attempts.filter(({ type }) => type === 'model');
        expect(rows).toHaveLength(charged.length);
        expect(rows.length).toBeLessThanOrEqual(bound);
        const total = charged.reduce((sum, used) => sum + costUsdMicros(PRICE, used), 0);
        expect(costs.totalUsdMicros).toBe(total);
        expect(rows.map(tokensOf)).toEqual(charged.map(tokensOf));
        expect(costs.failedUsdMicros).toBeLessThanOrEqual(total);
        cuts += rows.filter(({ outcome }) => outcome === 'partial').length;
        failed += costs.failedUsdMicros > 0 ? 1 : 0;
      }),
      { numRuns: PLANS },
    );
    // a law that never applies would hold of anything
    expect(cuts).toBeGreaterThan(PLANS / 10);
    expect(failed).toBeGreaterThan(PLANS / 10);
  });
});

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage | LedgerRow): readonly number[] {
  return [inputTokens, outputTokens];
}

const BASES = { openai: '/v1', groq: '/v1', anthropic: '/v1', google: '/v1beta' } as const;

const counted = fc.record({
  input_tokens: fc.integer({ min: 100, max: 5000 }),
  output_tokens: fc.integer({ min: 50, max: 2000 }),
  cached_tokens: fc.integer({ min: 0, max: 60 }),
  cache_write_tokens: fc.integer({ min: 0, max: 40 }),
});
const step = fc.oneof(
  fc.record({ answer: fc.constant('An answer.'), usage: counted }),
  fc
    .constantFrom('rate_limited', 'server_error', 'overloaded', 'auth', 'context_length')
    .map((kind) => ({ fail: { kind: `provider.${kind}`, retry_after: 1 } })),
  fc.constantFrom(
    { stream: ['Once upon', ' a time'], cut: true },
    { answer: 'gone', lose_reply: true },
  ),
);

describe.each(Object.entries(BASES))('the bill over the wire of %s', (provider, base) => {
  let server: SimulatorServer;
  const scripts = fc.sample(fc.array(step, { minLength: 1, maxLength: 4 }), {
    numRuns: 40,
    seed: 7,
  });
  beforeAll(async () => {
    const named = scripts.map((script, index) => [`m${index}`, script] as const);
    server = await startSimulator({ script: scriptOf(JSON.stringify(Object.fromEntries(named))) });
  });
  afterAll(async () => {
    await server?.close();
  });

  it('is what the server charged wherever it tells, and an estimate everywhere else', async () => {
    const price = {
      input_per_mtok: 3,
      output_per_mtok: 15,
      cache_read_per_mtok: 0.3,
      cache_write_per_mtok: 3.75,
    };
    let known = 0;
    for (const index of scripts.keys()) {
      const before = server.records.length;
      const model = `${provider}/m${index}`;
      const { costs, bound } = await runFile(
        oneAgent(
          model,
          {},
          {
            runtime: { provider: { name: provider, base_url: server.url + base, api_key: KEY } },
            cost: { pricing: { [model]: price } },
          },
        ),
      );
      const records = server.records.slice(before);
      expect(records).toHaveLength(costs.attempts.length);
      expect(records.length).toBeLessThanOrEqual(bound);
      for (const [at, row] of costs.attempts.entries()) {
        const { ending, usage: charged = {} } = records[at] ?? {};
        expect(row.estimated).toBe(ending === 'cut' || ending === 'lost');
        if (row.estimated) continue;
        expect(tokensOf(row)).toEqual(tokensOf(charged));
        // Gemini has no count for what is put in a cache
        const { cacheWriteTokens: _written, ...untold } = charged;
        const billedFor = provider === 'google' ? untold : charged;
        expect(row.costUsdMicros).toBe(
          costUsdMicros(
            { ...PRICE, cacheReadUsdMicrosPerMtok: 300_000, cacheWriteUsdMicrosPerMtok: 3_750_000 },
            billedFor,
          ),
        );
        known++;
      }
    }
    expect(known).toBeGreaterThan(20);
  });
});
