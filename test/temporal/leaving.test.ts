/** Executions that continue as new early, at a worker whose first try of a task comes too late. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalBackend } from '../../src/engine/temporal/client.ts';
import { stored } from '../engine/subjects.ts';
import { planOfTexts } from '../engine/plan.ts';
import { expectWholeLog } from '../survival/books.ts';
import { openStage, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('executions that continue as new early');
const ROUNDS = 6;
const RUNS = 4;

const ASKS_AGAIN = planOfTexts({
  'main.yaml': `workflow: {name: leaving, entry_point: ask, limits: {max_iterations: 50}}
agents:
  - name: ask
    type: human_gate
    prompt: Once more?
    options: [{value: more}, {value: enough, route: $end}]
    routes: [{to: act}]
  - {name: act, type: call, function: act, routes: [{to: ask}]}`,
});

describe.skipIf(skipped !== undefined)('a run that leaves early', { timeout: 120_000 }, () => {
  let stage: Stage;
  let driver: TemporalBackend;
  let acts = 0;

  beforeAll(async () => {
    stage = await openStage('leaving');
    // a task that is offered to the worker that has the run in memory is taken back at once
    await stage.worker({ stickyMs: 1, functions: { act: () => ({ n: ++acts }) } });
    driver = await stage.client({ maxHistoryEvents: 4 });
  });

  afterAll(async () => {
    await stage?.close();
  });

  it('decides in a replay as it did', async () => {
    const played = Array.from({ length: RUNS }, async () => {
      const run = await driver.start(ASKS_AGAIN, {});
      let result = await run.result();
      for (let round = 0; round < ROUNDS; round++) {
        const { opening } = result.status === 'paused' ? result.waiting : {};
        // two answers at once are two reasons for a task
        const answers = ['me', 'you'].map((by) =>
          driver.answer(run.id, { gate: 'ask', opening, value: 'more', by }),
        );
        const taken = (await Promise.allSettled(answers)).flatMap((each) =>
          each.status === 'fulfilled' ? [each.value] : [],
        );
        expect(taken).toHaveLength(1);
        const leg = taken[0] ?? (await driver.attach(run.id));
        result = (await leg?.result()) ?? result;
        expect(result).toMatchObject({ status: 'paused' });
      }
      const last = await driver.answer(run.id, { gate: 'ask', value: 'enough', by: 'me' });
      expect(await last?.result()).toMatchObject({ status: 'completed' });
      expectWholeLog(await stored(driver.store, run.id));
    });
    await Promise.all(played);
    expect(acts).toBe(RUNS * ROUNDS);
  });
});
