/**
 * Checks a workflow before any token is spent: which kinds each node can fail with and which routes
 * handle them, that its names exist, that it ends, and the most it can cost. The result is data.
 */
import { allNodes } from '../plan/node-list.ts';
import { SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { FilePlan, WorkflowPlan } from '../plan/plan.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { fromPointer } from '../plan/pointer.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { buildFlow, type Flow } from './flow-graph.ts';
import { largestCost } from './cost-bound.ts';
import { checkCallables, type KnownNames } from './callables.ts';
import { checkChildInputs } from './child-inputs.ts';
import { checkKnownValues } from './known-values.ts';
import { checkModels } from './known-models.ts';
import { outputCanFail } from './template-failure.ts';
import { checkNames } from './template-names.ts';
import { orderOf } from './node-order.ts';
import { parsingOnce, readSites } from './template-sites.ts';
import { findUnpriced, type Unpriced } from './unpriced-models.ts';
import { kindsOf } from './handled-kinds.ts';
import { checkRepeats } from './repeats.ts';
import {
  ASKED_BY_DEFAULT,
  handlingOf,
  handlingWords,
  letsGo,
  raisingOf,
  type Raising,
} from './routing.ts';
import { checkScheduledInputs } from './scheduled-inputs.ts';
import { checkStructure } from './structure.ts';
import { checkWorkingDir } from '../plan/working-dir.ts';
import { NO_FILE, toWorstCase, worstCost, type FileCost, type WorstCase } from './worst-case.ts';

export interface NodeReport {
  /** The kinds it can fail with. */
  readonly raises: readonly string[];
  /** Which route handles each, in words. */
  readonly routes: Readonly<Record<string, string>>;
  /** The kinds that no route handles. */
  readonly unhandled: readonly string[];
}

export interface FileReport {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly nodes: Readonly<Record<string, NodeReport>>;
  readonly worstCase: WorstCase;
}

export interface CheckOptions {
  /** An unhandled kind is an error unless the file sets `on_unhandled`. */
  readonly strict?: boolean;
  /** The file is about to run at the top level, without a caller to propagate to. */
  readonly asTop?: boolean;
  /** Model providers that the host registers beside the built-in ones. */
  readonly providers?: readonly string[];
  /**
   * Functions and tools that a file of the workflow may call, by the file's name in the plan. Absent or
   * undefined: any name may exist.
   */
  readonly known?: (file: string) => KnownNames | undefined;
}

/** The file itself first, then every workflow it can reach. */
export function checkWorkflow(
  plan: WorkflowPlan,
  options: CheckOptions = {},
): readonly FileReport[] {
  const checker = new Checker(plan, options);
  return [plan, ...Object.values(plan.children)].map((file) => checker.checkFile(file));
}

/** The most that one leg of a run of this file can take, with everything that it calls. */
export function worstCaseOf(plan: WorkflowPlan): WorstCase {
  return new Checker(plan, {}).worstCase();
}

class Checker {
  readonly #root: WorkflowPlan;
  readonly #options: CheckOptions;
  readonly #flows = new Map<string, Flow>();
  readonly #escaping = new Map<string, readonly string[]>();
  readonly #raising = new Map<string, Raising>();
  readonly #costs = new Map<string, Map<FilePlan['runtime'], FileCost>>();
  readonly #kinds = new Map<NodePlan, readonly string[]>();
  readonly #parse = parsingOnce();
  #unpriced: Unpriced | undefined;
  #handedOn: ReadonlyMap<string, ReadonlySet<FilePlan['runtime']>> | undefined;

  constructor(root: WorkflowPlan, options: CheckOptions) {
    this.#root = root;
    this.#options = options;
  }

  checkFile(plan: FilePlan): FileReport {
    const problems: Problem[] = [];
    const report: ReportProblem = (problem) => problems.push(problem);
    const flow = this.#flowOf(plan);
    const kinds = (node: NodePlan): readonly string[] => this.#kindsOf(node, plan);

    checkStructure(
      plan,
      flow,
      { kindsOf: kinds, raisingOf: (node) => this.#raisingOf(node) },
      report,
    );
    checkRepeats(
      {
        plan,
        flowOf: (of) => this.#flowOf(of),
        childOf: (file) => this.#childOf(file),
        kindsOf: (node, of) => this.#kindsOf(node, of),
        raisingOf: (node) => this.#raisingOf(node),
        describesOf: ({ file }) => this.#options.known?.(file)?.describes ?? {},
      },
      report,
    );
    const sites = readSites(plan, this.#parse);
    checkNames(
      { plan, flow, order: orderOf(flow), childOf: (file) => this.#childOf(file), sites },
      report,
    );
    checkKnownValues(plan, flow, sites, report);
    const inherited = this.#inherited(plan);
    const once = reportOnce(report);
    const providers = this.#options.providers ?? [];
    const isPlayed = this.#root.standIn === SIMULATED_PROVIDER;
    for (const runtime of inherited) {
      const around = { plan, inherited: runtime };
      checkModels({ ...around, isCalled: plan !== this.#root, providers, isPlayed }, once);
      checkCallables({ ...around, isPlayed, known: this.#options.known?.(plan.file) }, once);
    }
    problems.push(...this.#prices().problemsOf(plan, providers));
    checkChildInputs(plan, (file) => this.#childOf(file), report);
    checkScheduledInputs(plan, report);
    checkWorkingDir(plan, report);
    this.#checkPropagation(plan, flow, report);

    const nodes = Object.fromEntries(
      [...flow.nodes].map(([name, node]) => [name, reportOn(node, plan, kinds(node))]),
    );
    if (this.#options.strict === true && plan.onUnhandled === undefined)
      reportUnhandled(nodes, flow, report);
    const costs = inherited.map((runtime) => this.#costOf(plan, runtime).worst);
    return { file: plan.file, problems, nodes, worstCase: toWorstCase(largestCost(costs)) };
  }

  worstCase(): WorstCase {
    return toWorstCase(this.#costOf(this.#root, undefined).worst);
  }

  #flowOf(plan: FilePlan): Flow {
    const flow = this.#flows.get(plan.file) ?? buildFlow(plan);
    this.#flows.set(plan.file, flow);
    return flow;
  }

  #childOf(file: string): FilePlan | undefined {
    return this.#root.children[file];
  }

  #prices(): Unpriced {
    this.#unpriced ??= findUnpriced(this.#root);
    return this.#unpriced;
  }

  /** A child without a runtime uses that of its nearest caller with one; several callers give it several. */
  #inherited(plan: FilePlan): readonly FilePlan['runtime'][] {
    if (plan === this.#root) return [undefined];
    this.#handedOn ??= runtimesHandedOn(this.#root);
    return [...(this.#handedOn.get(plan.file) ?? [this.#root.runtime])];
  }

  #kindsOf(node: NodePlan, plan: FilePlan): readonly string[] {
    const known = this.#kinds.get(node);
    if (known !== undefined) return known;
    const kinds = kindsOf(node, plan, (file) => this.#escapingFrom(file), this.#parse);
    this.#kinds.set(node, kinds);
    return kinds;
  }

  /** The kinds that a child propagates to its caller. Cyclic calls have been refused before. */
  #escapingFrom(file: string): readonly string[] {
    const known = this.#escaping.get(file);
    if (known !== undefined) return known;
    this.#escaping.set(file, []);
    const child = this.#childOf(file);
    const found = child === undefined ? [] : this.#letThrough(child);
    this.#escaping.set(file, found);
    return found;
  }

  #raisingOf(node: NodePlan): Raising {
    return raisingOf(node, (file) => this.#raisingFrom(file));
  }

  /** The most that any node of a child may raise, whatever its routes handle. */
  #raisingFrom(file: string): Raising {
    const known = this.#raising.get(file);
    if (known !== undefined) return known;
    this.#raising.set(file, 'none');
    const child = this.#childOf(file);
    const nodes = child === undefined ? [] : [...this.#flowOf(child).nodes.values()];
    const all = new Set(nodes.map((node) => this.#raisingOf(node)));
    // a file that was not loaded could contain anything
    if (child === undefined) all.add('any');
    const found = (['any', 'own'] as const).find((each) => all.has(each)) ?? 'none';
    this.#raising.set(file, found);
    return found;
  }

  #letThrough(child: FilePlan): readonly string[] {
    const kinds = new Set<string>([
      'limit.steps',
      'limit.run_timeout',
      'limit.budget',
      'limit.retries',
    ]);
    if (outputCanFail(child)) kinds.add('validation.template');
    for (const node of this.#flowOf(child).nodes.values()) {
      if (node.type === 'terminate' && node.status === 'failed') kinds.add('terminate.failed');
      for (const kind of this.#kindsOf(node, child))
        if (letsGo(kind, node.routes, child.onError)) kinds.add(kind);
    }
    return [...kinds];
  }

  /** Computes the cost of a child for each runtime that its callers pass on to it. */
  #costOf(plan: FilePlan, inherited: FilePlan['runtime']): FileCost {
    const costs = this.#costs.get(plan.file) ?? new Map<FilePlan['runtime'], FileCost>();
    this.#costs.set(plan.file, costs);
    const known = costs.get(inherited);
    if (known !== undefined) return known;
    costs.set(inherited, NO_FILE);
    const cost = worstCost(plan, this.#flowOf(plan), {
      childCost: (file) => {
        const child = this.#childOf(file);
        return child === undefined ? NO_FILE : this.#costOf(child, plan.runtime ?? inherited);
      },
      kindsOf: (node) => this.#kindsOf(node, plan),
      raisingOf: (node) => this.#raisingOf(node),
      unpriced: this.#prices(),
      inherited,
      describes: this.#describesOf(plan),
    });
    costs.set(inherited, cost);
    return cost;
  }

  /** Undefined where the file's modules were not loaded. */
  #describesOf({ file }: FilePlan): ToolDescriptions | undefined {
    const { known } = this.#options;
    if (known === undefined) return {};
    const names = known(file);
    return names === undefined ? undefined : (names.describes ?? {});
  }

  #checkPropagation(plan: FilePlan, flow: Flow, report: ReportProblem): void {
    if (plan !== this.#root) return;
    const routes = [...plan.onError, ...[...flow.nodes.values()].flatMap((node) => node.routes)];
    for (const { move, pointer } of routes) {
      if (move.type !== 'propagate') continue;
      report({
        code: 'propagate-at-top',
        severity: this.#options.asTop === true ? 'error' : 'info',
        message:
          this.#options.asTop === true
            ? 'No workflow calls this one, so there is no caller to propagate to'
            : '`propagate` needs a caller; this file cannot run on its own',
        path: fromPointer(pointer),
        suggestion: 'Use `halt` or a route to a node if the file should run on its own',
      });
    }
  }
}

/** By the file of each child. */
function runtimesHandedOn(
  root: WorkflowPlan,
): ReadonlyMap<string, ReadonlySet<FilePlan['runtime']>> {
  const found = new Map<string, Set<FilePlan['runtime']>>();
  const open: (readonly [FilePlan, FilePlan['runtime']])[] = [[root, undefined]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [plan, inherited] = next;
    const runtime = plan.runtime ?? inherited;
    for (const node of allNodes(plan)) {
      const child = node.type === 'workflow' ? root.children[node.workflow] : undefined;
      if (child === undefined) continue;
      const known = found.get(child.file) ?? new Set();
      found.set(child.file, known);
      if (known.has(runtime)) continue;
      known.add(runtime);
      open.push([child, runtime]);
    }
  }
  return found;
}

/** Reports a problem once, though several callers lead to it. */
function reportOnce(report: ReportProblem): ReportProblem {
  const reported = new Set<string>();
  return (problem) => {
    const words = JSON.stringify(problem);
    if (!reported.has(words)) report(problem);
    reported.add(words);
  };
}

function reportOn(node: NodePlan, plan: FilePlan, kinds: readonly string[]): NodeReport {
  const handled = kinds.map((kind) => [kind, handlingOf(kind, node.routes, plan.onError)] as const);
  return {
    raises: kinds,
    routes: Object.fromEntries(
      handled.map(([kind, handling]) => [kind, handlingWords(kind, handling)]),
    ),
    unhandled: handled
      .filter(([kind, { steps }]) => steps.length === 0 && kind !== ASKED_BY_DEFAULT)
      .map(([kind]) => kind),
  };
}

function reportUnhandled(
  nodes: Readonly<Record<string, NodeReport>>,
  flow: Flow,
  report: ReportProblem,
): void {
  for (const [name, { unhandled }] of Object.entries(nodes)) {
    const node = flow.nodes.get(name);
    if (unhandled.length === 0 || node === undefined) continue;
    report({
      code: 'unhandled-kind',
      message: `${quoted(name)} has no route for ${unhandledWords(unhandled)}`,
      path: fromPointer(node.location.pointer),
      suggestion: 'Add an error route, or set `workflow.on_unhandled: fail` to accept the default',
    });
  }
}

const MAX_NAMED = 3;

/** `the failure a`, `the failures a and b`, `5 failures, such as a, b and c`. */
function unhandledWords(kinds: readonly string[]): string {
  const named = listed(kinds.slice(0, MAX_NAMED).map(quoted));
  if (kinds.length > MAX_NAMED) return `${kinds.length} kinds of failure, such as ${named}`;
  return `the ${kinds.length === 1 ? 'failure' : 'failures'} ${named}`;
}
