/**
 * The Temporal backend: starts, resumes, answers, cancels and lists runs at a Temporal server. Workers
 * execute the runs; nothing of a run happens here.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { type JsonObject } from '../../errors/support/safe-json.ts';
import { alreadyAnswered } from '../../machine/gates/refused-answer.ts';
import {
  forOpenGate,
  isGateOpen,
  refuseClosed,
  type Answer,
} from '../../machine/gates/gate-answer.ts';
import type { ListQuery, RunStatusName, RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import { unpackState } from '../../machine/state/snapshot.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { checkedRunId, refuseOther } from '../loading/checked-input.ts';
import { warnProcess } from '../process-warning.ts';
import { foldRun } from '../run/recover.ts';
import { checkResume, refuseEnded, type ResumeRequest } from '../run/resume.ts';
import {
  latestLeg,
  type Backend,
  type BackendResumeOptions,
  type BackendStartOptions,
  type LegOrigin,
  type RunHandle,
  type RunOptions,
} from '../backend.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { boundOf } from '../../workflow/check/most-requests.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { connectTemporal, hasAttributes, type TemporalConnection } from './connect.ts';
import {
  CANCELLED_BY,
  UPDATES,
  type Begin,
  type LegSettings,
  type RunIdentity,
  type RunInput,
  type RunSettings,
} from './messages.ts';
import { RedactedPayloads } from './secrets/redacted-payloads.ts';
import { withSnapshot } from './sizes/payload-size.ts';
import { resumeRequestOf, withWorkflow } from './resume-request.ts';
import { connectionSecrets, type TemporalConfig, type TemporalOptions } from './config.ts';
import { sendUpdate, startExecution, type IdReuse } from './execution-requests.ts';
import { RunQueries } from './run-queries.ts';
import { RemoteRunHandle } from './remote-run-handle.ts';
import { newRunId } from '../run-id.ts';
import type { TelemetryPort } from '../run/telemetry-port.ts';
import { TemporalStore } from './reading/temporal-store.ts';

export interface TemporalBackendOptions extends Pick<
  TemporalOptions,
  'heartbeatMs' | 'maxHistoryEvents' | 'queryMs'
> {
  readonly config: TemporalConfig;
  /** So long a worker may take to decide, before another is asked. Default: Temporal's own, 10 s. */
  readonly taskMs?: number;
  /** Names of runs. Default: random ones. */
  readonly newId?: () => string;
  /** Values of keys on this machine, which do not leave it. */
  readonly secrets?: readonly string[];
  /** Where files take their variables from. Default: nothing is set. */
  readonly env?: Environment;
  /** Knows the trace of the caller. The workers watch the legs. */
  readonly telemetry?: Pick<TelemetryPort, 'isTracing' | 'callerOf'> | undefined;
  /** Called with failures that belong to no run. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
}

const HEARTBEAT_MS = 30_000;
const SEAL_BYTES = 16;
const ANSWER_AGAIN = { most: 50, everyMs: 100 };

/** Connects to Temporal. Rejects with `extension.missing` or `store.unavailable`. */
export async function openTemporal(options: TemporalBackendOptions): Promise<TemporalBackend> {
  const temporal = await connectTemporal(options.config);
  const isShown = await hasAttributes(temporal.connection, options.config.namespace);
  return new TemporalBackend(options, temporal, isShown);
}

export class TemporalBackend implements Backend {
  readonly store: TemporalStore;
  readonly #options: TemporalBackendOptions;
  readonly #temporal: TemporalConnection;
  readonly #queries: RunQueries;
  readonly #settings: RunSettings;
  readonly #payloads: RedactedPayloads;
  readonly #legs = new Map<string, RemoteRunHandle>();
  #closed: Promise<void> | undefined;

