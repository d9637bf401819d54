import type { CatalogRow } from './row.ts';

export const BREAKER_ROWS = {
  'breaker.open': {
    class: 'breaker',
    category: 'transient',
    domain: 'runtime',
    outcome: 'not_started',
    inherits: false,
    schedule: null,
    httpStatus: 503,
    exitCode: 3,
    action: {
      kind: 'wait_and_retry',
      detail: 'Wait for the probe, or add another target to the chain.',
    },
    title: 'Circuit breaker open',
    help: 'The target failed five times in a row in ways that say it is broken, so Errand refuses calls to it at once and sends nothing. After 60 seconds one probe is let through, and two successes close the breaker again. Errand calls the next target of the chain, and waits for the probe when there is none. Failures are counted in the store, so those of all processes that use it count together; a success, or two minutes without a call, begins a new row. Rate limits, quotas and rejected input never open a breaker.',
  },
} as const satisfies Record<string, CatalogRow>;
