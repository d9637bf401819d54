/** Reads runs at a Temporal server for the commands that show runs. Read-only. */
import { createHash } from 'node:crypto';
import { isKind } from '../../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../../errors/support/safe-json.ts';
import type {
  SeenClaim,
  ListQuery,
  ReadableStore,
  RunRecord,
  RunSummary,
  RunStatusName,
  StoredCommit,
} from '../../../machine/ports/store-port.ts';
import { WORKFLOW_TYPE, type RunMemo } from '../messages.ts';
import { memoOf, type RunQueries } from '../run-queries.ts';
import { byNewest, NewestRuns } from './newest-runs.ts';
import type { WorkflowDescription } from '../temporal-sdk.ts';

export class TemporalStore implements ReadableStore {
  readonly #queries: RunQueries;
  readonly #close: () => Promise<void>;

  constructor(queries: RunQueries, close: () => Promise<void>) {
    this.#queries = queries;
    this.#close = close;
  }

  async get(run: string): Promise<RunRecord> {
    const shown = shownOf(await this.#queries.describe(run));
    const { plan, input, lastSeq, statusRow } = await this.#queries.facts(run);
    const text = JSON.stringify(plan);
    const digest = createHash('sha256').update(`${run}:${lastSeq}`).digest('hex');
    // for a run that is over, Temporal's status counts
    const latest = shown.status === 'running' ? { ...shown, ...statusRow } : shown;
    return {
      ...(await this.#whole(latest)),
      plan: text,
      input,
      head: { nextSeq: lastSeq + 1, digest },
    };
  }

  async summary(run: string): Promise<RunSummary> {
    return this.#wholeOrShown(shownOf(await this.#queries.describe(run)));
  }

  async list({ statuses, limit = Infinity, before }: ListQuery = {}): Promise<
    readonly RunSummary[]
  > {
    const after = before === undefined ? undefined : await this.summary(before);
    const newest = new NewestRuns(limit);
    const seen = new Set<string>();
    // a run that continued in a new execution has several: the latest comes first
    for (const which of ["= 'Running'", "!= 'Running'"]) {
      const query = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus ${which}`;
      for await (const described of this.#queries.list(query)) {
        if (newest.isComplete(described)) break;
        const { workflowId } = described;
        if (seen.has(workflowId)) continue;
        seen.add(workflowId);
        const shown = shownOf(described);
        if (after !== undefined && byNewest(after, shown) >= 0) continue;
        if (statuses === undefined || statuses.includes(shown.status)) newest.add(shown);
      }
    }
    return Promise.all(newest.all().map((shown) => this.#wholeOrShown(shown)));
  }

  /** Works even while no worker is there. */
  async #wholeOrShown(shown: ShownRun): Promise<RunSummary> {
    try {
      return await this.#whole(shown);
    } catch (thrown) {
      if (!isKind(thrown, 'store.unavailable')) throw thrown;
      const { isCut: _isCut, ...summary } = shown;
      return summary;
    }
  }

  /** With all that it waits for, which its last event has. */
  async #whole({ isCut, ...summary }: ShownRun): Promise<RunSummary> {
    if (isCut !== true) return summary;
    const last = await this.#queries.last(summary.run);
    return last?.type === 'run:paused' ? { ...summary, waiting: last.waiting } : summary;
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<StoredCommit, void, undefined> {
    for await (const { events } of this.#queries.all(run, fromSeq)) {
      const [first] = events;
      if (first === undefined) continue;
      yield {
        seq: first.seq,
        // events are JSON
        events: events as unknown as readonly JsonObject[],
        head: { nextSeq: first.seq + events.length, digest: '' },
      };
    }
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** A run, with what it waits for as far as Temporal's record has it. */
type ShownRun = RunSummary & Pick<RunMemo, 'isCut'>;

function shownOf(described: WorkflowDescription): ShownRun {
  const { workflowId: run, closeTime, status } = described;
  const memo = memoOf(run, { memo: described.memo });
  const runStatus = statusIn(memo, status.name, closeTime !== undefined);
  return {
    run,
    workflow: memo.workflow,
    file: memo.file,
    startedAt: memo.startedAt,
    status: runStatus,
    costUsdMicros: memo.costUsdMicros,
    ...(closeTime === undefined ? {} : { endedAt: closeTime.toISOString() }),
    ...(memo.kind === undefined || runStatus !== 'failed'
      ? {}
      : { error: { kind: memo.kind, message: memo.message ?? memo.kind } }),
    ...(memo.waiting === undefined || runStatus !== 'paused' ? {} : { waiting: memo.waiting }),
    ...(memo.isCut === undefined || runStatus !== 'paused' ? {} : { isCut: memo.isCut }),
    claim: closeTime === undefined ? TEMPORAL : null,
  };
}

/** An open execution has its run, whether a worker is there at present or not. */
const TEMPORAL: SeenClaim = {
  owner: { id: 'temporal', host: 'temporal', pid: 0, processStartedAt: '' },
  epoch: 1,
  untilMs: Number.MAX_SAFE_INTEGER,
  leftMs: Number.MAX_SAFE_INTEGER,
};

/** An execution that was ended by force leaves a run that can be resumed. */
function statusIn(memo: RunMemo, status: string, isClosed: boolean): RunStatusName {
  if (!isClosed) return memo.status;
  switch (status) {
    case 'COMPLETED':
      return 'completed';
    case 'CANCELLED':
    case 'CANCELED':
      return 'cancelled';
    case 'FAILED':
      // Temporal lists as cancelled only what it was asked to cancel; a run that had failed was not
      return memo.status === 'cancelled' ? 'cancelled' : 'failed';
    default:
      return 'interrupted';
  }
}
