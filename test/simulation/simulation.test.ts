/**
 * Thousands of runs in which everything goes wrong, and after each of them every promise that can be
 * checked. `SEED=7 npx vitest run test/simulation` runs one alone and tells its story; `RUNS=` and
 * `FROM=` choose others; `npm run soak` runs 100,000.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Tally } from './tally.ts';
import { story, tryOut } from './trial.ts';

const SEED = process.env['SEED'];
const FROM = Number(process.env['FROM'] ?? 0);
const RUNS = Number(process.env['RUNS'] ?? (process.env['MODE'] === 'soak' ? 100_000 : 20_000));

/** In as many runs as this everything comes up that agents, tools and people can meet. */
const ENOUGH = 10_000;

/** A rejection that nobody waits for ends a real process: it is a breach like any other. */
const unhandled: string[] = [];
let seedNow = 0;
const note = (reason: unknown): void => {
  unhandled.push(`seed ${seedNow}: ${reason instanceof Error ? reason.message : String(reason)}`);
};

describe('whatever goes wrong', () => {
  const quiet = vi.spyOn(process, 'emitWarning');

  beforeAll(() => {
    process.on('unhandledRejection', note);
    // stores fail all the time here, and each time the driver says so
    quiet.mockImplementation(() => quiet.mockClear());
  });

  afterAll(() => {
    process.off('unhandledRejection', note);
    quiet.mockRestore();
  });

  it.runIf(SEED === undefined)(
    `every promise is kept in ${RUNS} runs`,
    async () => {
      const tally = new Tally();
      for (seedNow = FROM; seedNow < FROM + RUNS; seedNow++) tally.add(await tryOut(seedNow));
      // how much was tried is part of the result
      process.stdout.write(`${tally.summary()}\n`);
      expect(unhandled.slice(0, 5)).toEqual([]);
      expect(tally.failures()).toBe('');
      if (RUNS >= ENOUGH) expect(tally.missing()).toEqual([]);
    },
    60 * 60_000,
  );

  it.runIf(SEED !== undefined)(
    'every promise is kept with the seed that was asked for',
    async () => {
      seedNow = Number(SEED);
      const trial = await tryOut(seedNow);
      process.stdout.write(`${JSON.stringify(trial.subject.plan)}\n${story(trial.subject)}\n`);
      expect(trial.breaches.map(({ law, said }) => ({ law: law.name, said }))).toEqual([]);
      expect(unhandled).toEqual([]);
    },
  );
});
