/**
 * The row for every kind outside the catalog. It has its own file because a page needs it without
 * the others.
 */
import type { CatalogRow } from './row.ts';

/** One row for every kind that an author raises: the class `domain` has no rows of its own. */
export const DOMAIN_ROW: CatalogRow = {
  class: 'domain',
  category: 'domain',
  domain: 'runtime',
  outcome: 'failed',
  inherits: true,
  schedule: null,
  httpStatus: 422,
  exitCode: 3,
  action: {
    kind: 'handle_error',
    detail: 'Add a route for this kind, or fix what raised it.',
  },
  title: 'Raised by the workflow',
  help: 'A script, an agent, a function, a tool or an assertion of the workflow raised this kind itself. Its author chose the name and knows best what it means; the message and the details come from there. Add a route for this kind, or fix what raised it. Errand never renames it and never retries it by itself: it checks the routes of the node, then the `on_error` table of the workflow, then raises it to the caller, and at the top the run fails with exit code 3.',
};
