/**
 * Plans as they are stored: without secret values, which a file takes from the environment. Runs of
 * one plan share its text.
 */
import { createRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import { IN_PLAN, withoutValues } from '../../errors/report/without-values.ts';
import { refingerprinted } from '../../workflow/plan/fingerprint.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { planText } from '../run/plan-text.ts';
import { missingSecrets } from '../missing-secrets.ts';

interface StoredPlan {
  readonly text: string;
  readonly plan: WorkflowPlan;
}

export class StoredPlans {
  readonly #redactor: Redactor;
  readonly #known = new WeakMap<WorkflowPlan, StoredPlan>();
  readonly #compared = new WeakMap<WorkflowPlan, WorkflowPlan>();

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

  /**
   * As a run would store it, to compare it with what a run has stored. `secrets` are those of the
   * plan. They are not learned: otherwise anyone could remove a word from what runs store, by
   * having a text judged.
   */
  compared(plan: WorkflowPlan, secrets: readonly string[]): WorkflowPlan {
    const known = this.#compared.get(plan);
    if (known !== undefined) return known;
    const clean = cleaned(plan, [this.#redactor, createRedactor(secrets)]);
    this.#compared.set(plan, clean);
    return clean;
  }

  #stored(plan: WorkflowPlan): StoredPlan {
    const known = this.#known.get(plan);
    if (known !== undefined) return known;
    const clean = cleaned(plan, [this.#redactor]);
    const stored = { text: planText(clean), plan: clean };
    this.#known.set(plan, stored);
    return stored;
  }
}

function cleaned(plan: WorkflowPlan, redactors: readonly Redactor[]): WorkflowPlan {
  const without = redactors.reduce(
    (rest, redactor) => withoutValues(rest, redactor, IN_PLAN),
    plan,
  );
  return without === plan ? plan : withoutTraces(plan, without);
}

/**
 * Records which values are missing. Nodes get fingerprints without them, so that a rotated key is no
 * drift.
 */
function withoutTraces(whole: WorkflowPlan, clean: WorkflowPlan): WorkflowPlan {
  return { ...refingerprinted(whole, clean), withheld: missingSecrets(whole, clean) };
}
