/** Runs at a Temporal server as the commands that look at runs read them. Nobody writes here. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../errors/json.ts';
import type {
  SeenClaim,
  ListQuery,
  ReadableStore,
  RunRecord,
  RunSummary,
  StandingStatus,
  StoredCommit,
} from '../../machine/store-port.ts';
import { WORKFLOW_TYPE, type RunMemo } from './messages.ts';
import { memoOf, type TemporalReading } from './reading.ts';
import type { WorkflowDescription } from './sdk.ts';

export class TemporalStore implements ReadableStore {
  readonly #reading: TemporalReading;
  readonly #close: () => Promise<void>;

  constructor(reading: TemporalReading, close: () => Promise<void>) {
    this.#reading = reading;
    this.#close = close;
  }

  async get(run: string): Promise<RunRecord> {
    const summary = await this.summary(run);
    const { plan, input, lastSeq, standing } = await this.#reading.facts(run);
    const text = JSON.stringify(plan);
    const digest = createHash('sha256').update(`${run}:${lastSeq}`).digest('hex');
    return {
      ...summary,
      // of a run that is over, Temporal's word counts
      ...(summary.status === 'running' ? standing : {}),
      plan: text,
      input,
      head: { nextSeq: lastSeq + 1, digest },
    };
  }

  async summary(run: string): Promise<RunSummary> {
    return summaryOf(await this.#reading.describe(run));
  }

  async list({ statuses, limit = Infinity, before }: ListQuery = {}): Promise<
    readonly RunSummary[]
  > {
    const found: RunSummary[] = [];
    const seen = new Set<string>();
    let isPast = before === undefined;
    for await (const described of this.#reading.list(`WorkflowType = '${WORKFLOW_TYPE}'`)) {
      const { workflowId } = described;
      // of a run that went on in a new execution, the latest, which comes first
      if (seen.has(workflowId)) continue;
      seen.add(workflowId);
      const summary = summaryOf(described);
      if (isPast && (statuses === undefined || statuses.includes(summary.status)))
        found.push(summary);
      isPast ||= workflowId === before;
      if (found.length >= limit) break;
    }
    return found;
  }

  async *read(run: string, fromSeq = 1): AsyncGenerator<StoredCommit, void, undefined> {
    for await (const { events } of this.#reading.all(run, fromSeq)) {
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

function summaryOf(described: WorkflowDescription): RunSummary {
  const { workflowId: run, closeTime, status } = described;
  const memo = memoOf(run, { memo: described.memo });
  const standing = standingIn(memo, status.name, closeTime !== undefined);
  return {
    run,
    workflow: memo.workflow,
    file: memo.file,
    startedAt: memo.startedAt,
    status: standing,
    costUsdMicros: memo.costUsdMicros,
    ...(closeTime === undefined ? {} : { endedAt: closeTime.toISOString() }),
    ...(memo.kind === undefined || standing !== 'failed'
      ? {}
      : { error: { kind: memo.kind, message: memo.message ?? memo.kind } }),
    ...(memo.waiting === undefined || standing !== 'paused' ? {} : { waiting: memo.waiting }),
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
function standingIn(memo: RunMemo, status: string, isClosed: boolean): StandingStatus {
  if (!isClosed) return memo.status;
  switch (status) {
    case 'COMPLETED':
      return 'completed';
    case 'CANCELLED':
    case 'CANCELED':
      return 'cancelled';
    case 'FAILED':
      // Temporal calls only those cancelled that it was asked to cancel; one that had failed was not
      return memo.status === 'cancelled' ? 'cancelled' : 'failed';
    default:
      return 'interrupted';
  }
}
