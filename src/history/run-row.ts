/** A run as lists show it: without its input and output, which may be large. */
import { hideInternals } from '../errors/redaction/hide-internals.ts';
import type { RunNeeds } from './attention.ts';
import type { RunSummary } from '../machine/ports/store-port.ts';

export type RunRow = Pick<
  RunSummary,
  'run' | 'workflow' | 'status' | 'startedAt' | 'endedAt' | 'error' | 'waiting' | 'costUsdMicros'
> & {
  /** Its time has come, and nothing has resumed it. */
  readonly due?: true;
};

export function runRow(summary: RunSummary, nowMs: number): RunRow {
  const { run, workflow, status, startedAt, endedAt, error, waiting, costUsdMicros } = summary;
  const isDue =
    status === 'paused' && waiting?.until !== undefined && Date.parse(waiting.until) <= nowMs;
  return {
    run,
    workflow,
    status,
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error === undefined ? {} : { error: { ...error, message: hideInternals(error.message) } }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(isDue ? { due: true as const } : {}),
    costUsdMicros,
  };
}

/** The next try of a step, for a run whose other steps still run. */
export interface RowRetry {
  readonly path: string;
  readonly at: string;
  readonly error?: { readonly kind: string; readonly message: string };
}

export function rowRetry({ path, atMs, error }: NonNullable<RunNeeds['nextTry']>): RowRetry {
  const at = new Date(atMs).toISOString();
  if (error === undefined) return { path, at };
  return { path, at, error: { kind: error.kind, message: hideInternals(error.message) } };
}

/** The failure that a run ended with, or waits with; lists show it and find the run by it. */
export function failureOfRun({
  error,
  waiting,
}: Pick<RunSummary, 'error' | 'waiting'>): RunSummary['error'] {
  return error ?? waiting?.all.find((wait) => wait.error !== undefined)?.error;
}
