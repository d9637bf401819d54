/** The laws of budgets, on a virtual clock: whatever order calls go out and come back in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROOT_SCOPE, type RunState } from './state.ts';
import { Stage } from './talk.cases.ts';

/** What a call sets aside at most: its words, and what its node says it may answer with. */
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

/** Never more than was set aside: a call that overspends all the same is kept. */
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
  it('what is spent and set aside together never goes over, and nobody waits for ever', () => {
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
        // it is refused only where one more call would really not fit
        const isRefused = stage.events.some(
          (event) => event.type === 'run:failed' && event.error.kind === 'limit.budget',
        );
        if (isRefused) expect(spent + RESERVED).toBeGreaterThan(limit);
      }),
      { numRuns: 200 },
    );
  });

  it('nothing is set aside once a run has ended', () => {
    fc.assert(
      fc.property(files, picks, ({ file, files: children }, numbers) => {
        const stage = new Stage(file, { files: children });
        let at = 0;
        stage.play((count) => (numbers[at++ % numbers.length] ?? 0) % Math.max(1, count));
        expect(setAside(stage.state)).toBe(0);
        expect(stage.state.reservations.size).toBe(0);
      }),
      { numRuns: 100 },
    );
  });

  it('a call that a timeout stopped counts as what it might have cost', () => {
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
