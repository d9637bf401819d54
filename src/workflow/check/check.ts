/**
 * What can be proved of a workflow before a token is spent: which kinds each node can fail with and
 * what takes them, that its names exist, that it ends, and the most it can cost. A verdict is data.
 */
import { allNodes } from '../all-nodes.ts';
import type { FilePlan, WorkflowPlan } from '../model.ts';
import type { NodePlan } from '../node-model.ts';
import { fromPointer } from '../path.ts';
import type { Problem, Report } from '../problem.ts';
import type { Route } from '../route.ts';
import { listed, quoted } from '../words.ts';
import { buildFlow, type Flow } from './flow.ts';
import { largestBill } from './bill.ts';
import { checkCallables, type KnownNames } from './callables.ts';
import { checkChildInputs } from './child-inputs.ts';
import { checkKnownValues } from './known-values.ts';
import { checkModels } from './models.ts';
import { checkNames } from './names.ts';
import { orderOf } from './order.ts';
import { findUnpriced, type Unpriced } from './prices.ts';
import { kindsOf } from './raises.ts';
import { ASKED_BY_DEFAULT, handlingOf, handlingWords, raisingOf, type Raising } from './routing.ts';
import { checkStructure } from './structure.ts';
import { NO_FILE, toWorstCase, worstBill, type FileBill, type WorstCase } from './worst-case.ts';

export interface NodeVerdict {
  /** The kinds it can fail with. */
  readonly raises: readonly string[];
  /** Which route handles each, in words. */
  readonly routes: Readonly<Record<string, string>>;
  /** Those that no route takes. */
  readonly unhandled: readonly string[];
}

export interface FileVerdict {
  readonly file: string;
  readonly problems: readonly Problem[];
  readonly nodes: Readonly<Record<string, NodeVerdict>>;
  readonly worstCase: WorstCase;
}

export interface CheckOptions {
  /** A kind that falls to the default is an error where the file does not say that it is meant. */
  readonly strict?: boolean;
  /** The file is about to be run as the top: nobody is there to propagate to. */
  readonly asTop?: boolean;
  /** Model providers that the host registers beside the built-in ones. */
  readonly providers?: readonly string[];
  /**
   * What a file of the workflow may call, by the file's name in the plan. Without it, or where it
   * answers undefined, any name may be there.
   */
  readonly known?: (file: string) => KnownNames | undefined;
}

/** The file itself first, then every workflow it can reach. */
export function checkWorkflow(
  plan: WorkflowPlan,
  options: CheckOptions = {},
): readonly FileVerdict[] {
  const checker = new Checker(plan, options);
  return [plan, ...Object.values(plan.children)].map((file) => checker.verdictOn(file));
}

/** Of the file itself, with all that it reaches: the most that one leg of a run of it can take. */
export function worstCaseOf(plan: WorkflowPlan): WorstCase {
  return new Checker(plan, {}).worstCase();
}

class Checker {
  readonly #root: WorkflowPlan;
  readonly #options: CheckOptions;
  readonly #flows = new Map<string, Flow>();
  readonly #escaping = new Map<string, readonly string[]>();
  readonly #raising = new Map<string, Raising>();
  readonly #bills = new Map<string, Map<FilePlan['runtime'], FileBill>>();
  readonly #kinds = new Map<NodePlan, readonly string[]>();
  #unpriced: Unpriced | undefined;
  #handedOn: ReadonlyMap<string, ReadonlySet<FilePlan['runtime']>> | undefined;

  constructor(root: WorkflowPlan, options: CheckOptions) {
    this.#root = root;
    this.#options = options;
  }