  constructor(options: TemporalBackendOptions, temporal: TemporalConnection, isShown: boolean) {
    this.#options = options;
    this.#temporal = temporal;
    this.#payloads = new RedactedPayloads(
      [...(options.secrets ?? []), ...connectionSecrets(options.config)],
      options.env ?? {},
    );
    this.#queries = new RunQueries(options.config, temporal, options.queryMs);
    this.store = new TemporalStore(this.#queries, () => this.close());
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
    options: BackendStartOptions = {},
  ): Promise<RunHandle> {
    const seal = randomBytes(SEAL_BYTES).toString('hex');
    const { id } = options;
    const isOwn = id !== undefined;
    const run = isOwn ? checkedRunId(id) : (this.#options.newId ?? newRunId)();
    const identity: RunIdentity = {
      run,
      workflow: plan.name,
      // the path of the plan: its folder on this machine is not sent
      file: plan.file,
      plan: this.#payloads.sealed(plan, seal),
      input: this.#payloads.without(input),
      startedAt: new Date().toISOString(),
      seal,
    };
    const { gates, bound = boundOf(plan) } = options;
    const begin: Begin = { type: 'start', ...(gates === false ? { gates } : {}), bound };
    const first: RunInput = {
      v: 1,
      identity,
      begin,
      leg: this.#legOf(options),
      settings: this.#settingsNow(),
    };
    try {
      await this.#execute(first, { reuse: isOwn ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE' });
      options.onCreated?.(run);
    } catch (refusal) {
      if (!isOwn || !isKind(refusal, 'run.already_active')) throw refusal;
      refuseOther(await this.store.get(run), identity);
    }
    return this.#leg(run, 1, options);
  }

  async resume(run: string, given: BackendResumeOptions = {}): Promise<RunHandle> {
    const options = await withWorkflow(given);
    const { status, endedAt } = await this.store.summary(run);
    refuseEnded({ run, status }, options);
    if (endedAt === undefined) {
      const how = await this.#requestOf(run, options);
      const firstSeq = await sendUpdate(this.#queries, run, UPDATES.resume, [
        how,
        this.#legOf(options),
      ]);
      return this.#leg(run, firstSeq, options);
    }
    return this.#again(run, { type: 'resume', how: await this.#requestOf(run, options) }, options);
  }

  /** Returns undefined when the run was running, is not followed here, and has received the answer. */
  async answer(
    run: string,
    answer: Answer,
    given: BackendResumeOptions = {},
  ): Promise<RunHandle | undefined> {
    // also for a run that is running: it may pause before the answer arrives
    const options = await withWorkflow(given);
    const { status, endedAt } = await this.store.summary(run);
    if (endedAt !== undefined) return this.resume(run, { ...options, answer });
    const how = await this.#requestOf(run, options);
    const seen = this.#payloads.without(await this.#forOpenGate(run, answer, options.known));
    const args = [seen, how, this.#legOf(options)];
    const firstSeq = await this.#sendAnswer(run, seen, args);
    return status === 'paused' ? this.#leg(run, firstSeq, options) : this.#legs.get(run);
  }

  /** The opening that the caller has seen, or the one that is there now. */
  async #forOpenGate(
    run: string,
    answer: Answer,
    known: BackendResumeOptions['known'],
  ): Promise<Answer> {
    if (known !== undefined) return forOpenGate(foldRun(await this.store.get(run), known), answer);
    const state = await this.#state(run);
    if (!isGateOpen(state, answer.gate)) await this.#refuseClosed(run, answer);
    return forOpenGate(state, answer);
  }

  /** Throws `gate.closed` where the log has the gate, which is not open any more. */
  async #refuseClosed(run: string, { gate }: Answer): Promise<void> {
    for await (const { events } of this.#queries.all(run))
      for (const event of events) if (event.type === 'gate:opened') refuseClosed(event, gate);
  }

  /**
   * Sends the answer again while another one is beginning a leg, which then takes or refuses this
   * one.
   */
  async #sendAnswer(run: string, answer: Answer, args: unknown[]): Promise<number> {
    for (let left = ANSWER_AGAIN.most; ; left--) {
      try {
        return await sendUpdate(this.#queries, run, UPDATES.answer, args);
      } catch (refusal) {
        if (isKind(refusal, 'run.not_found')) await this.#refuseOvertaken(run, answer);
        if (left === 0 || !isKind(refusal, 'run.already_active')) throw refusal;
        await after(ANSWER_AGAIN.everyMs);
      }
    }
  }

