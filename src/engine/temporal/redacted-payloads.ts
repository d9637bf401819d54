/** Redacts what leaves this machine for a Temporal server, which shows it to everyone with access. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { withoutValues } from '../../errors/report/without-values.ts';

export class RedactedPayloads {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds the secrets of a workflow file: the values of its variables. */
  learn(secrets: readonly string[]): void {
    for (const secret of secrets) this.#redactor.learn?.(secret);
  }

  /** The same object where there is nothing to leave out. */
  without<T extends object>(value: T): T {
    return withoutValues(value, this.#redactor);
  }

  /** Throws for a plan that would carry a key along; without it, what needs it could not run. */
  check(plan: WorkflowPlan | undefined): void {
    if (plan === undefined || this.without(plan) === plan) return;
    throw new ErrandError({
      kind: 'validation.node_config',
      message: `${plan.name} contains the value of a secret of this machine, which Temporal would store and show`,
      details: { workflow: plan.name },
      action: {
        kind: 'fix_file',
        detail:
          'Remove the variable from the file: scripts, models and servers get the environment of their worker.',
      },
    });
  }
}
