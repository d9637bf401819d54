/**
 * Judges failures with the classifier loaded from the start: for browsers, and for bundles, which
 * lie in another place.
 */
import { reportFrom } from './providers/report-from.ts';
import { resilienceWith, type WithResilience } from './resilience.ts';

export { reportFrom };

export const createResilience: ReturnType<typeof resilienceWith> =
  /* @__PURE__ */ resilienceWith(reportFrom);

export const withResilience: WithResilience = /* @__PURE__ */ createResilience();
