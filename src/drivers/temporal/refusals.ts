/** What a workflow says to Temporal, and through it to the client, when something fails. */
import { ApplicationFailure } from '@temporalio/workflow';
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonValue } from '../../errors/json.ts';
import type { ErrorReport } from '../../errors/report.ts';
import { toReport } from '../../errors/to-report.ts';
import { toFailure } from './failure.ts';

/** The end of a run that failed. Temporal must not try it again, whatever its kind says. */
export function runFailed(error: ErrorReport, output?: JsonValue): ApplicationFailure {
  const rest = output === undefined ? {} : { rest: { output } };
  return failureOf({ ...toFailure(error, rest), nonRetryable: true });
}

/** Whatever was thrown where Temporal hears it: typed, so that it ends what it belongs to. */
export function refused(thrown: unknown): ApplicationFailure {
  return failureOf(toFailure(toReport(thrown)));
}

export function alreadyActive(run: string): ErrandError {
  return new ErrandError({
    kind: 'run.already_active',
    message: `The run ${run} is carried on already`,
  });
}

function failureOf(parts: Parameters<typeof ApplicationFailure.create>[0]): ApplicationFailure {
  const failure = ApplicationFailure.create(parts);
  // a stack holds host paths, and Temporal shows it to everyone
  failure.stack = '';
  return failure;
}
