/**
 * What is stored of what a run was given, without the values of secrets: a file takes them from the
 * environment, and people type them. A plan has one text for all its runs.
 */
import { freeKey } from '../effects/output.ts';
import type { JsonValue } from '../errors/json.ts';
import type { Redactor } from '../errors/redact.ts';
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

/**
 * The same object where there is nothing to leave out. Taken out of each text by itself: in the JSON of
 * it all, a secret such as `true` or one with a quote would be found where it is not. The keys of a plan
 * are its form, and no variable is filled into them; those of data may hold anything.
 */
export function withoutValues<T extends object>(
  value: T,
  redactor: Redactor,
  { keys = 'taken out' }: { readonly keys?: 'taken out' | 'as they are' } = {},
): T {
  // JSON in, and the same JSON but for its texts out
  return without(value as unknown as JsonValue, redactor, keys === 'taken out') as unknown as T;
}

function without(value: JsonValue, redactor: Redactor, isData: boolean): JsonValue {
  if (typeof value === 'string') return redactor.values(value);
  if (typeof value === 'number' && isData) {
    const written = String(value);
    const clean = redactor.values(written);
    return clean === written ? value : clean;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    const items = value.map((item) => without(item, redactor, isData));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = new Map<string, JsonValue>();
  let isSame = true;
  for (const [key, item] of Object.entries<JsonValue | undefined>(value)) {
    if (item === undefined) continue;
    const name = isData ? freeKey(redactor.values(key), entries) : key;
    const clean = without(item, redactor, isData);
    entries.set(name, clean);
    isSame &&= name === key && clean === item;
  }
  return isSame ? value : Object.fromEntries(entries);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
