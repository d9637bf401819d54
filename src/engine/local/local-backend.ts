/** Starts, resumes, answers, cancels and lists runs that this machine executes, over any store. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { createRedactor, tellingRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { forOpenGate, type Answer } from '../../machine/gates/gate-answer.ts';
import { type RunState } from '../../machine/state/state.ts';
import type {
  ListQuery,
  RunStore,
  RunSummary,
  RunStatusName,
  StoredCommit,
} from '../../machine/ports/store-port.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { MACHINE_CLOCK, type EffectClock } from '../../effects/clock.ts';
import { warnProcess } from '../process-warning.ts';
import { Claims } from './run-claims.ts';
import { MessageDelivery } from './message-delivery.ts';
import { refuseEnded } from '../run/resume.ts';
import type {
  Backend,
  BackendResumeOptions,
  BackendStartOptions,
  CancelOptions,
  RunHandle,
  RunSharing,
} from '../backend.ts';
import type { LocalOptions } from './local-options.ts';
import { LocalArchive } from './local-archive.ts';
import { LocalSharing } from './local-sharing.ts';
import { refuseMissing } from '../run/run-requirements.ts';
import { newOwner } from './claim-owner.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import { LegBeginnings } from './legs/leg-beginnings.ts';
import { StoredPlans } from './stored-plan.ts';
import { foldRun, recover } from '../run/recover.ts';
import { answerMessage, refuseClosedGate, refuseUnlessAccepted } from './run-messages.ts';
import { currentStatus } from '../run/run-status.ts';
import { listRuns } from './list-local-runs.ts';
import { NamedStarts } from './named-starts.ts';
import { OpenLegs } from './legs/open-legs.ts';
import { begun } from './run-handle.ts';
import { cancelsLater } from './stored-run-handle.ts';

export class LocalBackend implements Backend {
  readonly store: RunStore;
  readonly archive: LocalArchive;
  readonly sharing: RunSharing;
  readonly plans: StoredPlans;
  readonly #options: LocalOptions;
  readonly #clock: EffectClock;
  readonly #redactor: Redactor;
  readonly #claims: Claims;
  readonly #delivery: MessageDelivery;
  readonly #legs: OpenLegs;
  readonly #named: NamedStarts;
  readonly #beginnings: LegBeginnings;
  readonly #warn: (error: ErrorReport) => void;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#warn = options.onWarning ?? warnProcess;
    this.store = options.store;
    this.#clock = options.clock ?? MACHINE_CLOCK;
    this.#redactor = tellingRedactor(createRedactor(options.secrets), options.onSecret);
    this.plans = new StoredPlans(this.#redactor);
    const owner = newOwner(options.newId?.());
    this.#claims = new Claims(this.store, this.#clock, owner);
    this.archive = new LocalArchive(this.store, owner);
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
      id: owner.id,
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
    this.#beginnings = new LegBeginnings({
      options,
      owner,
      clock: this.#clock,
      redactor: this.#redactor,
      plans: this.plans,
      claims: this.#claims,
      legs: this.#legs,
      attach: (run) => this.#named.attach(run),
    });
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
    if (options.id === undefined) return this.#beginnings.start(plan, input, options);
    const { request } = options;
    const asked = { workflow: plan.name, input, ...(request === undefined ? {} : { request }) };
    return this.#named.start(options.id, asked, (id) =>
      this.#beginnings.start(plan, input, { ...options, id }),
    );
  }

  resume(run: string, options: BackendResumeOptions = {}): Promise<RunHandle> {
    return this.#beginnings.resume(run, options);
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
    const { known } = options;
    // for one leg, which changes it: a second try reads the log again
    const read = (here?.loop ?? known) ? [] : [await recover(this.store, run)];
    const seen =
      here?.loop?.state ?? read[0]?.state ?? foldRun(await this.store.get(run), known ?? []);
    const answer = await this.#forOpenGate(seen, typed, options);
    // its leg is just ending; it is resumed with the answer after that
    await here?.result();
    return this.#delivery.deliverOrRun(run, {
      runHere: async (sent) => {
        const resumed = { by: answer.by, ...options, answer };
        return begun(await this.#beginnings.resume(run, resumed, sent, read.pop()));
      },
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
        return this.#beginnings.cancel(run, { by, ...why }, options);
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
}
