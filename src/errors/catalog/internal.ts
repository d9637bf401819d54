/** Defects of Errand itself. They are never retried and never hidden. */
import type { CatalogRow } from './row.ts';

export const INTERNAL_ROWS = {
  'internal.unexpected': {
    class: 'internal',
    category: 'defect',
    domain: 'runtime',
    outcome: 'failed',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 1,
    action: {
      kind: 'report_bug',
      detail:
        'Report it with the id of the report; the internal log holds the cause under that id.',
    },
    title: 'Unexpected internal failure',
    help: 'Something inside Errand threw where nothing was expected to throw. That is a bug of Errand, not of the workflow. Report it with the id of the report: the internal log (`internal.jsonl` beside the store) holds the full cause and stack under the same id. Errand ends the run with one `run:failed` and exit code 1, does not retry it, and lets no route handle it, so that a bug is never mistaken for a handled failure. The run can be resumed with a version that has the fix.',
  },
  'internal.invariant': {
    class: 'internal',
    category: 'defect',
    domain: 'runtime',
    outcome: 'failed',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 1,
    action: {
      kind: 'report_bug',
      detail: 'Report it with the id of the report, and keep the store as it is.',
    },
    title: 'Internal invariant broken',
    help: 'Errand found its own state in a shape that its rules exclude, and stopped before it could do harm. That is a bug of Errand, not of the workflow. Report it with the id of the report, and keep the store as it is, because its log shows how this came about. Errand ends the run with one `run:failed` and exit code 1, without a retry, and no route handles it.',
  },
} as const satisfies Record<string, CatalogRow>;
