/** Takes secrets out of what leaves this machine for a Temporal server, which shows it to everyone with access. */
import { withoutValues } from '../../../errors/report/without-values.ts';
import { createRedactor, type Redactor } from '../../../errors/redaction/redact.ts';
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';
import type { Environment } from '../../../workflow/yaml/file-port.ts';
import { missingSecrets, placeIn } from '../../missing-secrets.ts';
import { sealedPlan } from './seal-plan.ts';

/** For a worker to fill in; the default is in the file for everyone to read. */
const WITH_DEFAULT = /\$\{[A-Z_][A-Z0-9_]*:-[^}]*\}/g;

export class RedactedPayloads {
  readonly #redactor: Redactor;
  readonly #environment: Environment;

  constructor(secrets: readonly string[], environment: Environment) {
    this.#redactor = createRedactor(secrets);
    this.#environment = environment;
  }

  learn(secrets: readonly string[]): void {
    for (const secret of secrets) this.#redactor.learn?.(secret);
  }

  /** The same object where there is nothing to leave out. */
  without<T extends object>(value: T): T {
    return withoutValues(value, this.#redactor);
  }

  /**
   * The plan with marks for its secrets, if the run has a seal. Throws for a secret that has no variable,
   * or that stands where no worker fills it in.
   */
  sealed(plan: WorkflowPlan, seal: string | undefined): WorkflowPlan {
    const sealed = seal === undefined ? plan : sealedPlan(plan, seal, this.#environment);
    const clean = withoutValues(sealed, {
      ...this.#redactor,
      values: (text) => this.#inPlan(text),
    });
    if (clean === sealed) return sealed;
    const [place = ''] = missingSecrets(sealed, clean).map((pointer) => placeIn(sealed, pointer));
    throw new ErrandError({
      kind: 'validation.node_config',
      message: `${plan.name} contains the value of a secret in ${place}, which Temporal would store and show`,
      details: { workflow: plan.name, place },
      action: {
        kind: 'fix_file',
        detail:
          'Give the secret as a whole by a variable, as `${NAME}` in quotes: workers fill it in from their own environment.',
      },
    });
  }

  #inPlan(text: string): string {
    const rest = text.replace(WITH_DEFAULT, '');
    return this.#redactor.values(rest) === rest ? text : this.#redactor.values(text);
  }
}
