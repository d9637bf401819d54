/** Requests to Temporal that carry data of a run, the start of an execution and updates; one that is too large is refused. */
import { readProperty } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { sentBytes } from './codec.ts';
import type { TemporalConfig } from './config.ts';
import { isInvalid, type TemporalConnection } from './connect.ts';
import { ATTRIBUTES, MEMO, WORKFLOW_TYPE, type RunInput, type RunMemo } from './messages.ts';
import type { RunQueries } from './run-queries.ts';
import {
  jsonBytes,
  MAX_PAYLOAD_BYTES,
  tooLargeInput,
  tooLargeMessage,
} from './sizes/payload-size.ts';
import { arrivedReport } from './temporal-failure.ts';

/** Whether an execution may have the id of one that is over. */
export type IdReuse = 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE';

interface Place {
  readonly temporal: TemporalConnection;
  readonly queries: RunQueries;
  readonly config: TemporalConfig;
  readonly taskMs: number | undefined;
}

/** Rejects with `run.already_active` where the id is taken. */
export async function startExecution(
  { temporal, queries, config, taskMs }: Place,
  input: RunInput,
  { reuse = 'ALLOW_DUPLICATE' }: { readonly reuse?: IdReuse },
): Promise<void> {
  const { identity, settings } = input;
  const { run, workflow, file, startedAt } = identity;
  const memo: RunMemo = { workflow, file, status: 'running', costUsdMicros: 0, startedAt };
  const attributes = {
    [ATTRIBUTES.workflow]: [workflow],
    [ATTRIBUTES.status]: ['running'],
  };
  try {
    await queries.guarded(run, () =>
      temporal.workflows.start(WORKFLOW_TYPE, {
        workflowId: run,
        taskQueue: config.taskQueue,
        args: [input],
        memo: { [MEMO]: memo },
        ...(settings.hasAttributes ? { searchAttributes: attributes } : {}),
        workflowIdReusePolicy: reuse,
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: workflow,
        ...(taskMs === undefined ? {} : { workflowTaskTimeout: taskMs }),
      }),
    );
  } catch (thrown) {
    const sizeBytes = jsonBytes(input);
    if (sizeBytes > MAX_PAYLOAD_BYTES && isInvalid(thrown))
      throw new ErrandError(tooLargeInput(identity.workflow, sizeBytes), { cause: thrown });
    if (readProperty(thrown, 'name') !== 'WorkflowExecutionAlreadyStartedError') throw thrown;
    const message = `The run ${run} is already running`;
    throw new ErrandError({ kind: 'run.already_active', message }, { cause: thrown });
  }
}

/** Returns the number of the first event that the update leads to. */
export async function sendUpdate(
  queries: RunQueries,
  run: string,
  name: string,
  args: unknown[],
): Promise<number> {
  const sizeBytes = await sentBytes(args);
  // Temporal would end the run
  if (sizeBytes > MAX_PAYLOAD_BYTES) throw new ErrandError(tooLargeMessage(run, sizeBytes));
  return queries.guarded(run, async () => {
    try {
      return await queries.handle(run).executeUpdate<number>(name, { args });
    } catch (thrown) {
      const arrived = arrivedReport(thrown);
      throw arrived === undefined ? thrown : new ErrandError(arrived.report, { cause: thrown });
    }
  });
}
