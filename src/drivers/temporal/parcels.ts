/** What leaves this machine for a Temporal server, which shows it to everyone who may look. */
import { ErrandError } from '../../errors/errand-error.ts';
import type { Redactor } from '../../errors/redact.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { withoutValues } from '../../errors/without-values.ts';

export class Parcels {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
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
      message: `${plan.name} holds the value of a key of this machine, and Temporal would keep and show it`,
      details: { workflow: plan.name },
      action: {
        kind: 'fix_file',
        detail:
          'Leave the variable out of the file: scripts, models and servers of a worker see its own environment.',
      },
    });
  }
}
