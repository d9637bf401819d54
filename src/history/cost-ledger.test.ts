import { expect, it } from 'vitest';
import type { RunEvent } from '../machine/state/events.ts';
import { costsOf } from './cost-ledger.ts';

const effect = { key: 'k', type: 'model', target: 'sim/m' } as const;

function requested(seq: number, attempt: number): RunEvent {
  const reserves = { usdMicros: 30, tokens: 1001, inputTokens: 1 };
  const at = '2026-01-01T00:00:00.000Z';
  return {
    type: 'effect:requested',
    seq,
    run: 'r',
    at,
    node: 'a',
    path: 'a',
    effect,
    attempt,
    reserves,
  };
}

it('a call that was lost has the estimate that the budget counts, in tokens too', () => {
  // the first was lost in a crash and repeated, the second has not ended
  const { attempts, totalUsdMicros } = costsOf([requested(1, 0), requested(2, 1)]);
  const lost = {
    outcome: 'unknown',
    inputTokens: 1,
    outputTokens: 1000,
    costUsdMicros: 30,
    estimated: true,
  };
  expect(attempts).toMatchObject([lost, lost]);
  expect(totalUsdMicros).toBe(60);
});
