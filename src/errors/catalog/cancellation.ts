/** Ends that someone asked for: reported, but not failures, and matched by no route. */
import type { CatalogRow } from './row.ts';

export const CANCELLATION_ROWS = {
  'cancelled.run': {
    class: 'cancellation',
    category: 'cancelled',
    domain: 'runtime',
    outcome: 'partial',
    inherits: false,
    schedule: null,
    httpStatus: 409,
    exitCode: 130,
    action: {
      kind: 'none',
      detail: 'Start a new run if the work is still wanted.',
    },
    title: 'Run cancelled',
    help: 'Someone cancelled the run, with `errand cancel` or through the library. It is a requested end, not a failure, and it wins over a failure or a completion at the same moment. Start a new run if the work is still wanted: a cancelled run cannot be resumed, one that was stopped with Ctrl-C can. Errand cancels everything in it, also children, scripts, streams and backoffs, and writes one `run:cancelled`. The command ends with exit code 130.',
  },
  'cancelled.node': {
    class: 'cancellation',
    category: 'cancelled',
    domain: 'runtime',
    outcome: 'partial',
    inherits: false,
    schedule: null,
    httpStatus: 409,
    exitCode: 130,
    action: {
      kind: 'none',
      detail: 'Look at what caused the cancellation; the node itself did not fail.',
    },
    title: 'Node cancelled',
    help: 'The node was stopped before its end, because its run was cancelled or its group no longer needed it. Under `fail_fast` a failing sibling cancels the others, and a reached `quorum` cancels the rest. Look at what caused it; the node itself did not fail. Errand stops its effects at once, interrupts a backoff, and counts what was spent. No route matches it, and no group wraps it.',
  },
  'cancelled.tool': {
    class: 'cancellation',
    category: 'cancelled',
    domain: 'runtime',
    outcome: 'partial',
    inherits: false,
    schedule: null,
    httpStatus: 409,
    exitCode: 130,
    action: {
      kind: 'none',
      detail: 'Check what the tool had done before it was stopped, if that matters.',
    },
    title: 'Tool cancelled',
    help: 'A tool or a script was stopped because its node or run was cancelled. Part of its work may have been done. If that matters, check it where the tool acted: a cancellation undoes nothing. Errand aborts the signal that the tool received; a script gets TERM for its whole process group, and KILL after 2 seconds. It is never reported as a failure of the tool, and never retried.',
  },
  'cancelled.call': {
    class: 'cancellation',
    category: 'cancelled',
    domain: 'runtime',
    outcome: 'partial',
    inherits: false,
    schedule: null,
    httpStatus: 409,
    exitCode: 130,
    action: {
      kind: 'none',
      detail: 'Nothing needs to be done: the caller stopped it.',
    },
    title: 'Call cancelled',
    help: 'A call to a model or a function was stopped by its caller. The run or node around it was cancelled, or the program that made the call aborted its signal. Nothing needs to be done. Errand closes the stream, counts what was spent, and does not retry; an abort that an SDK reports as a network failure is still a cancellation.',
  },
} as const satisfies Record<string, CatalogRow>;
