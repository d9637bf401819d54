/** Runs on this machine: started, resumed, answered, cancelled and listed, over any store. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isKind } from '../errors/errand-error.ts';
import type { InternalRecord } from '../errors/internal-record.ts';
import type { JsonObject } from '../errors/json.ts';
import { createRedactor, type Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { Answer } from '../machine/answers.ts';
import type { EventBody } from '../machine/events.ts';
import { newRunState } from '../machine/state.ts';
import { record, firstStep, stored } from '../machine/step.ts';
import type {
  Claim,
  ClaimOwner,
  ListQuery,
  NewRun,
  RunStore,
  RunSummary,
  StandingStatus,
  StoredSignal,
} from '../machine/store-port.ts';
import { boundOf } from '../workflow/check/bound.ts';
import { INLINE_CEILING_MS } from '../workflow/limits.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { Alarm } from './alarm.ts';
import { Breakers } from './breakers.ts';
import { MACHINE_CLOCK, type EffectClock } from '../effects/clock.ts';
import { Claims } from './claims.ts';
import { Elsewhere } from './elsewhere.ts';
import { goOn, openGates, refuseEnded } from './going-on.ts';
import { Leg, type RunHandle, type RunOptions } from './leg.ts';
import type { LocalOptions, ResumeOptions, StartOptions } from './local-options.ts';
import { LogWriter, withPatience } from './log-writer.ts';
import { refuseLacking } from './needs.ts';
import { newOwner } from './owner.ts';
import { withoutValues } from '../errors/without-values.ts';
import { PlanTexts } from './plan-texts.ts';
import {
  abandonedEffects,
  CHECKPOINT_EVENTS,
  keepCheckpoint,
  recover,
  type Recovered,
} from './recover.ts';
import { newRunId } from './run-id.ts';
import { RunLoop, type Rest } from './run-loop.ts';
import { answerSignal, deliver, refuseUnlessTaken } from './signals.ts';
import { standingOf, statusNow } from './standing.ts';
import { NamedStarts } from './named-starts.ts';
import { LEASE_MS, Watch } from './watch.ts';
import { refuseWithheld } from './withheld.ts';

export type { RunHandle, RunOptions, RunResult } from './leg.ts';
export type { PreparedAnswer } from './prepared-answers.ts';
export type { LocalOptions, ResumeOptions, StartOptions } from './local-options.ts';

/** A run at the end of a leg, and how much of it has a checkpoint. */
interface Resting extends Pick<Recovered, 'state' | 'checkpointSeq'> {
  readonly rest: Rest;
}

function unheard(): void {
  // nobody listens to the progress of this run
}

