/** Errors that a workflow throws for Temporal, and through it for the client. */
import { ApplicationFailure } from '@temporalio/workflow';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { toTemporalFailure } from './temporal-failure.ts';

/** The end of a run that failed. Temporal must not retry it, whatever its kind. */
export function runFailed(error: ErrorReport, output?: JsonValue): ApplicationFailure {
  const rest = output === undefined ? {} : { rest: { output } };
  return failureOf({ ...toTemporalFailure(error, rest), nonRetryable: true });
}

/** Turns anything thrown into a typed failure, so that it ends what it belongs to. */
export function refused(thrown: unknown): ApplicationFailure {
  return failureOf(toTemporalFailure(toReport(thrown)));
}

export function alreadyActive(run: string): ErrandError {
  return new ErrandError({
    kind: 'run.already_active',
    message: `The run ${run} is already running`,
  });
}

function failureOf(parts: Parameters<typeof ApplicationFailure.create>[0]): ApplicationFailure {
  const failure = ApplicationFailure.create(parts);
  // a stack holds host paths, and Temporal shows it to everyone
  failure.stack = '';
  return failure;
}
