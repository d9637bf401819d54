/** Starts, resumes, answers, cancels and lists runs that this machine executes, over any store. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { createRedactor, tellingRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { forOpenGate, type Answer } from '../../machine/gates/gate-answer.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import { openNodes } from '../../history/trace-facts.ts';
import { recordEvents, firstStep, toStoredEvents } from '../../machine/decide/step.ts';
import type {
  Claim,
  ClaimOwner,
  ListQuery,
  NewRun,
  RunStore,
  RunSummary,
  RunStatusName,
  StoredCommit,
} from '../../machine/ports/store-port.ts';
import { boundOf } from '../../workflow/check/most-requests.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { MACHINE_CLOCK, type EffectClock } from '../../effects/clock.ts';
import { warnProcess } from '../process-warning.ts';
import { Claims } from './claims.ts';
import { MessageDelivery } from './message-delivery.ts';
import { applyResume, openGates, refuseEnded } from '../run/resume.ts';
import type {
  Backend,
  BackendResumeOptions,
  BackendStartOptions,
  CancelOptions,
  RunHandle,
  RunOptions,
  RunSharing,
} from '../backend.ts';
import type { LocalOptions } from './local-options.ts';
import { LocalArchive } from './local-archive.ts';
import { LocalSharing } from './local-sharing.ts';
import { retryStoreOutage, timedCommit } from '../run/log-writer.ts';
import type { LegTelemetry } from '../run/telemetry-port.ts';
import { noticesOf } from '../run/notices.ts';
import { refuseMissing } from '../run/run-requirements.ts';
import { newOwner } from './claim-owner.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import { StoredPlans } from './stored-plan.ts';
import { endCancelled, type Cancelled } from '../run/end-left-running.ts';
import { foldRun, recover } from '../run/recover.ts';
import { newRunId } from '../run-id.ts';
import {
  answerMessage,
  deliverMessages,
  lastAfterEnd,
  refuseClosedGate,
  refuseUnlessAccepted,
} from './run-messages.ts';
import { runStatusOf, currentStatus } from '../run/run-status.ts';
import { listRuns } from './list-runs.ts';
import { modulesOf, startedEvent } from './started-event.ts';
import { NamedStarts } from './named-starts.ts';
import { OpenLegs } from './open-legs.ts';
import { begun } from './run-handle.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { cancelsLater } from './stored-run-handle.ts';
import { storeBeginning, type Begun } from '../left-leg.ts';
import { refuseMissingSecrets } from '../missing-secrets.ts';
import { withoutTypedSecrets } from './typed-secrets.ts';
import { watchLeg } from '../run/watch-leg.ts';

export class LocalBackend implements Backend {
  readonly store: RunStore;
  readonly archive: LocalArchive;
  readonly sharing: RunSharing;
  readonly plans: StoredPlans;
  readonly #options: LocalOptions;
  readonly #clock: EffectClock;
  readonly #redactor: Redactor;
  readonly #newId: () => string;
  readonly #owner: ClaimOwner;
  readonly #claims: Claims;
  readonly #delivery: MessageDelivery;
  readonly #legs: OpenLegs;
  readonly #named: NamedStarts;
  readonly #warn: (error: ErrorReport) => void;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#warn = options.onWarning ?? warnProcess;
    this.store = options.store;
    this.#clock = options.clock ?? MACHINE_CLOCK;
    this.#redactor = tellingRedactor(createRedactor(options.secrets), options.onSecret);
    this.plans = new StoredPlans(this.#redactor);
    this.#newId = options.newId ?? newRunId;
    this.#owner = newOwner(options.newId?.());
    this.#claims = new Claims(this.store, this.#clock, this.#owner);
    this.archive = new LocalArchive(this.store, this.#owner);
    const cancel = cancelsLater(this, this.#warn);
    this.#legs = new OpenLegs({
      cancel,
      options,
      clock: this.#clock,
      redactor: this.#redactor,
      claims: this.#claims,
      onWarning: this.#warn,
    });
    this.sharing = new LocalSharing({
      store: this.store,
      clock: this.#clock,
      id: this.#owner.id,
      legs: this.#legs,
    });
    this.#delivery = new MessageDelivery(this.store, this.#clock, this.#claims);
    this.#named = new NamedStarts({
      store: this.store,
      clock: this.#clock,
      claims: this.#claims,
      legOf: (run) => this.#legs.get(run),
      cancel,
    });
  }

  /** The parts of a state that are in no log. */
  get #ofEngine(): Pick<RunState, 'redactor' | 'interference'> {
    return { redactor: this.#redactor, interference: this.#options.interference };
  }

  learn(secrets: readonly string[]): void {
    for (const secret of secrets) this.#redactor.learn?.(secret);
  }

  async attach(run: string): Promise<RunHandle> {
    return this.#legs.get(run) ?? this.#named.attach(run);
  }

  read(run: string, fromSeq?: number): AsyncIterable<StoredCommit> {
    return this.#legs.read(run, fromSeq);
  }

  async start(
    plan: WorkflowPlan,
    given: JsonObject,
    options: BackendStartOptions = {},
  ): Promise<RunHandle> {
    const input = withoutValues(given, this.#redactor);
    if (options.id === undefined) return this.#start(plan, input, options);
    const { request } = options;
    const asked = { workflow: plan.name, input, ...(request === undefined ? {} : { request }) };
    return this.#named.start(options.id, asked, (id) =>
      this.#start(plan, input, { ...options, id }),
    );
  }

  async #start(
    plan: WorkflowPlan,
    input: JsonObject,
    options: BackendStartOptions,
  ): Promise<RunHandle> {
    const id = options.id ?? this.#newId();
    const state: RunState = { ...newRunState(id, plan), ...this.#ofEngine };
    const modules = await modulesOf(plan, options.effects ?? this.#options.effects);
    const nowMs = this.#clock.now();
    const at = new Date(nowMs).toISOString();
    const isLeft = options.isLeft === true;
    const telemetry = watchLeg(this.#options, state, { ...options, nowMs });
    const traceparent = telemetry?.traceparent ?? options.trace?.traceparent;
    const known = { redactor: this.#redactor, traceparent, modules };
    const started = startedEvent(plan, input, options, known);
    // nothing may be requested that nobody executes
    const first = isLeft ? recordEvents(state, [started], nowMs) : firstStep(state, started, nowMs);
    const events = toStoredEvents(state, first, at);
    const fresh: NewRun = {
      id,
      workflow: plan.name,
      file: options.file ?? plan.file,
      plan: this.plans.of(plan),
      input,
      startedAt: at,
      events,
      // a run without effects may end in its first commit
      statusRow: runStatusOf(state, at),
      notices: noticesOf(events),
      owner: this.#owner,
      leaseMs: LEASE_MS,
    };
    const create = (): Promise<Claim> => this.#create(fresh, options.onOutage, telemetry);
    return this.#legs.openFor(create, async (claim) => {
      options.onCreated?.(id);
      if (isLeft) return this.#leave(claim);
      const recovered = { state, checkpointSeq: 0 };
      const { answers: _kept, ...rest } = options;
      const own = options.keepsAnswers === true ? rest : options;
      const opening = { recovered, claim, options: own, firstSeq: 1, telemetry };
      const { leg, loop } = this.#legs.open(opening);
      loop.notifyStored(events);
      loop.wake();
      return leg;
    });
  }

  resume(run: string, options: BackendResumeOptions = {}): Promise<RunHandle> {
    return this.#resume(run, options);
  }

  /** Loads the workflow only when no process owns the run: only then is it needed. */
  async answer(
    run: string,
    given: Answer,
    options: BackendResumeOptions = {},
  ): Promise<RunHandle | undefined> {
    const typed = withoutValues(given, this.#redactor);
    const here = await this.#legs.accepting(run);
    if (here?.loop?.state.status === 'running') {
      await refuseClosedGate(this.store, here.loop.state, typed);
      return (await here.answer(typed)) ? here : this.answer(run, given, options);
    }
    const seen = here?.loop?.state ?? (await this.#seen(run, options.known));
    const answer = await this.#forOpenGate(seen, typed, options);
    // its leg is just ending; it is resumed with the answer after that
    await here?.result();
    return this.#delivery.deliverOrRun(run, {
      runHere: async (sent) =>
        begun(await this.#resume(run, { by: answer.by, ...options, answer }, sent)),
      compose: async () => {
        const { state } = await recover(this.store, run);
        const message = answerMessage(state, answer, await this.store.messages(run));
        const sent = { gate: message.gate, afterSeq: state.seq };
        return {
          message,
          onAcknowledged: (number) => refuseUnlessAccepted(this.store, run, { ...sent, number }),
        };
      },
    });
  }

  /** Checks the answer as `answer` does, and leaves it for whichever process executes the run next. */
  async leaveAnswer(run: string, given: Answer): Promise<string> {
    const { state } = await recover(this.store, run);
    const answer = await this.#forOpenGate(state, withoutValues(given, this.#redactor));
    const message = answerMessage(state, answer, await this.store.messages(run));
    await this.store.send(run, message);
    return message.gate;
  }

  /** Refuses a run that cannot continue here before it looks for the gate. */
  async #forOpenGate(state: RunState, given: Answer, how?: BackendResumeOptions): Promise<Answer> {
    refuseEnded(state);
    if (how !== undefined && state.gates.size === 0) await this.#refuseLacking(state, how);
    await refuseClosedGate(this.store, state, given);
    return forOpenGate(state, given);
  }

  async #refuseLacking(state: RunState, { workflow }: BackendResumeOptions): Promise<void> {
    if (this.statusOf(await this.store.summary(state.run)) !== 'interrupted') return;
    const { effects = this.#options.effects } = (await workflow?.()) ?? {};
    await refuseMissing(state, effects.lacks);
  }

  /** The run as the caller has seen it, or as it is now. */
  async #seen(run: string, known: BackendResumeOptions['known']): Promise<RunState> {
    return known === undefined
      ? (await recover(this.store, run)).state
      : foldRun(await this.store.get(run), known);
  }

  async cancel(
    run: string,
    by: string,
    options: CancelOptions = {},
  ): Promise<RunHandle | undefined> {
    const { reason } = withoutValues({ reason: options.reason ?? '' }, this.#redactor);
    const why = reason === '' ? {} : { reason };
    const here = this.#legs.get(run);
    if (here !== undefined) {
      here.cancelLeg(by, why.reason);
      const { status } = await here.result();
      // its leg may have come to rest at the same moment
      if (status === 'cancelled' || status === 'completed') return here;
    }
    return this.#delivery.deliverOrRun(run, {
      runHere: async (sent) => {
        const found = await this.store.summary(run);
        if (found.status === 'cancelled' && sent !== undefined) return undefined;
        refuseEnded(found);
        return this.#cancelHere(run, { by, ...why }, options);
      },
      compose: () => ({ message: { type: 'cancel', by, ...why } }),
    });
  }

  /** Warns of damage. */
  list(query: ListQuery = {}): Promise<readonly RunSummary[]> {
    const onDamage = (damage: unknown): void => this.#warn(toReport(damage));
    return listRuns(this.store, { onDamage, ...query }, (found) => this.statusOf(found));
  }

  statusOf(found: RunSummary): RunStatusName {
    return currentStatus(found.status, this.#claims.isHeld(found));
  }

  /** Stops every run, which stays resumable. */
  async close(): Promise<void> {
    this.#named.close();
    await this.#legs.close();
    this.#claims.close();
    await this.#options.effects.close();
    await this.store.close();
  }

  /** Creates the run once, however often the store has to be called. */
  async #create(
    fresh: NewRun,
    onOutage: BackendStartOptions['onOutage'],
    telemetry?: LegTelemetry,
  ): Promise<Claim> {
    const askedAtMs = this.#clock.now();
    const create = timedCommit(() => this.store.create(fresh), telemetry?.committed);
    const patience = { clock: this.#clock, onOutage: this.#legs.patience(onOutage) };
    const { claim } = await retryStoreOutage(create, patience);
    this.#claims.register(claim, askedAtMs);
    return claim;
  }

  /** `sent`: number of the message that carried the answer to a process that did not read it. */
  async #resume(
    run: string,
    { workflow, known, lostBefore, ...given }: BackendResumeOptions,
    sent?: number,
  ): Promise<RunHandle> {
    const options = { ...given, ...(await workflow?.()) };
    refuseEnded(await this.store.summary(run), options);
    const acquire = (): Promise<Claim> => this.#claims.acquire(run, lostBefore);
    return this.#legs.openFor(acquire, async (claim) => {
      const recovered = await recover(this.store, run, known === undefined ? {} : { known });
      const { state } = recovered;
      Object.assign(state, this.#ofEngine);
      refuseEnded(state, options);
      const voidThrough = await lastAfterEnd(this.store, state);
      const nowMs = Math.max(this.#clock.now(), state.nowMs);
      const plan = this.plans.without(options.plan);
      const bound = options.plan === undefined ? {} : { bound: boundOf(options.plan) };
      const effects = options.effects ?? this.#options.effects;
      const modules = await modulesOf(options.plan ?? state.plan, effects);
      const telemetry = watchLeg(this.#options, state, { ...options, nowMs });
      const traceparent = telemetry?.traceparent ?? options.trace?.traceparent;
      const typed = withoutTypedSecrets(options, this.#redactor);
      const how = { ...bound, ...typed, plan, traceparent, modules };
      const events = applyResume(state, how, nowMs, effects.leftRunning);
      telemetry?.reopen(openNodes(state));
      // the stored plan has no secret values, and the effects need them
      if (options.plan === undefined) refuseMissingSecrets(state);
      else state.plan = options.plan;
      await refuseMissing(state, effects.lacks);
      const open = openGates(state);
      const firstSeq = state.seq - events.length + 1;
      if (options.isLeft === true) return this.#leave(claim, { state, events, nowMs, voidThrough });
      const opening = { recovered, claim, options, firstSeq, telemetry };
      const messages = await this.#legs.messagesTo(run);
      const { leg, loop } = this.#legs.open(opening);
      if (voidThrough !== undefined) loop.acknowledgeThrough(voidThrough);
      loop.startWith(events, nowMs, () => {
        deliverMessages(loop, messages, sent);
        leg.answerOpenGates(open);
      });
      return leg;
    });
  }

  /** Stores what the leg begins with, and leaves the rest to the process that resumes the run. */
  async #leave(claim: Claim, begun?: Begun): Promise<RunHandle> {
    const onOutage = this.#legs.patience();
    const parts = { claim, store: this.store, clock: this.#clock, onOutage };
    if (begun !== undefined) await storeBeginning(begun, parts);
    await this.#claims.release(claim);
    return this.#named.attach(claim.run);
  }

  async #cancelHere(
    run: string,
    cancelled: Cancelled,
    options: Pick<RunOptions, 'onEvent'>,
  ): Promise<RunHandle> {
    const acquire = (): Promise<Claim> => this.#claims.acquire(run);
    return this.#legs.openFor(acquire, async (claim) => {
      const recovered = await recover(this.store, run);
      const { state } = recovered;
      Object.assign(state, this.#ofEngine);
      refuseEnded(state);
      const nowMs = Math.max(this.#clock.now(), state.nowMs);
      const ended = await endCancelled(state, cancelled, this.#options.effects);
      const events = recordEvents(state, ended, nowMs);
      const firstSeq = state.seq - events.length + 1;
      const telemetry = watchLeg(this.#options, state, { ...options, nowMs, isUnseen: true });
      const last = (await this.#legs.messagesTo(run)).at(-1);
      const { leg, loop } = this.#legs.open({ recovered, claim, options, firstSeq, telemetry });
      // a cancelled run reads no more messages
      if (last !== undefined) loop.acknowledgeThrough(last.number);
      loop.startWith(events, nowMs);
      return leg;
    });
  }
}
