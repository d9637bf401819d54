/**
 * What is stored of what a run was given, without the values of secrets: a file takes them from the
 * environment, and people type them. A plan has one text for all its runs.
 */
import type { Redactor } from '../errors/redact.ts';
import { withoutValues } from '../errors/without-values.ts';
import { fingerprintedAnew } from '../workflow/fingerprint.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/model.ts';
import { withheldIn } from './withheld.ts';

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
    const without = withoutValues(plan, this.#redactor, { keys: 'as they are' });
    const clean = without === plan ? plan : withoutTraces(plan, without);
    const stored = { text: JSON.stringify(clean), plan: clean };
    this.#known.set(plan, stored);
    return stored;
  }
}

/** Says what it lacks; and a key that is replaced by another is no drift of the nodes that have it. */
function withoutTraces(whole: WorkflowPlan, clean: WorkflowPlan): WorkflowPlan {
  const children = Object.entries(clean.children).map(([file, child]) => {
    const nodes = cleanNodes(whole.children[file] ?? child, child);
    return [file, { ...child, nodes }] as const;
  });
  return {
    ...clean,
    nodes: cleanNodes(whole, clean),
    children: Object.fromEntries(children),
    withheld: withheldIn(whole, clean),
  };
}

function cleanNodes(whole: FilePlan, clean: FilePlan): FilePlan['nodes'] {
  return clean.nodes.map((node, at) =>
    JSON.stringify(node) === JSON.stringify(whole.nodes[at]) ? node : fingerprintedAnew(node),
  );
}
