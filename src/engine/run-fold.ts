/**
 * A run folded from its log, event by event: the view that people see, and the state that says what can
 * be done with it. Events that are added later continue from there.
 */
import { needsOf, type RunNeeds } from '../history/attention.ts';
import { openQuestions, type OpenQuestion } from '../history/open-questions.ts';
import { reduceView } from '../history/run-view.ts';
import { eventForPerson } from '../history/run-view/event-for-person.ts';
import type { RunView } from '../history/run-view/view.ts';
import { evolve } from '../machine/evolve/evolve.ts';
import { changesSince } from '../machine/policy/drift.ts';
import {
  namedUnknownOutcomes,
  type NamedUnknownOutcome,
} from '../machine/policy/unknown-outcome.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { newRunState, type RunState } from '../machine/state/state.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { RunDrift } from './run-drift.ts';
import { newView } from './run-view.ts';

export class RunFold {
  readonly #state: RunState;
  /** The questions as they were asked. */
  readonly #asked: RunEvent[] = [];
  #view: RunView;

  constructor(record: RunRecord) {
    // written by a backend, and the store verifies the checksum of its row
    this.#state = newRunState(record.run, JSON.parse(record.plan) as WorkflowPlan);
    this.#view = newView(record);
  }

  get view(): RunView {
    return this.#view;
  }

  /** The plan that the run has now. */
  get plan(): WorkflowPlan {
    return this.#state.plan;
  }

  add(event: RunEvent): void {
    evolve(this.#state, event, Date.parse(event.at));
    this.#view = reduceView(this.#view, eventForPerson(event));
    if (event.type === 'gate:opened') this.#asked.push(event);
  }

  /** What the run waits for, also while the rest of it still runs. */
  needs(): RunNeeds {
    return needsOf(this.#state);
  }

  questions(): readonly OpenQuestion[] {
    return openQuestions(this.#state, this.#asked);
  }

  /** Effects that may have happened. */
  inDoubt(): readonly NamedUnknownOutcome[] {
    return namedUnknownOutcomes(this.#state);
  }

  /** What a resume with this plan would find changed. */
  drift(plan: WorkflowPlan): RunDrift {
    const changed = changesSince(this.#state, plan);
    return { changed, needsAccept: changed.some(({ isFinished }) => isFinished) };
  }
}
