/**
 * Properties draw new cases with each commit, and the same for one commit, so that the same command
 * finds again what CI found. `npm run soak` and `SAMPLE=all` draw new cases each time.
 */
import fc from 'fast-check';
import { FAST_PROPERTY_RUNS, IS_FAST } from './runs.ts';
import { drawn, IS_WHOLE } from './sampled.ts';

const SEEDS = 2 ** 31;

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  ...(IS_WHOLE ? {} : { seed: drawn('properties', SEEDS) }),
  ...(IS_FAST ? { numRuns: FAST_PROPERTY_RUNS } : {}),
});
