/**
 * How a leg begins here: a run is started, resumed or cancelled under a claim of this process, and its
 * leg is opened, or left to the process that resumes the run.
 */
import type { EffectClock } from '../../../effects/clock.ts';
import type { Redactor } from '../../../errors/redaction/redact.ts';
import type { JsonObject } from '../../../errors/support/safe-json.ts';
import { openNodes } from '../../../history/trace-facts.ts';
import { firstStep, recordEvents, toStoredEvents } from '../../../machine/decide/step.ts';
import type { Claim, ClaimOwner, NewRun, RunStore } from '../../../machine/ports/store-port.ts';
import { newRunState, type RunState } from '../../../machine/state/state.ts';
import { boundOf } from '../../../workflow/check/most-requests.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';
import type {
  BackendResumeOptions,
  BackendStartOptions,
  RunHandle,
  RunOptions,
} from '../../backend.ts';
import { storeBeginning, type Begun } from '../../left-leg.ts';
import { refuseMissingSecrets } from '../../missing-secrets.ts';
import { newRunId } from '../../run-id.ts';
import { endCancelled, type Cancelled } from '../../run/end-left-running.ts';
import { retryStoreOutage, timedCommit } from '../../run/log-writer.ts';
import { noticesOf } from '../../run/notices.ts';
import { recover, type Recovered } from '../../run/recover.ts';
import { applyResume, openGates, refuseEnded } from '../../run/resume.ts';
import { refuseMissing } from '../../run/run-requirements.ts';
import { runStatusOf } from '../../run/run-status.ts';
import type { LegTelemetry } from '../../run/telemetry-port.ts';
import { watchLeg } from '../../run/watch-leg.ts';
import { LEASE_MS } from '../lease-keeper.ts';
import type { LocalOptions } from '../local-options.ts';
import type { Claims } from '../run-claims.ts';
import { deliverMessages, lastAfterEnd } from '../run-messages.ts';
import type { StoredPlans } from '../stored-plan.ts';
import { withoutTypedSecrets } from '../typed-secrets.ts';
import type { OpenLegs } from './open-legs.ts';
import { modulesOf, startedEvent } from './started-event.ts';

export interface LegBeginningsParts {
  readonly options: LocalOptions;
  readonly owner: ClaimOwner;
  readonly clock: EffectClock;
  readonly redactor: Redactor;
  readonly plans: StoredPlans;
  readonly claims: Claims;
  readonly legs: OpenLegs;
  /** Follows a run that no leg of this process executes. */
  readonly attach: (run: string) => Promise<RunHandle>;
}

export class LegBeginnings {
  readonly #parts: LegBeginningsParts;
  readonly #store: RunStore;
  readonly #newId: () => string;

  constructor(parts: LegBeginningsParts) {
    this.#parts = parts;
    this.#store = parts.options.store;
    this.#newId = parts.options.newId ?? newRunId;
  }

