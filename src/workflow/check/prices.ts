/**
 * Budgets in dollars that cannot be kept, because a model in their reach has no price: what it costs is
 * counted by nobody. Prices are looked up as the machine does: in the file of the node, then in those
 * of its callers, then in Errand's own list.
 */
import { priceOf, type Price } from '../../providers/prices.ts';
import { allNodes } from '../all-nodes.ts';
import type { FilePlan, WorkflowPlan } from '../model.ts';
import { SIMULATED_PROVIDER } from '../models.ts';
import type { AgentPlan, NodePlan, SupervisorPlan } from '../node-model.ts';
import { fromPointer, type Path } from '../path.ts';
import type { Problem } from '../problem.ts';
import { quoted } from '../words.ts';

export interface Unpriced {
  /** Models without a price that a node may ask, from wherever its file is called. */
  ofNode(node: NodePlan): readonly string[];
  /** What any file of the workflow says that a model costs, which holds for all that the file calls. */
  given(model: string): Price | undefined;
  /** Whether a file, with all that it calls, asks such a model. */
  isIn(plan: FilePlan): boolean;
  /** Of the budgets that stand in the file. */
  problemsOf(plan: FilePlan): readonly Problem[];
}

/** Where a file is reached: the files around it, itself first, and the runtime that it has. */
interface Place {
  readonly files: readonly FilePlan[];
  readonly runtime: FilePlan['runtime'];
}

export function findUnpriced(root: WorkflowPlan): Unpriced {
  const byNode = new Map<NodePlan, Set<string>>();
  const byFile = new Map<FilePlan, Map<string, string>>();
  const open: Place[] = [{ files: [root], runtime: root.runtime }];
  const seen = new Set<string>();
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { files, runtime } = place;
    const name = files.map(({ file }) => file).join('\n');
    const [plan] = files;
    if (plan === undefined || seen.has(name)) continue;
    seen.add(name);
    for (const node of allNodes(plan)) {
      const child = node.type === 'workflow' ? root.children[node.workflow] : undefined;
      // calls in a circle are refused elsewhere
      if (child !== undefined && !files.includes(child))
        open.push({ files: [child, ...files], runtime: child.runtime ?? runtime });
      if (node.type !== 'agent' && node.type !== 'supervisor') continue;
      for (const model of unpricedModels(node, place)) {
        addTo(byNode, node, () => new Set<string>()).add(model);
        for (const file of files) {
          const models = addTo(byFile, file, () => new Map<string, string>());
          if (!models.has(model)) models.set(model, node.name);
        }
      }
    }
  }
  return {
    ofNode: (node) => [...(byNode.get(node) ?? [])],
    given: (model) =>
      [root, ...Object.values(root.children)]
        .map(({ prices }) => priceOf(model, prices) ?? undefined)
        .find((price) => price !== undefined && !isFree(price)),
    isIn: (plan) => byFile.has(plan),
    problemsOf: (plan) => [
      ...ofFile(plan, byFile.get(plan) ?? new Map<string, string>()),
      ...allNodes(plan).flatMap((node) => ofNode(plan, node, byNode.get(node) ?? new Set())),
    ],
  };
}

export function isFree({ inputUsdMicrosPerMtok, outputUsdMicrosPerMtok }: Price): boolean {
  return inputUsdMicrosPerMtok === 0 && outputUsdMicrosPerMtok === 0;
}

function unpricedModels(
  node: AgentPlan | SupervisorPlan,
  { files, runtime }: Place,
): readonly string[] {
  const chain = node.model ?? runtime?.defaultModel ?? [];
  return chain
    .map(({ model }) => model)
    .filter(
      (model) =>
        !model.startsWith(`${SIMULATED_PROVIDER}/`) &&
        files.every(({ prices }) => priceOf(model, prices) === null),
    );
}

function ofFile({ limits }: FilePlan, models: ReadonlyMap<string, string>): readonly Problem[] {
  if (limits.budgetUsdMicros === undefined || limits.unpriced === 'allow') return [];
  const path: Path = ['workflow', 'limits', 'budget_usd'];
  return [...models].map(([model, node]) => ({
    ...unkept(model, node, '`budget_usd`'),
    path,
    // what is only watched is watched in part
    ...(limits.budgetMode === 'audit' ? { severity: 'warning' as const } : {}),
  }));
}

function ofNode(
  { limits }: FilePlan,
  node: NodePlan,
  models: ReadonlySet<string>,
): readonly Problem[] {
  const budget = 'budget' in node ? node.budget?.usdMicros : undefined;
  if (budget === undefined || limits.unpriced === 'allow') return [];
  const path = [...fromPointer(node.location.pointer), 'budget', 'usd'];
  return [...models].map((model) => ({ ...unkept(model, node.name, 'its budget'), path }));
}

function unkept(model: string, node: string, budget: string): Omit<Problem, 'path'> {
  return {
    code: 'unpriced-model',
    message: `${quoted(model)}, which ${quoted(node)} may ask, has no price, so ${budget} cannot be kept`,
    suggestion:
      'Give its price under `workflow.cost.pricing`, use `budget_tokens`, or say `unpriced: allow` under `workflow.limits`',
  };
}

function addTo<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
