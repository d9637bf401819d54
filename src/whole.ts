/**
 * The values of `index.ts` for bundlers, which would not find the modules that `index.ts` loads at
 * the first failure.
 */
export * from './public-api.ts';
export { createResilience, reportFrom, withResilience } from './judging.ts';
export { workflow } from './lazy-workflow.ts';
export { openErrand } from './open-errand.ts';
