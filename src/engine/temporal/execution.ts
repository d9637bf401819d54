/**
 * Executes a run in one Temporal workflow execution: leg after leg, until the run ends or the history
 * has grown long. The legs are those of the local backend, with timers, activities and a log that
 * Temporal keeps.
 */
import {
  CancelledFailure,
  condition,
  makeContinueAsNewFunc,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { buildReport } from '../../errors/report/build.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { createRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import { failRun } from '../../machine/decide/end-run.ts';
import type { EventBody } from '../../machine/state/events.ts';
import { packState, unpackState } from '../../machine/state/snapshot.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import { recordEvents } from '../../machine/decide/step.ts';
import { legFacts } from '../../history/trace-facts.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import { hashText } from '../../workflow/plan/stable-hash.ts';
import { INLINE_CEILING_MS } from '../../workflow/plan/plan-limits.ts';
import { extensionModules } from '../../workflow/plan/plan.ts';
import { applyResume, openGates, type ResumeRequest } from '../run/resume.ts';
import { PreparedAnswers } from '../run/prepared-answers.ts';
import { abandonedEffects, neverStartedEffects } from '../run/recover.ts';
import { RunLoop, type LegEnd } from '../run/run-loop.ts';
import { ActivityEffects } from './activity-effects.ts';
import {
  askForContext,
  causeOf,
  LegMessages,
  TIMER,
  type LegMessage,
} from './legs/leg-messages.ts';
import { OUTPUT_IN_LOG, type Begin, type LegSettings, type RunInput } from './messages.ts';
import { isShowable, tooLargeState, withSnapshot } from './sizes/payload-size.ts';
import { HistoryRoom } from './sizes/history-room.ts';
import { marksIn, type SecretReferences } from './secrets/secret-marks.ts';
import { alreadyActive, runFailed } from './refusals.ts';
import { WorkflowTimer } from './workflow-timer.ts';
import { WorkflowLog } from './workflow-log.ts';

/** In the history of an execution where a cancellation found a leg that was about to begin. */
const ANSWER_FIRST = 'errand-answer-before-cancel';

interface NextLeg {
  readonly begin: Exclude<Begin, { type: 'start' | 'continue' }>;
  readonly leg: LegSettings;
}

export class RunExecution {
  readonly state: RunState;
  readonly log: WorkflowLog;
  readonly #messages: LegMessages;
  readonly #input: RunInput;
  readonly #effects: ActivityEffects;
  readonly #room: HistoryRoom;
  readonly #timer = new WorkflowTimer();
  /** Knows the marks for secrets; a secret gets here in no other form. */
  readonly #redactor: Redactor;
  #leg: LegSettings;
  #answers: PreparedAnswers;
  #loop: RunLoop | undefined;
  #next: NextLeg | undefined;
  #trace: TraceCarrier | undefined;
  #begun: LegSettings['begun'];
  /** A worker is asked for the context of the leg that is about to begin. */
  #isOpening = false;
  /** Cancelled meanwhile. */
  #cancelledBy: string | undefined;

  /** The snapshot is the input's, or was too large for it. */
  constructor(input: RunInput, snapshot = input.snapshot) {
    const { identity, settings } = input;
    this.#room = new HistoryRoom({
      maxEvents: settings.maxHistoryEvents,
      hasReadLog: snapshot !== input.snapshot,
      ownEvents: () => this.log.length,
      state: () => this.state,
    });
    this.#input = input;
    this.state =
      snapshot === undefined ? newRunState(identity.run, identity.plan) : unpackState(snapshot);
    this.#redactor = createRedactor(marksIn(this.state.plan));
    this.state.redactor = this.#redactor;
    this.log = new WorkflowLog(this.state, input);
    this.#messages = new LegMessages(this.state);
    this.#leg = input.leg;
    this.#answers = new PreparedAnswers(input.leg.answers, input.leg.answersUsed);
    this.#effects = new ActivityEffects({
      run: identity.run,
      file: identity.plan.file,
      extensions: () => extensionModules(this.state.plan),
      secrets: () => this.#secrets(),
      heartbeatMs: settings.heartbeatMs,
      trace: () => this.#trace,
      mustHold: (running) => this.#room.mustHold(running),
    });
  }

  /** Whether a leg is about to begin that can take no answer yet: messages come before the first line of a run. */
  get isOpening(): boolean {
    const rests = this.#input.begin.type === 'continue' && this.state.status === 'paused';
    return this.#isOpening || (this.#loop === undefined && !rests);
  }

  /** Runs to the end of the run; throws what the run failed with. */
  async run(): Promise<JsonValue> {
    let begin = this.#input.begin;
    for (;;) {
      const end = await this.#runLeg(begin);
      if (end === 'leaving') return this.#leave();
      if (end.type === 'defect') throw end.thrown;
      if (end.type !== 'paused') return this.#end();
      if (this.#room.isLong && this.#next === undefined && this.#room.canLeave())
        return this.#continueAsNew();
      begin = await this.#nextBegin();
    }
  }

  /** Throws when it is refused, and changes nothing. */
  resume(how: ResumeRequest, leg: LegSettings): void {
    if (this.state.status !== 'paused' || this.#next !== undefined || this.#isOpening)
      throw alreadyActive(this.state.run);
    this.#next = { begin: { type: 'resume', how }, leg };
  }

  /** Answers a running run at once; resumes a paused one with the answer. */
  answer(answer: Answer, how: ResumeRequest, leg: LegSettings): void {
    if (this.state.status === 'paused') return this.resume({ ...how, answer }, leg);
    this.#loop?.enqueueAnswer(answer, { nowMs: Date.now() });
  }

  cancel(by: string): void {
    if (this.#isOpening) this.#cancelledBy = by;
    else if (this.state.status === 'running') this.#loop?.cancel(by);
    // an answer that was taken is recorded first
    else if (this.#next !== undefined && patched(ANSWER_FIRST)) this.#cancelledBy = by;
    else this.#next = { begin: { type: 'cancel', by }, leg: {} };
  }

  async #runLeg(begin: Begin): Promise<LegEnd | 'leaving'> {
    const { state } = this;
    const log = this.#watchedLog();
    const loop = new RunLoop({
      state,
      log,
      effects: this.#effects,
      breakers: this.#effects,
      clock: { now: () => Date.now() },
      timer: this.#timer,
      nextTurn: () => Promise.resolve(),
      redactor: this.#redactor,
      inlineMs: this.#leg.wait === true ? Infinity : INLINE_CEILING_MS,
      storedThrough: state.seq,
      onEvent: (event) => {
        if (event.type === 'gate:opened') this.#answerGate(loop, event.gate, event.node);
      },
      onProgress: () => undefined,
      onInternal: () => undefined,
      onWarning: () => undefined,
    });
    this.#loop = loop;
    const opening = this.#openLeg(begin);
    const traceparent = opening instanceof Promise ? await opening : opening;
    this.#isOpening = false;
    this.#begin(loop, begin, traceparent);
    if (this.#cancelledBy !== undefined) loop.cancel(this.#cancelledBy);
    let end: LegEnd | undefined;
    void loop.ended.then((ended) => (end = ended));
    await condition(() => end !== undefined || this.#isReadyToLeave(loop));
    return end ?? 'leaving';
  }

  /** Says what is stored, after it is stored. */
  #watchedLog(): Pick<WorkflowLog, 'write' | 'takeOutages'> {
    const { log } = this;
    return {
      write: async (bodies, nowMs) => {
        const events = await log.write(bodies, nowMs);
        this.#messages.note(events);
        return events;
      },
      takeOutages: () => log.takeOutages(),
    };
  }

  /**
   * Opens the leg at the worker. Waits for its context only where the client traces: an execution must
   * answer from its first moment on.
   */
  #openLeg(begin: Begin): Promise<string | undefined> | string | undefined {
    const { trace } = this.#leg;
    this.#trace = trace;
    const nowMs = Math.max(Date.now(), this.state.nowMs);
    if (begin.type === 'cancel') return undefined;
    if (begin.type === 'continue') {
      this.#begun = this.#leg.begun ?? { startMs: nowMs, cause: undefined };
      this.#messages.continue(trace, this.#begun);
      return undefined;
    }
    const cause = causeOf(begin);
    this.#begun = { startMs: nowMs, cause };
    const isAsked = begin.type === 'start' || begin.how.by !== TIMER;
    const leg = { ...legFacts(this.state, nowMs), cause, carrier: isAsked ? trace : null };
    if (this.#input.settings.isTraced === true) {
      this.#isOpening = true;
      return askForContext(leg).then((traceparent) => this.#opened(leg, traceparent));
    }
    return this.#opened(leg, undefined);
  }

  #opened(leg: LegMessage, context: string | undefined): string | undefined {
    this.#messages.begin(leg);
    const { trace } = this.#leg;
    const traceparent = context ?? trace?.traceparent;
    if (traceparent !== undefined) this.#trace = { ...trace, traceparent };
    return traceparent;
  }

  #begin(loop: RunLoop, begin: Begin, traceparent: string | undefined): void {
    const { state } = this;
    const nowMs = Math.max(Date.now(), state.nowMs);
    switch (begin.type) {
      case 'start': {
        const { workflow, input } = this.#input.identity;
        const gates = begin.gates === false ? { gates: false } : {};
        const bound = begin.bound === undefined ? {} : { bound: begin.bound };
        const trace = traceparent === undefined ? {} : { traceparent };
        return loop.enqueue({ type: 'run:started', workflow, input, ...gates, ...bound, ...trace });
      }
      case 'resume': {
        const how = traceparent === undefined ? begin.how : { ...begin.how, traceparent };
        if (how.plan !== undefined)
          for (const mark of marksIn(how.plan)) this.#redactor.learn?.(mark);
        const events = applyResume(state, how, nowMs);
        this.#messages.reopen();
        const open = openGates(state);
        return loop.startWith(events, nowMs, () => {
          for (const { gate, node } of open) this.#answerGate(loop, gate, node);
        });
      }
      case 'cancel': {
        const end: EventBody = { type: 'run:cancelled', by: begin.by };
        return loop.startWith(recordEvents(state, [...abandonedEffects(state), end], nowMs), nowMs);
      }
      case 'continue':
        return loop.wake();
    }
  }

  #secrets(): SecretReferences | undefined {
    const { seal } = this.#input.identity;
    const { secretVariables: variables } = this.state.plan;
    return seal === undefined || variables === undefined ? undefined : { seal, variables };
  }

  #answerGate(loop: RunLoop, gate: string, node: string): void {
    const answered = this.#answers.eventFor(this.state, gate, node);
    if (answered !== undefined) loop.enqueue(answered);
  }

  /** A paused run waits here, for people and for its earliest time. */
  async #nextBegin(): Promise<Begin> {
    const { waiting } = this.state;
    const times = (waiting?.all ?? []).flatMap(({ until }) =>
      until === undefined ? [] : [Date.parse(until)],
    );
    const isCalled = (): boolean => this.#next !== undefined;
    if (times.length === 0) await condition(isCalled);
    else await condition(isCalled, Math.max(1, Math.min(...times) - Date.now()));
    const next = this.#next;
    this.#next = undefined;
    this.#leg = next?.leg ?? {};
    this.#answers = new PreparedAnswers(this.#leg.answers);
    return next?.begin ?? { type: 'resume', how: { by: TIMER } };
  }

  #isReadyToLeave(loop: RunLoop): boolean {
    return (
      this.#room.isHolding &&
      this.#effects.running === 0 &&
      loop.isSettled &&
      this.state.status === 'running' &&
      this.state.cancelledBy === undefined
    );
  }

  /** Continues in a new execution, or fails the run where none could take its state. */
  async #leave(): Promise<JsonValue> {
    if (this.#room.canLeave()) return this.#continueAsNew();
    const { state } = this;
    const nowMs = Math.max(Date.now(), state.nowMs);
    const at = new Date(nowMs).toISOString();
    const draft = tooLargeState(this.#room.stateBytes());
    const id = `err_${hashText([state.run, state.seq, draft.kind].join('\u0000'))}`;
    const failed = [
      ...neverStartedEffects(state),
      ...failRun(buildReport(draft, { stamp: { id, at } })),
    ];
    await this.log.write(recordEvents(state, failed, nowMs), nowMs);
    return this.#end();
  }

  #continueAsNew(): Promise<never> {
    const { snapshot: _snapshot, ...unchanged } = this.#input;
    const { answers } = this.#leg;
    const { memo, searchAttributes } = workflowInfo();
    const leave = makeContinueAsNewFunc<[RunInput]>({
      // the next execution would begin with those of the first
      ...(memo === undefined ? {} : { memo }),
      searchAttributes,
    });
    const input: RunInput = {
      ...unchanged,
      begin: { type: 'continue' },
      leg: {
        ...this.#leg,
        ...(answers === undefined ? {} : { answersUsed: this.#answers.used }),
        ...(this.#begun === undefined ? {} : { begun: this.#begun }),
      },
      before: { execution: workflowInfo().runId, nextSeq: this.state.seq + 1 },
    };
    return leave(withSnapshot(input, packState(this.state)));
  }

  #end(): JsonValue {
    const { status, output, error } = this.state;
    if (status === 'cancelled') throw new CancelledFailure('The run was cancelled');
    const shown = output === undefined || isShowable(output) ? output : OUTPUT_IN_LOG;
    if (status === 'failed' && error !== undefined) throw runFailed(error, shown);
    return shown ?? null;
  }
}
