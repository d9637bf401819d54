/** A plan as it is stored: one text for all its runs, without what a file took from the environment. */
import type { Redactor } from '../errors/redact.ts';
import type { WorkflowPlan } from '../workflow/model.ts';

interface StoredPlan {
  readonly text: string;
  readonly plan: WorkflowPlan;
}

export class PlanTexts {
  readonly #redactor: Redactor;
  readonly #known = new WeakMap<WorkflowPlan, StoredPlan>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  of(plan: WorkflowPlan): string {
    return this.#stored(plan).text;
  }

  /** The same object where there is nothing to leave out. */
  without(plan: WorkflowPlan | undefined): WorkflowPlan | undefined {
    return plan === undefined ? undefined : this.#stored(plan).plan;
  }

  #stored(plan: WorkflowPlan): StoredPlan {
    const known = this.#known.get(plan);
    if (known !== undefined) return known;
    const whole = JSON.stringify(plan);
    const text = this.#redactor.values(whole);
    // values are taken out inside of strings, so it is still the JSON of a plan
    const stored = { text, plan: text === whole ? plan : (JSON.parse(text) as WorkflowPlan) };
    this.#known.set(plan, stored);
    return stored;
  }
}