  /** The parts of a state that are in no log. */
  get #ofEngine(): Pick<RunState, 'redactor' | 'interference'> {
    const { redactor, options } = this.#parts;
    return { redactor, interference: options.interference };
  }

  async start(
    plan: WorkflowPlan,
    input: JsonObject,
    options: BackendStartOptions,
  ): Promise<RunHandle> {
    const id = options.id ?? this.#newId();
    const state: RunState = { ...newRunState(id, plan), ...this.#ofEngine };
    const modules = await modulesOf(plan, options.effects ?? this.#parts.options.effects);
    const nowMs = this.#parts.clock.now();
    const at = new Date(nowMs).toISOString();
    const isLeft = options.isLeft === true;
    const telemetry = watchLeg(this.#parts.options, state, { ...options, nowMs });
    const traceparent = telemetry?.traceparent ?? options.trace?.traceparent;
    const known = { redactor: this.#parts.redactor, traceparent, modules };
    const started = startedEvent(plan, input, options, known);
    // nothing may be requested that nobody executes
    const first = isLeft ? recordEvents(state, [started], nowMs) : firstStep(state, started, nowMs);
    const events = toStoredEvents(state, first, at);
    const fresh: NewRun = {
      id,
      workflow: plan.name,
      file: options.file ?? plan.file,
      plan: this.#parts.plans.of(plan),
      input,
      startedAt: at,
      events,
      // a run without effects may end in its first commit
      statusRow: runStatusOf(state, at),
      notices: noticesOf(events),
      owner: this.#parts.owner,
      leaseMs: LEASE_MS,
    };
    const create = (): Promise<Claim> => this.#create(fresh, options.onOutage, telemetry);
    return this.#parts.legs.openFor(create, async (claim) => {
      options.onCreated?.(id);
      if (isLeft) return this.#leave(claim);
      const recovered = { state, checkpointSeq: 0 };
      const { answers: _kept, ...rest } = options;
      const own = options.keepsAnswers === true ? rest : options;
      const opening = { recovered, claim, options: own, firstSeq: 1, telemetry };
      const { leg, loop } = this.#parts.legs.open(opening);
      loop.notifyStored(events);
      loop.wake();
      return leg;
    });
  }

  /** `sent`: number of the message that carried the answer to a process that did not read it. */
  async resume(
    run: string,
    { workflow, known, lostBefore, ...given }: BackendResumeOptions,
    sent?: number,
    from?: Recovered,
  ): Promise<RunHandle> {
    const options = { ...given, ...(await workflow?.()) };
    refuseEnded(await this.#store.summary(run), options);
    const acquire = (): Promise<Claim> => this.#parts.claims.acquire(run, lostBefore);
    return this.#parts.legs.openFor(acquire, async (claim) => {
      const recovered = await recover(this.#store, run, { known: known ?? [], from });
      const { state } = recovered;
      Object.assign(state, this.#ofEngine);
      refuseEnded(state, options);
      const voidThrough = await lastAfterEnd(this.#store, state);
      const nowMs = Math.max(this.#parts.clock.now(), state.nowMs);
      const plan = this.#parts.plans.without(options.plan);
      const bound = options.plan === undefined ? {} : { bound: boundOf(options.plan) };
      const effects = options.effects ?? this.#parts.options.effects;
      const modules = await modulesOf(options.plan ?? state.plan, effects);
      const telemetry = watchLeg(this.#parts.options, state, { ...options, nowMs });
      const traceparent = telemetry?.traceparent ?? options.trace?.traceparent;
      const typed = withoutTypedSecrets(options, this.#parts.redactor);
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
      const messages = await this.#parts.legs.messagesTo(run);
      const { leg, loop } = this.#parts.legs.open(opening);
      if (voidThrough !== undefined) loop.acknowledgeThrough(voidThrough);
      loop.startWith(events, nowMs, () => {
        deliverMessages(loop, messages, sent);
        leg.answerOpenGates(open);
      });
      return leg;
    });
  }

  /** Ends the run as cancelled, in a leg of its own. */
  async cancel(
    run: string,
    cancelled: Cancelled,
    options: Pick<RunOptions, 'onEvent'>,
  ): Promise<RunHandle> {
    const acquire = (): Promise<Claim> => this.#parts.claims.acquire(run);
    return this.#parts.legs.openFor(acquire, async (claim) => {
      const recovered = await recover(this.#store, run);
      const { state } = recovered;
      Object.assign(state, this.#ofEngine);
      refuseEnded(state);
      const nowMs = Math.max(this.#parts.clock.now(), state.nowMs);
      const ended = await endCancelled(state, cancelled, this.#parts.options.effects);
      const events = recordEvents(state, ended, nowMs);
      const firstSeq = state.seq - events.length + 1;
      const telemetry = watchLeg(this.#parts.options, state, { ...options, nowMs, isUnseen: true });
      const last = (await this.#parts.legs.messagesTo(run)).at(-1);
      const { leg, loop } = this.#parts.legs.open({
        recovered,
        claim,
        options,
        firstSeq,
        telemetry,
      });
      // a cancelled run reads no more messages
      if (last !== undefined) loop.acknowledgeThrough(last.number);
      loop.startWith(events, nowMs);
      return leg;
    });
  }

  /** Creates the run once, however often the store has to be called. */
  async #create(
    fresh: NewRun,
    onOutage: BackendStartOptions['onOutage'],
    telemetry?: LegTelemetry,
  ): Promise<Claim> {
    const askedAtMs = this.#parts.clock.now();
    const create = timedCommit(() => this.#store.create(fresh), telemetry?.committed);
    const patience = { clock: this.#parts.clock, onOutage: this.#parts.legs.patience(onOutage) };
    const { claim } = await retryStoreOutage(create, patience);
    this.#parts.claims.register(claim, askedAtMs);
    return claim;
  }

  /** Stores what the leg begins with, and leaves the rest to the process that resumes the run. */
  async #leave(claim: Claim, begun?: Begun): Promise<RunHandle> {
    const onOutage = this.#parts.legs.patience();
    const parts = { claim, store: this.#store, clock: this.#parts.clock, onOutage };
    if (begun !== undefined) await storeBeginning(begun, parts);
    await this.#parts.claims.release(claim);
    return this.#parts.attach(claim.run);
  }
}