export class LocalDriver {
  readonly #options: LocalOptions;
  readonly #store: RunStore;
  readonly #clock: EffectClock;
  readonly #redactor: Redactor;
  readonly #planTexts: PlanTexts;
  readonly #newId: () => string;
  readonly #owner: ClaimOwner;
  readonly #alarm: Alarm;
  readonly #breakers: Breakers;
  readonly #watch: Watch | undefined;
  readonly #claims: Claims;
  readonly #elsewhere: Elsewhere;
  readonly #legs = new Map<string, Leg>();
  /** Stopped here by somebody who did not want them to go on. */
  readonly #stopped = new Set<string>();
  readonly #named: NamedStarts;
  // once, and not for each of the runs, of which there may be thousands
  readonly #onInternal = (record: InternalRecord): void => this.#options.onInternal?.(record);
  readonly #onWarning = (error: ErrorReport): void => this.#warn(error);

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#clock = options.clock ?? MACHINE_CLOCK;
    this.#redactor = createRedactor(options.secrets);
    this.#planTexts = new PlanTexts(this.#redactor);
    this.#newId = options.newId ?? newRunId;
    this.#alarm = new Alarm(this.#clock);
    this.#breakers = new Breakers(this.#store, this.#clock, this.#onWarning);
    this.#watch =
      options.isShared === false ? undefined : new Watch(this.#store, this.#clock, this.#onWarning);
    this.#owner = newOwner(options.newId?.());
    this.#claims = new Claims(this.#store, this.#clock, this.#owner);
    this.#elsewhere = new Elsewhere(this.#store, this.#clock, this.#claims);
    this.#named = new NamedStarts({
      store: this.#store,
      clock: this.#clock,
      claims: this.#claims,
      legOf: (run) => this.#legs.get(run),
      cancel: (run, by) => {
        // whether it was in time shows in the result
        this.cancel(run, by).catch((thrown: unknown) => this.#warn(toReport(thrown)));
      },
    });
  }

  /** Secrets of a workflow that was loaded after this driver was made. */
  learn(secrets: readonly string[]): void {
    for (const secret of secrets) this.#redactor.learn?.(secret);
  }

  async start(
    plan: WorkflowPlan,
    given: JsonObject,
    options: StartOptions = {},
  ): Promise<RunHandle> {
    const input = withoutValues(given, this.#redactor);
    if (options.id === undefined) return this.#start(plan, input, options);
    const asked = { workflow: plan.name, input };
    return this.#named.start(options.id, asked, (id) =>
      this.#start(plan, input, { ...options, id }),
    );
  }

  async #start(plan: WorkflowPlan, input: JsonObject, options: StartOptions): Promise<RunHandle> {
    const id = options.id ?? this.#newId();
    const state = newRunState(id, plan);
    const nowMs = this.#clock.now();
    const at = new Date(nowMs).toISOString();
    const gates = options.gates === false ? { gates: false } : {};
    const { bound = boundOf(plan) } = options;
    const started: EventBody = { type: 'run:started', workflow: plan.name, input, ...gates, bound };
    const events = stored(state, firstStep(state, started, nowMs), at);
    const fresh: NewRun = {
      id,
      workflow: plan.name,
      file: options.file ?? plan.file,
      plan: this.#planTexts.of(plan),
      input,
      startedAt: at,
      events,
      // what needs nothing of the world is over in its first commit
      standing: standingOf(state, at),
      owner: this.#owner,
      leaseMs: LEASE_MS,
    };
    const claim = await this.#create(fresh);
    options.onCreated?.(id);
    return this.#claimedFor(claim, async () => {
      const { leg } = await this.#carryOn({ state, checkpointSeq: 0 }, claim, options, 1);
      leg.loop.tellStored(events);
      leg.loop.take();
      return leg;
    });
  }

  /** Goes on with what is paused, crashed, parked or failed; or again, from a node of its past. */
  resume(run: string, options: ResumeOptions = {}): Promise<RunHandle> {
    return this.#resume(run, options);
  }

  /** Tells a gate of a run that may be anywhere; undefined when a living process hears of it. */
  answer(run: string, given: Answer, options: ResumeOptions = {}): Promise<RunHandle | undefined> {
    return this.tellGate(run, given, (goOn) => goOn(options));
  }

  /** `carry` is called for a run that rests: only then is anything of its workflow needed. */
  async tellGate(
    run: string,
    given: Answer,
    carry: (goOn: (options: ResumeOptions) => Promise<RunHandle>) => Promise<RunHandle>,
  ): Promise<RunHandle | undefined> {
    const answer = withoutValues(given, this.#redactor);
    const here = this.#legs.get(run);
    if (here?.loop.state.status === 'running') {
      here.loop.takeAnswer(answer);
      return here;
    }
    // it is just coming to rest, and goes on with the answer after that
    await here?.result();
    return this.#elsewhere.tellOr(run, {
      here: (sent) =>
        carry((options) => this.#resume(run, { by: answer.by, ...options, answer }, sent)),
      say: async () => {
        const { state } = await recover(this.#store, run);
        const signal = answerSignal(state, answer, await this.#store.signals(run));
        const said = { signal, afterSeq: state.seq };
        return { signal, heard: () => refuseUnlessTaken(this.#store, run, said) };
      },
    });
  }

  /** Ends a run for good; undefined when a living process does it. */
  async cancel(
    run: string,
    by: string,
    options: Pick<RunOptions, 'onEvent'> = {},
  ): Promise<RunHandle | undefined> {
    const here = this.#legs.get(run);
    if (here !== undefined) {
      here.cancel(by);
      const { status } = await here.result();
      // it may have come to rest at the same moment
      if (status !== 'paused' && status !== 'failed') return here;
    }
    return this.#elsewhere.tellOr(run, {
      here: async (sent) => {
        const found = await this.#store.summary(run);
        if (found.status === 'cancelled' && sent !== undefined) return undefined;
        refuseEnded(found);
        return this.#cancelHere(run, by, options);
      },
      say: () => ({ signal: { type: 'cancel', by } }),
    });
  }

  /** The runs whose process is gone. */
  async orphans(): Promise<readonly RunSummary[]> {
    const found = await this.list({ statuses: ['interrupted'] });
    return found.filter(({ run }) => !this.#legs.has(run) && !this.#stopped.has(run));
  }

  /** A run whose process is gone is interrupted, whatever the store says. Damage is warned of. */
  async list({ statuses, limit, ...query }: ListQuery = {}): Promise<readonly RunSummary[]> {
    // which of those that run are interrupted is known when they are seen
    const isSeen = statuses?.some((status) => status === 'interrupted' || status === 'running');
    const found = await this.#store.list({
      onDamage: (damage) => this.#warn(toReport(damage)),
      ...query,
      ...(statuses === undefined
        ? {}
        : {
            statuses: isSeen === true ? [...new Set([...statuses, 'running' as const])] : statuses,
          }),
      ...(limit === undefined || isSeen === true ? {} : { limit }),
    });
    return found
      .map((each) => ({ ...each, status: statusNow(each.status, this.#claims.isHeld(each)) }))
      .filter(({ status }) => statuses === undefined || statuses.includes(status))
      .slice(0, limit);
  }

  /** A run whose process is gone says `running` in the store and is not. */
  statusOf(found: RunSummary): StandingStatus {
    return statusNow(found.status, this.#claims.isHeld(found));
  }

  /** Leaves every run resumable where it is. */
  async close(): Promise<void> {
    this.#named.close();
    const legs = [...this.#legs.values()];
    for (const leg of legs) leg.stop();
    const results = await Promise.allSettled(legs.map((leg) => leg.result()));
    // a leg that ends in a defect keeps nothing else open
    for (const result of results)
      if (result.status === 'rejected') this.#warn(toReport(result.reason));
    await this.#options.effects.close();
    await this.#store.close();
  }

  /** Made once, however often the store has to be asked. */
  async #create(fresh: NewRun): Promise<Claim> {
    const { onOutage = 'halt' } = this.#options;
    const created = await withPatience(() => this.#store.create(fresh), {
      clock: this.#clock,
      onOutage: () => onOutage,
    });
    this.#claims.keep(created.claim);
    return created.claim;
  }

  /** A leg that does not come about leaves its run as free as it was. */
  async #claimedFor(claim: Claim, makeLeg: () => Promise<Leg>): Promise<Leg> {
    try {
      return await makeLeg();
    } catch (refusal) {
      await this.#unlessStoreFails(() => this.#claims.release(claim));
      throw refusal;
    }
  }

  /** `sent` is the signal by which the answer was sent before, to a process that did not hear it. */
  async #resume(run: string, options: ResumeOptions, sent?: number): Promise<RunHandle> {
    refuseEnded(await this.#store.summary(run), options);
    const claim = await this.#claims.take(run);
    return this.#claimedFor(claim, async () => {
      const recovered = await recover(this.#store, run);
      const { state } = recovered;
      refuseEnded(state, options);
      const nowMs = Math.max(this.#clock.now(), state.nowMs);
      const plan = this.#planTexts.without(options.plan);
      const bound = options.plan === undefined ? {} : { bound: boundOf(options.plan) };
      const { leftRunning } = options.effects ?? this.#options.effects;
      const how = { ...bound, ...this.#withoutSecrets(options), plan };
      const events = goOn(state, how, nowMs, leftRunning);
      // what is stored has no secrets in it, and what runs needs them
      if (options.plan === undefined) refuseWithheld(state);
      else state.plan = options.plan;
      await refuseLacking(state, (options.effects ?? this.#options.effects).lacks);
      const open = openGates(state);
      const firstSeq = state.seq - events.length + 1;
      const { leg, said } = await this.#carryOn(recovered, claim, options, firstSeq);
      leg.loop.begin(events, nowMs, () => {
        deliver(leg.loop, said, sent);
        leg.answerOpen(open);
      });
      return leg;
    });
  }

  async #cancelHere(
    run: string,
    by: string,
    options: Pick<RunOptions, 'onEvent'>,
  ): Promise<RunHandle> {
    const claim = await this.#claims.take(run);
    return this.#claimedFor(claim, async () => {
      const recovered = await recover(this.#store, run);
      const { state } = recovered;
      refuseEnded(state);
      const nowMs = Math.max(this.#clock.now(), state.nowMs);
      const end: EventBody = { type: 'run:cancelled', by };
      const events = record(state, [...abandonedEffects(state), end], nowMs);
      const firstSeq = state.seq - events.length + 1;
      const { leg, said } = await this.#carryOn(recovered, claim, options, firstSeq);
      const last = said.at(-1);
      // nobody will hear them any more
      if (last !== undefined) leg.loop.takeSignalsThrough(last.number);
      leg.loop.begin(events, nowMs);
      return leg;
    });
  }

  /** What people type may hold a key as well as anything else. */
  #withoutSecrets({ input, answer, ...rest }: ResumeOptions): ResumeOptions {
    return {
      ...rest,
      ...(input === undefined ? {} : { input: withoutValues(input, this.#redactor) }),
      ...(answer === undefined ? {} : { answer: withoutValues(answer, this.#redactor) }),
    };
  }

  async #carryOn(
    { state, checkpointSeq }: Pick<Recovered, 'state' | 'checkpointSeq'>,
    claim: Claim,
    options: RunOptions,
    firstSeq: number,
  ): Promise<{ readonly leg: Leg; readonly said: readonly StoredSignal[] }> {
    const said = this.#watch === undefined ? [] : await this.#store.signals(state.run);
    const { onOutage = 'halt' } = this.#options;
    const effects = options.effects ?? this.#options.effects;
    const clock = this.#clock;
    const log = new LogWriter({
      state,
      claim,
      store: this.#store,
      clock,
      // whoever stops a run does not wait for a store that may never be back
      onOutage: () => (loop.isStopping ? 'halt' : onOutage),
    });
    const loop: RunLoop = new RunLoop({
      state,
      log,
      effects,
      breakers: this.#breakers,
      clock,
      alarm: this.#alarm,
      nextTurn,
      redactor: this.#redactor,
      ...(effects.leftRunning === undefined ? {} : { leftRunning: effects.leftRunning }),
      inlineMs: options.wait === true ? Infinity : INLINE_CEILING_MS,
      toldThrough: firstSeq - 1,
      onEvent: (event) => leg.tell(event),
      onProgress: options.onProgress ?? unheard,
      onInternal: this.#onInternal,
      onWarning: this.#onWarning,
    });
    const leg = new Leg({
      loop,
      options,
      firstSeq,
      read: (fromSeq) => this.#store.read(state.run, fromSeq),
      onRest: (rest) => this.#rested(claim, { rest, state, checkpointSeq }),
      onEvent: this.#options.onEvent,
    });
    this.#legs.set(state.run, leg);
    this.#stopped.delete(state.run);
    this.#watch?.add(loop, claim);
    return { leg, said };
  }

  #warn(error: ErrorReport): void {
    const { onWarning } = this.#options;
    if (onWarning === undefined) process.emitWarning(error.message, { code: 'ERRAND' });
    else onWarning(error);
  }

  async #rested(claim: Claim, resting: Resting): Promise<void> {
    this.#watch?.remove(claim.run);
    this.#legs.delete(claim.run);
    if (resting.rest.type === 'stopped') this.#stopped.add(claim.run);
    if (this.#deservesCheckpoint(resting))
      await this.#unlessStoreFails(() => keepCheckpoint(this.#store, claim));
    const isTold = resting.rest.type === 'store';
    // the claim ends with this process or with its lease, whichever comes first
    await this.#unlessStoreFails(() => this.#claims.release(claim), isTold);
  }

  /** Someone may go on with it, and would have much to read. */
  #deservesCheckpoint({ rest, state, checkpointSeq }: Resting): boolean {
    const { checkpointEvents = CHECKPOINT_EVENTS } = this.#options;
    const isWhole = rest.type !== 'store' && rest.type !== 'defect';
    const isOver = state.status === 'completed' || state.status === 'cancelled';
    return isWhole && !isOver && state.seq - checkpointSeq >= checkpointEvents;
  }

  /** For what a run at rest can do without. `isTold`: that the store fails is its result already. */
  async #unlessStoreFails(write: () => Promise<void>, isTold = false): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!isKind(thrown, 'store.*')) throw thrown;
      if (!isTold) this.#warn(toReport(thrown));
    }
  }
}
