/** The laws of budgets, on a virtual clock: in whatever order calls start and end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../state/events.ts';
import { costsOf } from '../../history/cost-ledger.ts';
import { countable } from './pricing.ts';
import { ROOT_SCOPE, type RunState } from '../state/state.ts';
import { Stage } from '../conversation/conversation.cases.ts';
import { runs } from '../../../test/runs.ts';

/** The most that a call reserves: its prompt, and the output limit of its node. */
const RESERVED = 60;
const MAX_TOKENS = 50;

const entry = fc.oneof(
  fc.record({ answer: fc.constant('ok'), usage: usages() }),
  fc.record({
    fail: fc.constantFrom<object>(
      { kind: 'provider.rate_limited', retry_after: 0.1 },
      { kind: 'provider.overloaded' },
      { kind: 'provider.auth' },
    ),
    usage: usages(),
  }),
);

/** Never more than was reserved: the result of a call that overspends is kept. */
function usages(): fc.Arbitrary<object> {
  return fc.record({
    input_tokens: fc.integer({ min: 0, max: 1 }),
    output_tokens: fc.integer({ min: 0, max: MAX_TOKENS }),
  });
}

const files = fc
  .record({
    scripts: fc.array(fc.array(entry, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 5,
    }),
    limit: fc.integer({ min: 0, max: 400 }),
    unit: fc.constantFrom('budget_tokens', 'budget_usd'),
    mode: fc.constantFrom('fail_fast', 'continue_on_error', 'all_or_nothing'),
    isChild: fc.boolean(),
  })
  .map(({ scripts, limit, unit, mode, isChild }) => {
    const names = scripts.map((_, index) => `n${index}`);
    const models = Object.fromEntries(scripts.map((script, index) => [`m${index}`, script]));
    const runtime = {
      simulate: models,
      simulate_price_per_mtok: { input: 1, output: 1 },
    };
    // a token is a micro-dollar
    const limits = { [unit]: unit === 'budget_usd' ? limit / 1_000_000 : limit };
    const nodes = names.map((name, index) => ({
      name,
      model: `sim/m${index}`,
      prompt: 'hi',
      max_tokens: MAX_TOKENS,
    }));
    const group = {
      nodes,
      parallel: [{ name: 'g', agents: names, failure_mode: mode, routes: [{ to: '$end' }] }],
    };
    const inner = { workflow: { name: 'c', entry_point: 'g', runtime, limits }, ...group };
    const outer = {
      workflow: { name: 't', entry_point: 'c' },
      nodes: [{ name: 'c', type: 'workflow', workflow: './c.yaml' }],
    };
    return isChild
      ? { file: outer, files: { 'c.yaml': JSON.stringify(inner) }, limit, holder: 'c' }
      : { file: inner, files: {}, limit, holder: ROOT_SCOPE };
  });

function setAside({ reservations, effects }: RunState): number {
  return [...reservations]
    .filter(([key]) => effects.has(key))
    .reduce((sum, [, { tokens }]) => sum + tokens, 0);
}

const picks = fc.array(fc.nat(), { minLength: 1, maxLength: 20 });

describe('budgets', () => {
  it('spent and reserved amounts together never exceed a budget, and no call waits for ever', () => {
    fc.assert(
      fc.property(files, picks, ({ file, files: children, limit, holder }, numbers) => {
        const stage = new Stage(file, { files: children });
        let at = 0;
        const pick = (count: number): number =>
          (numbers[at++ % numbers.length] ?? 0) % Math.max(1, count);
        stage.play(pick, () => {
          const spent = stage.state.scopes.get(holder)?.spent.tokens ?? 0;
          expect(spent + setAside(stage.state)).toBeLessThanOrEqual(limit);
        });
        expect(['completed', 'failed']).toContain(stage.state.status);
        const spent = stage.state.scopes.get(holder)?.spent.tokens ?? 0;
        // it is refused only where one more call would really exceed it
        const isRefused = stage.events.some(
          (event) => event.type === 'run:failed' && event.error.kind === 'limit.budget',
        );
        if (isRefused) expect(spent + RESERVED).toBeGreaterThan(limit);
      }),
      { numRuns: runs(200) },
    );
  });

  it('nothing is reserved once a run has ended', () => {
    fc.assert(
      fc.property(files, picks, ({ file, files: children }, numbers) => {
        const stage = new Stage(file, { files: children });
        let at = 0;
        stage.play((count) => (numbers[at++ % numbers.length] ?? 0) % Math.max(1, count));
        expect(setAside(stage.state)).toBe(0);
        expect(stage.state.reservations.size).toBe(0);
      }),
      { numRuns: runs(100) },
    );
  });

  it('a call that a timeout stopped counts with its estimate', () => {
    const file = {
      workflow: {
        name: 't',
        entry_point: 'a',
        runtime: { simulate_price_per_mtok: { input: 1, output: 1 } },
        limits: { budget_tokens: 100 },
      },
      nodes: [
        {
          name: 'a',
          model: 'sim/m',
          prompt: 'hi',
          max_tokens: MAX_TOKENS,
          timeout_seconds: 1,
          routes: [
            { to: '$end' },
            { on_error: 'limit.node_timeout', retry: { max: 3, backoff: 'none' } },
          ],
        },
      ],
    };
    const stage = new Stage(file);
    stage.wait();
    expect(stage.state.scopes.get(ROOT_SCOPE)?.spent.tokens).toBe(MAX_TOKENS + 1);
    expect(stage.state.error?.kind).toBe('limit.budget');
  });
});

describe('a count that is too large for a number', () => {
  const MOST = Number.MAX_SAFE_INTEGER;
  const HUGE = { input_tokens: MOST, output_tokens: MOST };
  const stage = (limits: object): Stage =>
    new Stage({
      workflow: {
        name: 't',
        entry_point: 'a',
        limits,
        runtime: {
          simulate: { m: [{ answer: 'ok', usage: HUGE }] },
          simulate_price_per_mtok: { input: 5000, output: 5000 },
        },
      },
      nodes: [
        { name: 'a', model: 'sim/m', prompt: 'hi', routes: [{ to: 'b' }] },
        { name: 'b', model: 'sim/m', prompt: 'hi' },
      ],
    }).play();

  it.each([{ budget_usd: 100 }, { budget_tokens: 100_000 }])(
    'spends %o the same live and folded from the log',
    (limits) => {
      const { state, events } = stage(limits);
      const written = JSON.parse(JSON.stringify(events)) as typeof events;
      expect(written).toEqual(events);
      const { usdMicros, tokens } = state.scopes.get(ROOT_SCOPE)?.spent ?? {};
      expect([usdMicros, tokens]).toEqual([MOST, MOST]);
      expect(state.error?.kind).toBe('limit.budget');
    },
  );

  it('is a number in the cost ledger', () => {
    const costs = costsOf(stage({}).events as readonly RunEvent[]);
    expect(Number.isFinite(costs.totalUsdMicros)).toBe(true);
    expect(costs.totalUsdMicros).toBeGreaterThan(0);
  });

  it('is left out where it is invalid', () => {
    const usage = { inputTokens: Infinity, outputTokens: Number.NaN, cachedTokens: -1 };
    expect(countable(usage)).toEqual({ inputTokens: MOST });
  });
});
