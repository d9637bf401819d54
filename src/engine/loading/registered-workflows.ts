/**
 * The workflows in code that an Errand knows: those that its host registers, by name, and those that
 * its own runs were started with, by run. A function has no fingerprint, so a run is resumed here
 * with exactly what it was started with.
 */
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { RunnableWorkflow } from '../errand-options.ts';
import { checkedWorkflow } from './checked-input.ts';

export class RegisteredWorkflows {
  readonly #planOf: (run: string) => Promise<WorkflowPlan>;
  readonly #byName = new Map<string, RunnableWorkflow[]>();
  readonly #byRun = new Map<string, RunnableWorkflow>();

  /**
   * `planOf` gives the plan of the run's latest leg. Throws `validation.input` for what is no workflow.
   */
  constructor(
    workflows: readonly RunnableWorkflow[],
    planOf: (run: string) => Promise<WorkflowPlan>,
  ) {
    this.#planOf = planOf;
    for (const workflow of workflows) {
      const { name } = checkedWorkflow(workflow).plan;
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), workflow]);
    }
  }

  /** Kept until `forget`: a paused run may be answered in a moment, or in a week. */
  remember(run: string, workflow: RunnableWorkflow): void {
    this.#byRun.set(run, workflow);
  }

  forget(run: string): void {
    this.#byRun.delete(run);
  }

  /** The version that the run has, else the one that was registered last under its name. */
  async find(run: string, name: string): Promise<RunnableWorkflow | undefined> {
    const known = this.#byRun.get(run);
    const versions = this.#byName.get(name) ?? [];
    if (known !== undefined || versions.length < 2) return known ?? versions[0];
    const wanted = fingerprints(await this.#planOf(run));
    return versions.findLast(({ plan }) => fingerprints(plan) === wanted) ?? versions.at(-1);
  }
}

/** Fingerprints of everything that the workflow is made of. */
function fingerprints({ fingerprint, children }: WorkflowPlan): string {
  const below = Object.entries(children).map(([file, child]) => `${file} ${child.fingerprint}`);
  return [fingerprint, ...below.toSorted()].join('\n');
}
