/**
 * Runs at a Temporal server: started, resumed, answered, cancelled and listed, with the interface of
 * the local driver. Who carries them on is a worker; nothing of a run happens here.
 */
import { readProperty, type JsonObject } from '../../errors/json.ts';
import type { Answer } from '../../machine/answers.ts';
import type { RunEvent } from '../../machine/events.ts';
import { unpackState } from '../../machine/snapshot.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { givenRunId, refuseOther } from '../given.ts';
import { checkGoingOn, refuseEnded, type GoingOn } from '../going-on.ts';
import { runView, type RunView } from '../run-view.ts';
import { asEvent } from '../subscription.ts';
import type { ResumeOptions, StartOptions } from '../local.ts';
import type { RunHandle, RunOptions } from '../leg.ts';
import { ErrandError, isKind } from '../../errors/errand-error.ts';
import { boundOf } from '../../workflow/check/bound.ts';
import { createRedactor } from '../../errors/redact.ts';
import type { ErrorReport } from '../../errors/report.ts';
import { connectTemporal, hasAttributes, isInvalid, type TemporalConnection } from './connect.ts';
import { arrivedReport } from './failure.ts';
import {
  ATTRIBUTES,
  CANCELLED_BY,
  MEMO,
  UPDATES,
  WORKFLOW_TYPE,
  type Begin,
  type LegSettings,
  type RunIdentity,
  type RunInput,
  type RunMemo,
  type RunSettings,
} from './messages.ts';
import { Parcels } from './parcels.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES, tooLargeInput, withSnapshot } from './payload-size.ts';
import type { TemporalPlace } from './place.ts';
import { TemporalReading } from './reading.ts';
import { RemoteLeg } from './remote-leg.ts';
import { newRunId } from '../run-id.ts';
import { TemporalStore } from './temporal-store.ts';

export interface TemporalOptions {
  readonly place: TemporalPlace;
  /** Names of runs. Default: random ones. */
  readonly newId?: () => string;
  /** Values of keys on this machine, which do not leave it. */
  readonly secrets?: readonly string[];
  /** A worker that is silent for so long is taken for dead. Default: 30 s. */
  readonly heartbeatMs?: number;
  /** Continue as new after so many events of Temporal's history. Default: when it suggests so. */
  readonly maxHistoryEvents?: number;
  /** For a worker to say what it knows of a run. Default: 10 s. */
  readonly queryMs?: number;
  /** Hears what is wrong beside the runs. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
}

const HEARTBEAT_MS = 30_000;

/** Rejects with `extension.missing` or `store.unavailable`. */
export async function openTemporal(options: TemporalOptions): Promise<TemporalDriver> {
  const temporal = await connectTemporal(options.place);
  const isShown = await hasAttributes(temporal.connection, options.place.namespace);
  return new TemporalDriver(options, temporal, isShown);
}

export class TemporalDriver {
  /** What is there to read, as the commands that look at runs want it. */
  readonly store: TemporalStore;
  readonly #options: TemporalOptions;
  readonly #temporal: TemporalConnection;
  readonly #reading: TemporalReading;
  readonly #settings: RunSettings;
  readonly #parcels: Parcels;
  readonly #legs = new Map<string, RemoteLeg>();
  #closed: Promise<void> | undefined;

  constructor(options: TemporalOptions, temporal: TemporalConnection, isShown: boolean) {
    this.#options = options;
    this.#temporal = temporal;
    this.#parcels = new Parcels(createRedactor(options.secrets));
    this.#reading = new TemporalReading(options.place, temporal, options.queryMs);
    this.store = new TemporalStore(this.#reading, () => this.close());
    this.#settings = {
      heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS,
      hasAttributes: isShown,
      ...(options.maxHistoryEvents === undefined
        ? {}
        : { maxHistoryEvents: options.maxHistoryEvents }),
    };
  }

