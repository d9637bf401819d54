/**
 * One execution of Temporal that carries a run on: leg after leg, until the run ends or its history
 * has grown long. The legs are those of the local driver, with timers, activities and a log that
 * Temporal keeps.
 */
import {
  CancelledFailure,
  condition,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import type { JsonValue } from '../../errors/json.ts';
import { createRedactor } from '../../errors/redact.ts';
import type { Answer } from '../../machine/answers.ts';
import type { EventBody } from '../../machine/events.ts';
import { packState, unpackState } from '../../machine/snapshot.ts';
import { newRunState, type RunState } from '../../machine/state.ts';
import { record } from '../../machine/step.ts';
import { INLINE_CEILING_MS } from '../../workflow/limits.ts';
import { extensionModules } from '../../workflow/model.ts';
import { goOn, openGates, type GoingOn } from '../going-on.ts';
import { PreparedAnswers } from '../prepared-answers.ts';
import { abandonedEffects } from '../recover.ts';
import { RunLoop, type Rest } from '../run-loop.ts';
import { ActivityEffects } from './activity-effects.ts';
import type { Begin, LegSettings, RunInput } from './messages.ts';
import { jsonBytes } from './payload-size.ts';
import { alreadyActive, runFailed } from './refusals.ts';
import { WorkflowAlarm } from './workflow-alarm.ts';
import { WorkflowLog } from './workflow-log.ts';

/** Beyond these Temporal ends an execution by force; the run leaves well before. */
const MUST_LEAVE_EVENTS = 25_000;
const MUST_LEAVE_BYTES = 25_000_000;
/** What compresses into one payload; a larger state stays where it is. */
const MAX_SNAPSHOT_BYTES = 8_000_000;

interface NextLeg {
  readonly begin: Exclude<Begin, { type: 'start' | 'continue' }>;
  readonly leg: LegSettings;
}

export class RunExecution {
  readonly state: RunState;
  readonly log: WorkflowLog;
  readonly #input: RunInput;
  readonly #effects: ActivityEffects;
  readonly #alarm = new WorkflowAlarm();
  #leg: LegSettings;
  #answers: PreparedAnswers;
  #loop: RunLoop | undefined;
  #next: NextLeg | undefined;
  #isHolding = false;

  constructor(input: RunInput) {
    const { identity, snapshot, settings } = input;
    this.#input = input;
    this.state =
      snapshot === undefined ? newRunState(identity.run, identity.plan) : unpackState(snapshot);
    this.log = new WorkflowLog(this.state, input);
    this.#leg = input.leg;
    this.#answers = new PreparedAnswers(input.leg.answers, input.leg.answersUsed);
    this.#effects = new ActivityEffects({
      run: identity.run,
      file: identity.plan.file,
      extensions: () => extensionModules(this.state.plan),
      heartbeatMs: settings.heartbeatMs,
      mustHold: (underWay) => this.#mustHold(underWay),
    });
  }

  /** To the end of the run; throws what the run failed with. */
  async carryOn(): Promise<JsonValue> {
    let begin = this.#input.begin;
    for (;;) {
      const rest = await this.#runLeg(begin);
      if (rest === 'leaving') return this.#continueAsNew({ type: 'continue' });
      if (rest.type === 'defect') throw rest.thrown;
      if (rest.type !== 'paused') return this.#end();
      if (this.#isLong() && this.#next === undefined && this.#canLeave())
        return this.#continueAsNew({ type: 'continue' });
      begin = await this.#nextBegin();
    }
  }

  /** Throws what speaks against it, and changes nothing. */
  resume(how: GoingOn, leg: LegSettings): void {
    if (this.state.status !== 'paused' || this.#next !== undefined)
      throw alreadyActive(this.state.run);
    this.#next = { begin: { type: 'resume', how }, leg };
  }

  /** To a run that is under way at once; one that is paused goes on with it. */
  answer(answer: Answer, how: GoingOn, leg: LegSettings): void {
    if (this.state.status === 'paused') return this.resume({ ...how, answer }, leg);
    this.#loop?.takeAnswer(answer, Date.now());
  }

  cancel(by: string): void {
    if (this.state.status === 'running') this.#loop?.cancel(by);
    else this.#next = { begin: { type: 'cancel', by }, leg: {} };
  }

  async #runLeg(begin: Begin): Promise<Rest | 'leaving'> {
    const { state, log } = this;
    const loop = new RunLoop({
      state,
      log,
      effects: this.#effects,
      breakers: this.#effects,
      clock: { now: () => Date.now() },
      alarm: this.#alarm,
      nextTurn: () => Promise.resolve(),
      redactor: createRedactor(),
      inlineMs: this.#leg.wait === true ? Infinity : INLINE_CEILING_MS,
      toldThrough: state.seq,
      onEvent: (event) => {
        if (event.type === 'gate:opened') this.#answerGate(loop, event.gate, event.node);
      },
      onProgress: () => undefined,
      onInternal: () => undefined,
      onWarning: () => undefined,
    });
    this.#loop = loop;
    this.#begin(loop, begin);
    let rest: Rest | undefined;
    void loop.rested.then((rested) => (rest = rested));
    await condition(() => rest !== undefined || this.#isReadyToLeave(loop));
    return rest ?? 'leaving';
  }

  #begin(loop: RunLoop, begin: Begin): void {
    const { state } = this;
    const nowMs = Math.max(Date.now(), state.nowMs);
    switch (begin.type) {
      case 'start': {
        const { workflow, input } = this.#input.identity;
        const gates = begin.gates === false ? { gates: false } : {};
        return loop.take({ type: 'run:started', workflow, input, ...gates });
      }
      case 'resume': {
        const events = goOn(state, begin.how, nowMs);
        const open = openGates(state);
        return loop.begin(events, nowMs, () => {
          for (const { gate, node } of open) this.#answerGate(loop, gate, node);
        });
      }
      case 'cancel': {
        const end: EventBody = { type: 'run:cancelled', by: begin.by };
        return loop.begin(record(state, [...abandonedEffects(state), end], nowMs), nowMs);
      }
      case 'continue':
        return loop.take();
    }
  }

  #answerGate(loop: RunLoop, gate: string, node: string): void {
    const answered = this.#answers.eventFor(this.state, gate, node);
    if (answered !== undefined) loop.take(answered);
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
    return next?.begin ?? { type: 'resume', how: { by: 'timer' } };
  }

  #isLong(): boolean {
    const { maxHistoryEvents } = this.#input.settings;
    const { historyLength, continueAsNewSuggested } = workflowInfo();
    return maxHistoryEvents === undefined
      ? continueAsNewSuggested
      : historyLength >= maxHistoryEvents;
  }

  /** An activity does not outlive its execution, so the run leaves when none is under way. */
  #mustHold(underWay: number): boolean {
    if (this.#isHolding) return true;
    if (!this.#isLong()) return false;
    const { historyLength, historySize } = workflowInfo();
    const isOverdue = historyLength > MUST_LEAVE_EVENTS || historySize > MUST_LEAVE_BYTES;
    this.#isHolding = (underWay === 0 || isOverdue) && this.#canLeave();
    return this.#isHolding;
  }

  #canLeave(): boolean {
    return jsonBytes(packState(this.state)) <= MAX_SNAPSHOT_BYTES;
  }

  #isReadyToLeave(loop: RunLoop): boolean {
    return (
      this.#isHolding &&
      this.#effects.underWay === 0 &&
      loop.isSettled &&
      this.state.status === 'running' &&
      this.state.cancelledBy === undefined
    );
  }

  #continueAsNew(begin: Begin): Promise<never> {
    const { snapshot: _snapshot, ...input } = this.#input;
    const { answers } = this.#leg;
    const { memo, searchAttributes } = workflowInfo();
    const leave = makeContinueAsNewFunc<[RunInput]>({
      // the next execution would begin with those of the first
      ...(memo === undefined ? {} : { memo }),
      searchAttributes,
    });
    return leave({
      ...input,
      begin,
      leg: {
        ...this.#leg,
        ...(answers === undefined ? {} : { answersUsed: this.#answers.used }),
      },
      snapshot: packState(this.state),
      before: { execution: workflowInfo().runId, nextSeq: this.state.seq + 1 },
    });
  }

  #end(): JsonValue {
    const { status, output, error } = this.state;
    if (status === 'cancelled') throw new CancelledFailure('The run was cancelled');
    if (status === 'failed' && error !== undefined) throw runFailed(error, output);
    return output ?? null;
  }
}
