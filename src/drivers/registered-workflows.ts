/**
 * The workflows in code that an Errand knows: those that its host registers, by name, and those that
 * its own runs were started with, by run. A function has no fingerprint, so a run that is here is
 * carried on by exactly what it was started with.
 */
import { recover } from './recover.ts';
import type { RunStore } from '../machine/store-port.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { givenWorkflow } from './given.ts';

export interface Registered {
  readonly plan: WorkflowPlan;
}

export class RegisteredWorkflows<W extends Registered> {
  readonly #store: RunStore;
  readonly #byName = new Map<string, W[]>();
  readonly #byRun = new Map<string, W>();

  /** Throws `validation.input` for what is no workflow. */
  constructor(store: RunStore, workflows: readonly W[]) {
    this.#store = store;
    for (const workflow of workflows) {
      const { name } = givenWorkflow(workflow).plan;
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), workflow]);
    }
  }

  /** Until `forget`: a run that rests may be answered in a moment, or in a week. */
  remember(run: string, workflow: W): void {
    this.#byRun.set(run, workflow);
  }

  forget(run: string): void {
    this.#byRun.delete(run);
  }

  /** The version that the run has, else the one that was registered last under its name. */
  async find(run: string, name: string): Promise<W | undefined> {
    const known = this.#byRun.get(run);
    const versions = this.#byName.get(name) ?? [];
    if (known !== undefined || versions.length < 2) return known ?? versions[0];
    // as its last leg had it, which need not be what it was started with
    const { state } = await recover(this.#store, run);
    const wanted = fingerprints(state.plan);
    return versions.findLast(({ plan }) => fingerprints(plan) === wanted) ?? versions.at(-1);
  }
}

/** Of everything that the workflow is made of. */
function fingerprints({ fingerprint, children }: WorkflowPlan): string {
  const below = Object.entries(children).map(([file, child]) => `${file} ${child.fingerprint}`);
  return [fingerprint, ...below.toSorted()].join('\n');
}