  async start(
    plan: WorkflowPlan,
    input: JsonObject,
    options: StartOptions = {},
  ): Promise<RunHandle> {
    this.#parcels.check(plan);
    const { id } = options;
    const isOwn = id !== undefined;
    const run = isOwn ? givenRunId(id) : (this.#options.newId ?? newRunId)();
    const identity: RunIdentity = {
      run,
      workflow: plan.name,
      // as the plan has it: where it lies on this machine is nobody else's business
      file: plan.file,
      plan,
      input: this.#parcels.without(input),
      startedAt: new Date().toISOString(),
    };
    const { gates, bound = boundOf(plan) } = options;
    const begin: Begin = { type: 'start', ...(gates === false ? { gates } : {}), bound };
    const first: RunInput = {
      v: 1,
      identity,
      begin,
      leg: legOf(options),
      settings: this.#settings,
    };
    try {
      await this.#execute(first, isOwn ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE');
      options.onCreated?.(run);
    } catch (refusal) {
      if (!isOwn || !isKind(refusal, 'run.already_active')) throw refusal;
      refuseOther(await this.store.get(run), identity);
    }
    return this.#leg(run, 1, options);
  }

  /** How a run stands, whoever carries it on. Rejects with `run.not_found`. */
  async get(run: string): Promise<RunView> {
    const record = await this.store.get(run);
    const events: RunEvent[] = [];
    for await (const commit of this.store.read(run)) events.push(...commit.events.map(asEvent));
    return runView({ record, events, status: record.status, directory: process.cwd() });
  }

  /** Goes on with what is paused or failed; or again, from a node of its past. */
  async resume(run: string, options: ResumeOptions = {}): Promise<RunHandle> {
    const { status, endedAt } = await this.store.summary(run);
    refuseEnded({ run, status }, options);
    if (endedAt === undefined) {
      const how = this.#goingOn(options);
      const firstSeq = await this.#update(run, UPDATES.resume, [how, legOf(options)]);
      return this.#leg(run, firstSeq, options);
    }
    return this.#again(run, { type: 'resume', how: this.#goingOn(options) }, options);
  }

  /** Tells a gate; undefined when the run was under way, is not followed here, and has heard it. */
  async answer(
    run: string,
    answer: Answer,
    options: ResumeOptions = {},
  ): Promise<RunHandle | undefined> {
    const { status, endedAt } = await this.store.summary(run);
    if (endedAt !== undefined) return this.resume(run, { ...options, answer });
    const how = this.#goingOn(options);
    const args = [this.#parcels.without(answer), how, legOf(options)];
    const firstSeq = await this.#update(run, UPDATES.answer, args);
    return status === 'paused' ? this.#leg(run, firstSeq, options) : this.#legs.get(run);
  }

  /** A leg that others have begun, from the event with this number on. */
  follow(run: string, fromSeq: number, options: Pick<RunOptions, 'onEvent'> = {}): RunHandle {
    return this.#leg(run, fromSeq, options);
  }

  #goingOn(options: ResumeOptions): GoingOn {
    this.#parcels.check(options.plan);
    const { plan, ...said } = goingOnOf(options);
    return { ...this.#parcels.without(said), ...(plan === undefined ? {} : { plan }) };
  }

  /** Ends a run for good. */
  async cancel(
    run: string,
    by: string,
    options: Pick<RunOptions, 'onEvent'> = {},
  ): Promise<RunHandle | undefined> {
    const { status, endedAt } = await this.store.summary(run);
    refuseEnded({ run, status });
    if (endedAt !== undefined) return this.#again(run, { type: 'cancel', by }, options);
    const { lastSeq } = await this.#reading.facts(run);
    await this.#reading.guarded(run, async () => {
      await this.#reading.handle(run).signal(CANCELLED_BY, by);
      await this.#reading.handle(run).cancel();
    });
    return status === 'paused' ? this.#leg(run, lastSeq + 1, options) : undefined;
  }