  verdictOn(plan: FilePlan): FileVerdict {
    const problems: Problem[] = [];
    const report: Report = (problem) => problems.push(problem);
    const flow = this.#flowOf(plan);
    const kinds = (node: NodePlan): readonly string[] => this.#kindsOf(node, plan);

    checkStructure(
      plan,
      flow,
      { kindsOf: kinds, raisingOf: (node) => this.#raisingOf(node) },
      report,
    );
    checkNames(
      { plan, flow, order: orderOf(flow), childOf: (file) => this.#childOf(file) },
      report,
    );
    checkKnownValues(plan, flow, report);
    const inherited = this.#inherited(plan);
    const once = reportOnce(report);
    for (const runtime of inherited) {
      const around = { plan, inherited: runtime };
      const providers = this.#options.providers ?? [];
      checkModels({ ...around, isCalled: plan !== this.#root, providers }, once);
      checkCallables({ ...around, known: this.#options.known?.(plan.file) }, once);
    }
    problems.push(...this.#prices().problemsOf(plan));
    checkChildInputs(plan, (file) => this.#childOf(file), report);
    this.#checkPropagation(plan, flow, report);

    const nodes = Object.fromEntries(
      [...flow.nodes].map(([name, node]) => [name, verdictOn(node, plan, kinds(node))]),
    );
    if (this.#options.strict === true && plan.onUnhandled === undefined)
      reportUnhandled(nodes, flow, report);
    const bills = inherited.map((runtime) => this.#billOf(plan, runtime).worst);
    return { file: plan.file, problems, nodes, worstCase: toWorstCase(largestBill(bills)) };
  }

  worstCase(): WorstCase {
    return toWorstCase(this.#billOf(this.#root, undefined).worst);
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

  /** A child without a runtime of its own has that of the nearest caller with one; it may have several. */
  #inherited(plan: FilePlan): readonly FilePlan['runtime'][] {
    if (plan === this.#root) return [undefined];
    this.#handedOn ??= runtimesHandedOn(this.#root);
    return [...(this.#handedOn.get(plan.file) ?? [this.#root.runtime])];
  }

  #kindsOf(node: NodePlan, plan: FilePlan): readonly string[] {
    const known = this.#kinds.get(node);
    if (known !== undefined) return known;
    const kinds = kindsOf(node, plan, (file) => this.#escapingFrom(file));
    this.#kinds.set(node, kinds);
    return kinds;
  }

  /** What a child lets through to its caller. Calls in a circle are refused before this is asked. */
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

  /** The most that any node of a child may raise: what takes it on its way is not looked at. */
  #raisingFrom(file: string): Raising {
    const known = this.#raising.get(file);
    if (known !== undefined) return known;
    this.#raising.set(file, 'none');
    const child = this.#childOf(file);
    const nodes = child === undefined ? [] : [...this.#flowOf(child).nodes.values()];
    const all = new Set(nodes.map((node) => this.#raisingOf(node)));
    // a file that is not here could hold anything
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
    for (const node of this.#flowOf(child).nodes.values()) {
      if (node.type === 'terminate' && node.status === 'failed') kinds.add('terminate.failed');
      for (const kind of this.#kindsOf(node, child)) {
        const { steps, isSettled } = handlingOf(kind, node.routes, child.onError);
        if (!isSettled || steps.some(({ route }) => mayLetGo(route))) kinds.add(kind);
      }
    }
    return [...kinds];
  }

  /** A child is billed for each of the runtimes that its callers hand on to it. */
  #billOf(plan: FilePlan, inherited: FilePlan['runtime']): FileBill {
    const bills = this.#bills.get(plan.file) ?? new Map<FilePlan['runtime'], FileBill>();
    this.#bills.set(plan.file, bills);
    const known = bills.get(inherited);
    if (known !== undefined) return known;
    bills.set(inherited, NO_FILE);
    const bill = worstBill(plan, this.#flowOf(plan), {
      childBill: (file) => {
        const child = this.#childOf(file);
        return child === undefined ? NO_FILE : this.#billOf(child, plan.runtime ?? inherited);
      },
      kindsOf: (node) => this.#kindsOf(node, plan),
      raisingOf: (node) => this.#raisingOf(node),
      unpriced: this.#prices(),
      inherited,
      describes: this.#options.known?.(plan.file)?.describes ?? {},
    });
    bills.set(inherited, bill);
    return bill;
  }

  #checkPropagation(plan: FilePlan, flow: Flow, report: Report): void {
    if (plan !== this.#root) return;
    const routes = [...plan.onError, ...[...flow.nodes.values()].flatMap((node) => node.routes)];
    for (const { move, pointer } of routes) {
      if (move.type !== 'propagate') continue;
      report({
        code: 'propagate-at-top',
        severity: this.#options.asTop === true ? 'error' : 'info',
        message:
          this.#options.asTop === true
            ? 'Nobody calls this workflow, so there is nobody to propagate to'
            : '`propagate` needs a caller; run by itself, this file is refused',
        path: fromPointer(pointer),
        suggestion: 'Use `halt` or a route to a node where the file is to be run by itself',
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

/** What is found for several callers alike is said once. */
function reportOnce(report: Report): Report {
  const said = new Set<string>();
  return (problem) => {
    const words = JSON.stringify(problem);
    if (!said.has(words)) report(problem);
    said.add(words);
  };
}

function verdictOn(node: NodePlan, plan: FilePlan, kinds: readonly string[]): NodeVerdict {
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
  nodes: Readonly<Record<string, NodeVerdict>>,
  flow: Flow,
  report: Report,
): void {
  for (const [name, { unhandled }] of Object.entries(nodes)) {
    const node = flow.nodes.get(name);
    if (unhandled.length === 0 || node === undefined) continue;
    report({
      code: 'unhandled-kind',
      message: `${quoted(name)} has no route for ${unhandledWords(unhandled)}`,
      path: fromPointer(node.location.pointer),
      suggestion: 'Add an error route, or `workflow.on_unhandled: fail` if the default is meant',
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

/** A failure that goes on to the caller: by the move itself, or because a person leaves it as it is. */
function mayLetGo({ move }: Route): boolean {
  return move.type === 'propagate' || (move.type === 'ask' && move.options.includes('abort'));
}
