/** Reads runs as their store has them, whichever process executes them. The facade builds on it. */
import { sleep, type EffectClock } from '../effects/clock.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { costsOf, type Costs } from '../history/cost-ledger.ts';
import type {
  ListQuery,
  RunRecord,
  RunStatusName,
  RunSummary,
} from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { Backend, FollowRequest, RunArchive } from './backend.ts';
import { checkedRunName } from './loading/checked-input.ts';
import { followRun } from './local/follow-log.ts';
import { loadResting, type RestingRun } from './run/checkpoints/resting-run.ts';
import type { PlanOfFile } from './run-drift.ts';
import { asEvent } from './run/subscription.ts';

/** A run as its store has it. */
export interface StoredRun {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  readonly status: RunStatusName;
}

export abstract class ReadRuns {
  protected readonly clock: EffectClock;

  constructor(clock: EffectClock) {
    this.clock = clock;
  }

  /** Opens the store, or connects to the server, when runs are first needed. */
  protected abstract runs(): Promise<Backend>;

  async list(query?: ListQuery): Promise<readonly RunSummary[]> {
    return (await this.runs()).list(query);
  }

  /** Another text after every write to the store; undefined where the store does not say. */
  async writeMark(): Promise<string | undefined> {
    return (await this.runs()).store.writeMark?.();
  }

  async *history(run: string, fromSeq?: number): AsyncIterable<RunEvent> {
    for await (const events of this.commits(run, fromSeq)) yield* events;
  }

  /** The same, commit by commit: an event by itself takes longer to pass on than to fold. */
  async *commits(run: string, fromSeq?: number): AsyncIterable<readonly RunEvent[]> {
    const backend = await this.runs();
    const name = checkedRunName(run);
    const commits = backend.read?.(name, fromSeq) ?? backend.store.read(name, fromSeq);
    for await (const { events } of commits) yield events.map(asEvent);
  }

  async costs(run: string): Promise<Costs> {
    return costsOf(await this.events(run));
  }

  async events(run: string, fromSeq?: number): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const commit of this.commits(run, fromSeq))
      for (const event of commit) events.push(event);
    return events;
  }

  /** Rejects with `run.not_found`. */
  async record(run: string): Promise<RunRecord> {
    return (await this.runs()).store.get(run);
  }

  /** A run as it was last saved; undefined where it was not. */
  async checkpoint(run: string): Promise<RestingRun | undefined> {
    return loadResting((await this.runs()).store, run);
  }

  /** The row of a run, with its status as it is now. Rejects with `run.not_found`. */
  async summary(run: string): Promise<RunSummary> {
    const backend = await this.runs();
    const found = await backend.store.summary(run);
    return { ...found, status: backend.statusOf(found) };
  }

  async stored(run: string): Promise<StoredRun> {
    const backend = await this.runs();
    const record = await backend.store.get(checkedRunName(run));
    return { record, events: await this.events(run), status: backend.statusOf(record) };
  }

  /** The plan of a file in the form in which runs keep it, to compare it with theirs. */
  async comparedPlan({ plan, secrets }: PlanOfFile): Promise<WorkflowPlan> {
    return (await this.runs()).plans?.compared(plan, secrets) ?? plan;
  }

  /** Every event from `fromSeq` on, in batches, until the latest leg is over, in whichever process it runs. */
  async *follow(
    run: string,
    options: FollowRequest = {},
  ): AsyncGenerator<readonly RunEvent[], void, undefined> {
    const backend = await this.runs();
    if (backend.followed !== undefined) return yield* backend.followed(run, options);
    const { store } = backend;
    yield* followRun({
      ...options,
      store,
      run,
      isExecuting: async () => backend.statusOf(await store.summary(run)) === 'running',
      wait: (ms) => sleep(this.clock, ms),
    });
  }

  /** Rejects with `validation.input` where a server keeps the runs. */
  async archive(): Promise<RunArchive> {
    const { archive } = await this.runs();
    if (archive !== undefined) return archive;
    throw new ErrandError({
      kind: 'validation.input',
      message: 'A server keeps and removes its runs itself',
      action: { kind: 'change_input', detail: 'Use the tools of the server.' },
    });
  }
}