  /** Temporal does not find an execution that ended, mostly by the answer of somebody else. */
  async #refuseOvertaken(run: string, { gate = '' }: Answer): Promise<void> {
    if (!isGateOpen(await this.#state(run), gate)) throw alreadyAnswered(gate);
  }

  async #state(run: string): Promise<RunState> {
    const { runId } = await this.#queries.describe(run);
    return unpackState(await this.#queries.state(run, runId));
  }

  async attach(run: string): Promise<RunHandle> {
    const here = this.#legs.get(run);
    if (here !== undefined) return here;
    const events: RunEvent[] = [];
    for await (const page of this.#queries.all(run)) events.push(...page.events);
    return this.follow(run, latestLeg(events)[0]?.seq ?? 1);
  }

  list(query?: ListQuery): Promise<readonly RunSummary[]> {
    return this.store.list(query);
  }

  statusOf({ status }: RunSummary): RunStatusName {
    return status;
  }

  learn(secrets: readonly string[]): void {
    this.#payloads.learn(secrets);
  }

  /** Follows a leg that another client started, from the event with this number on. */
  follow(run: string, fromSeq: number, options: Pick<RunOptions, 'onEvent'> = {}): RunHandle {
    return this.#leg(run, fromSeq, options);
  }

  async #requestOf(run: string, options: BackendResumeOptions): Promise<ResumeRequest> {
    const { plan, ...request } = resumeRequestOf(options);
    const clean = this.#payloads.without(request);
    if (plan === undefined) return clean;
    // the same seal gives the same plan, and its effects keep their keys
    const { seal } = plan.secretVariables === undefined ? {} : await this.#queries.facts(run);
    return { ...clean, plan: this.#payloads.sealed(plan, seal) };
  }

  async cancel(
    run: string,
    by: string,
    options: Pick<RunOptions, 'onEvent'> = {},
  ): Promise<RunHandle | undefined> {
    const { status, endedAt } = await this.store.summary(run);
    refuseEnded({ run, status });
    if (endedAt !== undefined) return this.#again(run, { type: 'cancel', by }, options);
    const { lastSeq } = await this.#queries.facts(run);
    await this.#queries.guarded(run, async () => {
      await this.#queries.handle(run).signal(CANCELLED_BY, this.#payloads.without({ by }).by);
      await this.#queries.handle(run).cancel();
    });
    return status === 'paused' ? this.#leg(run, lastSeq + 1, options) : undefined;
  }

  /** Closes the connection; workers continue the runs. */
  async close(): Promise<void> {
    for (const leg of this.#legs.values()) leg.stop();
    await (this.#closed ??= this.#temporal.close());
  }

  /** A new execution of a run whose last one is over. */
  async #again(run: string, begin: Begin, options: RunOptions & LegOrigin): Promise<RunHandle> {
    const facts = await this.#queries.facts(run);
    const { runId } = await this.#queries.describe(run);
    const snapshot = await this.#queries.state(run, runId);
    // refused here, before anything is started; reading a snapshot uses it up
    if (begin.type === 'resume')
      checkResume(unpackState(structuredClone(snapshot)), begin.how, Date.now());
    const { statusRow: _statusRow, lastSeq, ...identity } = facts;
    const before = { execution: runId, nextSeq: lastSeq + 1 };
    const leg = this.#legOf(options);
    const settings = this.#settingsNow();
    const input: RunInput = { v: 1, identity, begin, leg, settings, before };
    await this.#execute(withSnapshot(input, snapshot));
    return this.#leg(run, lastSeq + 1, options);
  }

  #legOf({ wait, answers, trace: given }: RunOptions & LegOrigin): LegSettings {
    const { telemetry } = this.#options;
    const trace = telemetry === undefined ? given : telemetry.callerOf(given);
    return {
      ...(wait === true ? { wait } : {}),
      ...(answers === undefined || answers.length === 0
        ? {}
        : { answers: this.#payloads.without(answers) }),
      ...(trace === undefined || trace === null ? {} : { trace }),
    };
  }

  /** A provider may be registered after the connection was made. */
  #settingsNow(): RunSettings {
    return this.#options.telemetry?.isTracing() === true
      ? { ...this.#settings, isTraced: true }
      : this.#settings;
  }

  #execute(input: RunInput, how: { readonly reuse?: IdReuse } = {}): Promise<void> {
    const { config, taskMs } = this.#options;
    const place = { temporal: this.#temporal, queries: this.#queries, config, taskMs };
    return startExecution(place, input, how);
  }

  #leg(run: string, firstSeq: number, options: Pick<RunOptions, 'onEvent'>): RunHandle {
    const { onWarning = warnProcess } = this.#options;
    const leg = new RemoteRunHandle(this.#queries, { run, firstSeq }, { ...options, onWarning });
    this.#legs.set(run, leg);
    const forget = (): void => {
      if (this.#legs.get(run) === leg) this.#legs.delete(run);
    };
    leg.result().then(forget, forget);
    return leg;
  }
}