  /** The runs go on at their workers. */
  async close(): Promise<void> {
    for (const leg of this.#legs.values()) leg.stop();
    await (this.#closed ??= this.#temporal.close());
  }

  /** A new execution of a run whose last one is over. */
  async #again(run: string, begin: Begin, options: RunOptions): Promise<RunHandle> {
    const facts = await this.#reading.facts(run);
    const { runId } = await this.#reading.describe(run);
    const snapshot = await this.#reading.state(run, runId);
    // refused here, where nothing has been begun; reading a snapshot uses it up
    if (begin.type === 'resume')
      checkGoingOn(unpackState(structuredClone(snapshot)), begin.how, Date.now());
    const { standing: _standing, lastSeq, ...identity } = facts;
    const before = { execution: runId, nextSeq: lastSeq + 1 };
    const leg = legOf(options);
    const settings = this.#settings;
    const input: RunInput = { v: 1, identity, begin, leg, settings, before };
    await this.#execute(withSnapshot(input, snapshot));
    return this.#leg(run, lastSeq + 1, options);
  }

  async #execute(
    input: RunInput,
    reuse: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE' = 'ALLOW_DUPLICATE',
  ): Promise<void> {
    const { identity, settings } = input;
    const { run, workflow, file, startedAt } = identity;
    const memo: RunMemo = { workflow, file, status: 'running', costUsdMicros: 0, startedAt };
    const attributes = {
      [ATTRIBUTES.workflow]: [workflow],
      [ATTRIBUTES.status]: ['running'],
    };
    try {
      await this.#reading.guarded(run, () =>
        this.#temporal.workflows.start(WORKFLOW_TYPE, {
          workflowId: run,
          taskQueue: this.#options.place.taskQueue,
          args: [input],
          memo: { [MEMO]: memo },
          ...(settings.hasAttributes ? { searchAttributes: attributes } : {}),
          workflowIdReusePolicy: reuse,
          workflowIdConflictPolicy: 'FAIL',
          staticSummary: workflow,
        }),
      );
    } catch (thrown) {
      const sizeBytes = jsonBytes(input);
      if (sizeBytes > MAX_PAYLOAD_BYTES && isInvalid(thrown))
        throw new ErrandError(tooLargeInput(identity.workflow, sizeBytes), { cause: thrown });
      if (readProperty(thrown, 'name') !== 'WorkflowExecutionAlreadyStartedError') throw thrown;
      const message = `The run ${run} is carried on already`;
      throw new ErrandError({ kind: 'run.already_active', message }, { cause: thrown });
    }
  }

  async #update(run: string, name: string, args: unknown[]): Promise<number> {
    return this.#reading.guarded(run, async () => {
      try {
        return await this.#reading.handle(run).executeUpdate<number>(name, { args });
      } catch (thrown) {
        const arrived = arrivedReport(thrown);
        throw arrived === undefined ? thrown : new ErrandError(arrived.report, { cause: thrown });
      }
    });
  }

  #leg(run: string, firstSeq: number, options: Pick<RunOptions, 'onEvent'>): RunHandle {
    const { onWarning = warn } = this.#options;
    const leg = new RemoteLeg(this.#reading, { run, firstSeq }, { ...options, onWarning });
    this.#legs.set(run, leg);
    const forget = (): void => {
      if (this.#legs.get(run) === leg) this.#legs.delete(run);
    };
    leg.result().then(forget, forget);
    return leg;
  }
}

function warn({ message }: ErrorReport): void {
  process.emitWarning(message, { code: 'ERRAND' });
}

function legOf({ wait, answers }: RunOptions): LegSettings {
  return {
    ...(wait === true ? { wait } : {}),
    ...(answers === undefined || answers.length === 0 ? {} : { answers }),
  };
}

/** What travels; listeners stay here, and effects are the worker's. */
function goingOnOf(options: ResumeOptions): GoingOn {
  const { by, answer, now, from, gates, plan, input, acceptDrift } = options;
  const { bound = plan === undefined ? undefined : boundOf(plan) } = options;
  return {
    ...(by === undefined ? {} : { by }),
    ...(answer === undefined ? {} : { answer }),
    ...(now === undefined ? {} : { now }),
    ...(from === undefined ? {} : { from }),
    ...(gates === undefined ? {} : { gates }),
    ...(plan === undefined ? {} : { plan }),
    ...(bound === undefined ? {} : { bound }),
    ...(input === undefined ? {} : { input }),
    ...(acceptDrift === undefined ? {} : { acceptDrift }),
  };
}
