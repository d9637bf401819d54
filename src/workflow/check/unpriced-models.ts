/**
 * Unpriced models under a budget in dollars, which cannot limit them. Prices are found as in the machine:
 * in the file of the node, then in those of its callers, then in Errand's own list.
 */
import { listedModelLike } from '../../providers/pricing/listed-model.ts';
import { priceOf, type Price } from '../../providers/pricing/prices.ts';
import { allNodes } from '../plan/node-list.ts';
import type { FilePlan, WorkflowPlan } from '../plan/plan.ts';
import { isTemplate, SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { AgentPlan, NodePlan, SupervisorPlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { unknownProvider } from './known-models.ts';

export interface Unpriced {
  /** Models without a price that a node may call, whichever file calls its file. */
  ofNode(node: NodePlan): readonly string[];
  /** Price that any file of the workflow sets for a model. */
  declaredPrice(model: string): Price | undefined;
  /** Whether a file, or a file that it calls, uses such a model. */
  isIn(plan: FilePlan): boolean;
  /** Problems with the budgets in the file. `providers`: those that the host registers. */
  problemsOf(plan: FilePlan, providers: readonly string[]): readonly Problem[];
}

/** One way to reach a file: its callers, itself first, and its runtime. */
interface Reach {
  readonly files: readonly FilePlan[];
  readonly runtime: FilePlan['runtime'];
}

export function findUnpriced(root: WorkflowPlan): Unpriced {
  const byNode = new Map<NodePlan, Set<string>>();
  const byFile = new Map<FilePlan, Map<string, string>>();
  const open: Reach[] = [{ files: [root], runtime: root.runtime }];
  const seen = new Set<string>();
  for (let reach = open.pop(); reach !== undefined; reach = open.pop()) {
    const { files, runtime } = reach;
    const name = files.map(({ file }) => file).join('\n');
    const [plan] = files;
    if (plan === undefined || seen.has(name)) continue;
    seen.add(name);
    for (const node of allNodes(plan)) {
      const child = node.type === 'workflow' ? root.children[node.workflow] : undefined;
      // another check refuses cyclic calls
      if (child !== undefined && !files.includes(child))
        open.push({ files: [child, ...files], runtime: child.runtime ?? runtime });
      if (node.type !== 'agent' && node.type !== 'supervisor') continue;
      for (const model of unpricedModels(node, reach)) {
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
    declaredPrice: (model) =>
      [root, ...Object.values(root.children)]
        .map(({ prices }) => priceOf(model, prices) ?? undefined)
        .find((price) => price !== undefined && !isFree(price)),
    isIn: (plan) => byFile.has(plan),
    problemsOf: (plan, providers) => {
      // a model that does not exist is refused for that, and needs no price
      const exists = (model: string): boolean =>
        isTemplate(model) || unknownProvider(model, providers) === undefined;
      const models = [...(byFile.get(plan) ?? [])].filter(([model]) => exists(model));
      return [
        ...ofFile(plan, models),
        ...allNodes(plan).flatMap((node) =>
          ofNode(plan, node, [...(byNode.get(node) ?? [])].filter(exists)),
        ),
      ];
    },
  };
}

export function isFree({ inputUsdMicrosPerMtok, outputUsdMicrosPerMtok }: Price): boolean {
  return inputUsdMicrosPerMtok === 0 && outputUsdMicrosPerMtok === 0;
}

function unpricedModels(
  node: AgentPlan | SupervisorPlan,
  { files, runtime }: Reach,
): readonly string[] {
  const judges = node.type === 'agent' ? (node.validator?.model ?? []) : [];
  return [...(node.model ?? runtime?.defaultModel ?? []), ...judges]
    .map(({ model }) => model)
    .filter(
      (model) =>
        !model.startsWith(`${SIMULATED_PROVIDER}/`) &&
        files.every(({ prices }) => priceOf(model, prices) === null),
    );
}

function ofFile(
  { limits }: FilePlan,
  models: readonly (readonly [model: string, node: string])[],
): readonly Problem[] {
  if (limits.budgetUsdMicros === undefined || limits.unpriced === 'allow') return [];
  const path: Path = ['workflow', 'limits', 'budget_usd'];
  return models.map(([model, node]) => ({
    ...unkept(model, node, '`budget_usd`'),
    path,
    // a budget that only warns counts the models that have prices
    ...(limits.budgetMode === 'audit' ? { severity: 'warning' as const } : {}),
  }));
}

function ofNode(
  { limits }: FilePlan,
  node: NodePlan,
  models: readonly string[],
): readonly Problem[] {
  const budget = 'budget' in node ? node.budget?.usdMicros : undefined;
  if (budget === undefined || limits.unpriced === 'allow') return [];
  const path = [...fromPointer(node.location.pointer), 'budget', 'usd'];
  return models.map((model) => ({ ...unkept(model, node.name, 'its budget'), path }));
}

function unkept(model: string, node: string, budget: string): Omit<Problem, 'path'> {
  const meant = listedModelLike(model);
  const price =
    'Set its price under `workflow.cost.pricing`, use `budget_tokens`, or set `workflow.limits.unpriced: allow`';
  return {
    code: 'unpriced-model',
    message: `No price is known for ${quoted(model)}, which ${quoted(node)} may call, so ${budget} cannot limit it`,
    suggestion: meant === undefined ? price : `Write ${quoted(meant)}, if that is the model`,
  };
}

function addTo<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
