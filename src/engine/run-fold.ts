/**
 * The state of a run for those who only read it: what it waits for, what its people are asked, what may
 * have happened, what has changed. It begins with what was saved of the run, so a long log is not read
 * as a whole; events that are added later continue from there.
 */
import { needsOf, type RunNeeds } from '../history/attention.ts';
import { openQuestions, type OpenQuestion } from '../history/open-questions.ts';
import { evolve } from '../machine/evolve/evolve.ts';
import { changesSince } from '../machine/policy/drift.ts';
import { waitingOf } from '../machine/policy/pause.ts';
import {
  namedUnknownOutcomes,
  type NamedUnknownOutcome,
} from '../machine/policy/unknown-outcome.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { newRunState, type RunState } from '../machine/state/state.ts';
import { namedAs } from '../workflow/plan/file-names.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { RunDrift } from './run-drift.ts';
import { planFrom } from './run/plan-text.ts';

export class RunFold {
  readonly #state: RunState;
  /** Events that opened a gate, by their numbers. */
  readonly #asked = new Map<number, RunEvent>();
  #last: RunEvent | undefined;

  /** `state`: as it was saved once; only later events are folded into it. */
  constructor(record: Pick<RunRecord, 'run' | 'plan'>, state?: RunState) {
    this.#state = state ?? newRunState(record.run, planFrom(record.plan));
  }

  /** The number of the last event in it. */
  get seq(): number {
    return this.#state.seq;
  }

  /** The last event, where it has been seen. */
  get last(): RunEvent | undefined {
    return this.#last?.seq === this.seq ? this.#last : undefined;
  }

  /** The plan that the run has now. */
  get plan(): WorkflowPlan {
    return this.#state.plan;
  }

  /** Events that it has already are taken for what they said. */
  add(event: RunEvent): void {
    if (event.seq > this.seq) evolve(this.#state, event, Date.parse(event.at));
    if (event.seq === this.seq) this.#last = event;
    if (event.type === 'gate:opened') this.#asked.set(event.seq, event);
  }

  /** Numbers of events that `questions` needs and that were not added. */
  missing(): readonly number[] {
    const openings = (waitingOf(this.#state)?.all ?? []).flatMap(({ opening }) => opening ?? []);
    return openings.filter((seq) => !this.#asked.has(seq));
  }

  /** The waits of the run, also while the rest of it still runs. */
  needs(): RunNeeds {
    return needsOf(this.#state);
  }

  questions(): readonly OpenQuestion[] {
    return openQuestions(this.#state, [...this.#asked.values()]);
  }

  /** When each question was asked, by the number of the event that opened it. */
  askedAt(): ReadonlyMap<number, string> {
    return new Map(Array.from(this.#asked, ([seq, { at }]) => [seq, at]));
  }

  /** Effects that may have happened. */
  inDoubt(): readonly NamedUnknownOutcome[] {
    return namedUnknownOutcomes(this.#state);
  }

  /** The changes that a resume with this plan would find. */
  drift(plan: WorkflowPlan): RunDrift {
    const changed = changesSince(this.#state, namedAs(this.#state.plan, plan));
    return { changed, needsAccept: changed.some(({ isFinished }) => isFinished) };
  }
}
