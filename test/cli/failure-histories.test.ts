/** Laws of failure histories, over runs that are killed, cut off and stopped at any moment. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { STORMY } from '../../src/rehearsal/world/faults.ts';
import { failureHistories } from '../../src/history/failure-history.ts';
import { SAMPLE_NAMES, samplePlan } from './sample-runs.ts';

const SEEDS = Array.from({ length: 15 }, (_, index) => index + 1);

describe.each(SAMPLE_NAMES)('the failures of %s in a storm', (name) => {
  it.each(SEEDS)('have ended when the run has, with seed %i', async (seed) => {
    const plan = samplePlan(name);
    const { events } = await simulate(plan, { seed, faults: STORMY, resumes: 1, maxLegs: 12 });
    const lives = failureHistories(plan, events);
    const ended = events.flatMap((event) => (event.type === 'run:failed' ? [event.error.id] : []));
    const failed = lives.filter(({ status }) => status === 'failed').map(({ id }) => id);
    // each leg that a failure ended has the history of exactly that failure
    expect(failed.toSorted()).toEqual(ended.toSorted());
    const last = events.at(-1)?.type;
    const isOver = last === 'run:completed' || last === 'run:failed' || last === 'run:cancelled';
    if (isOver) expect(lives.filter(({ status }) => status === 'open')).toEqual([]);
    for (const life of lives) {
      const reasons = life.steps.flatMap((step) =>
        step.type === 'route' ? step.passed.map(({ why }) => why) : [],
      );
      // the last reason that is left says that something may have happened, which must be so
      if (reasons.includes('it would repeat an effect that may have happened already'))
        expect(JSON.stringify(life.error)).toContain('effect.outcome_unknown');
      expect(life.endedAt === undefined).toBe(life.status === 'open');
      expect(life.steps.length).toBeGreaterThan(0);
      const times = life.steps.map(({ at }) => at);
      expect(times).toEqual(times.toSorted());
    }
  });
});
