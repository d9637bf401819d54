/**
 * Finds steps that a retry repeats: steps inside a group, a sub-workflow or a supervisor that had succeeded
 * when the whole failed, a step that its own timeout interrupted, one that ran and whose output was
 * refused, and the tools of an agent. All are allowed, with a notice or a warning.
 */
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import { FETCH_TOOL, type FilePlan } from '../plan/plan.ts';
import type {
  AgentPlan,
  CallPlan,
  GroupPlan,
  NodePlan,
  ScriptPlan,
  ToolPlan,
} from '../plan/node-plan.ts';
import { fromPointer } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import type { Route } from '../plan/route-plan.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { branchesOf, onward, type Flow } from './flow-graph.ts';
import { handlingOf, isNamed, letsGo, takes, type Raising } from './routing.ts';

export interface RepeatContext {
  readonly plan: FilePlan;
  readonly flowOf: (plan: FilePlan) => Flow;
  readonly childOf: (file: string) => FilePlan | undefined;
  readonly kindsOf: (node: NodePlan, plan: FilePlan) => readonly string[];
  readonly raisingOf: (node: NodePlan) => Raising;
  /** Declarations of tools and functions, by file. */
  readonly describesOf: (plan: FilePlan) => ToolDescriptions;
}

type Step = ScriptPlan | CallPlan | ToolPlan;

export function checkRepeats(context: RepeatContext, report: ReportProblem): void {
  for (const node of context.flowOf(context.plan).nodes.values()) {
    if (node.type === 'agent') checkRetryAroundTools(node, context, report);
    if (!isStep(node)) checkRetryAround(node, context, report);
    else {
      checkOwnTimeout(node, context, report);
      checkRefusedOutput(node, context, report);
    }
  }
}

/** One notice for each node, at the first retry that can repeat something. */
function checkRetryAround(node: NodePlan, context: RepeatContext, report: ReportProblem): void {
  for (const route of retriesOf(node, context)) {
    const again = [
      ...doneInside(node, context.plan, {
        ...context,
        route,
        failure: 'taken',
        within: new Set(),
      }),
    ];
    if (again.length === 0) continue;
    const words = [...new Set(again.map(({ name }) => quoted(name)))];
    const isOne = words.length === 1;
    report({
      code: 'retry-around-effects',
      severity: 'info',
      message: `A retry restarts ${quoted(node.name)} and repeats ${named(words)} even after success; ${isOne ? 'it is' : 'they are'} not known to be idempotent`,
      path: fromPointer(route.pointer),
      suggestion: `${node.type === 'supervisor' ? 'Use `ask` or `park`, which continue the conversation' : 'Put the retry on the inner node that fails'}, or declare ${named(words)} \`idempotent: true\` if repeating does no harm`,
    });
    return;
  }
}

function checkRetryAroundTools(
  node: AgentPlan,
  context: RepeatContext,
  report: ReportProblem,
): void {
  // without a list an agent has only tools that do not write, which may be repeated
  if ((node.tools ?? []).every((tool) => isRepeatableTool(tool, context))) return;
  const [retry] = retriesOf(node, context);
  if (retry === undefined) return;
  report({
    code: 'retry-around-tools',
    severity: 'warning',
    message: `A retry restarts ${quoted(node.name)}: repeated tool calls return their logged results, but new calls run whatever was done before; not all of its tools are known to be idempotent`,
    path: fromPointer(retry.pointer),
    suggestion:
      'Use `ask` or `park`, which continue the conversation, or declare the tools `idempotent`',
  });
}

function isRepeatableTool(tool: string, { plan, describesOf }: RepeatContext): boolean {
  const declared = describesOf(plan)[tool];
  if (declared?.isIdempotent === true || declared?.writes === false) return true;
  return isRepeatableAtServer(tool, plan);
}

const MAX_NAMED = 3;

function named(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  return listed(more > 0 ? [...words.slice(0, MAX_NAMED), `${more} more`] : words);
}

/** The retries that can match a failure of the node, in its own table and in the workflow's. */
function retriesOf(node: NodePlan, context: RepeatContext): readonly Route[] {
  const { plan } = context;
  return [...node.routes, ...plan.onError].filter(
    (route) =>
      route.move.type === 'retry' &&
      failuresFor(route, node, plan, context).some((kind) =>
        handlingOf(kind, node.routes, plan.onError).steps.some((step) => step.route === route),
      ),
  );
}

/** The kinds that the node can fail with; where it may raise others, also those that the route names. */
function failuresFor(
  { onError }: Route,
  node: NodePlan,
  plan: FilePlan,
  { kindsOf, raisingOf }: RepeatContext,
): readonly string[] {
  const raising = raisingOf(node);
  const kinds = kindsOf(node, plan);
  if (raising === 'none' || onError === true || onError === undefined) return kinds;
  return [...kinds, ...onError.filter((kind) => raising === 'any' || !isReservedKind(kind))];
}

interface Around extends RepeatContext {
  readonly route: Route;
  /**
   * Failures that lead to the retry: those that the route matches, or any, if the kind may have
   * changed by then.
   */
  readonly failure: 'taken' | 'any';
  /** Nodes being searched; another check refuses groups that contain themselves. */
  readonly within: ReadonlySet<NodePlan>;
}

/** Steps inside the node that can have succeeded when a failure leads to the retry. */
function doneInside(node: NodePlan, plan: FilePlan, outside: Around): ReadonlySet<Step> {
  const around: Around = { ...outside, within: new Set([...outside.within, node]) };
  const isCut = node.timeoutMs !== undefined && leadsBack('limit.node_timeout', around);
  switch (node.type) {
    case 'workflow': {
      const child = around.childOf(node.workflow);
      if (child === undefined) return new Set();
      const isLimited = isCut || limitKinds(child).some((kind) => leadsBack(kind, around));
      const inside: Around = isLimited ? { ...around, failure: 'any' } : around;
      return doneInLine(child.entryPoint, child, inside);
    }
    case 'parallel':
    case 'for_each':
      return isCut || outlivesFailures(node)
        ? stepsInside(node, plan, around)
        : union(
            branchesOf(node).map((name) => doneInLine(name, plan, { ...around, failure: 'any' })),
          );
    case 'supervisor':
      return stepsInside(node, plan, around);
    default:
      return new Set();
  }
}

function leadsBack(kind: string, { failure, route }: Around): boolean {
  return failure === 'any' || takes(route, kind);
}

/** Whether the group can fail after some of its members have succeeded. */
function outlivesFailures(group: GroupPlan): boolean {
  if (group.type === 'parallel' && group.members.length < 2) return false;
  if (group.failureMode === 'continue_on_error') return false;
  return group.failureMode !== 'quorum' || (group.quorum ?? 2) > 1;
}

function limitKinds({ limits }: FilePlan): readonly string[] {
  return [
    ...(limits.timeoutMs === undefined ? [] : ['limit.run_timeout']),
    ...(limits.maxRetries === undefined ? [] : ['limit.retries']),
    ...(limits.budgetUsdMicros === undefined && limits.budgetTokens === undefined
      ? []
      : ['limit.budget']),
  ];
}

/** Steps of a branch after whose success another step can fail, and the branch with it. */
function doneInLine(start: string, plan: FilePlan, around: Around): ReadonlySet<Step> {
  const flow = around.flowOf(plan);
  const line = inLine(flow, start);
  const ending = line.filter((node) =>
    failuresFor(around.route, node, plan, around).some(
      (kind) => leadsBack(kind, around) && letsGo(kind, node.routes, plan.onError),
    ),
  );
  const before = leadingTo(flow, line, ending);
  const over = line.filter(({ name }) =>
    onward(flow, name).some(({ to, reason }) => reason !== 'error' && before.has(to)),
  );
  const isOver = new Set(over);
  return union([
    stepsOf(over, plan, around),
    ...ending
      .filter((node) => !isOver.has(node) && !around.within.has(node))
      .map((node) => doneInside(node, plan, around)),
  ]);
}

/** The names of all nodes that can reach one of these, which are included. */
function leadingTo(
  flow: Flow,
  line: readonly NodePlan[],
  ending: readonly NodePlan[],
): ReadonlySet<string> {
  const earlier = new Map<string, string[]>();
  for (const { name } of line)
    for (const { to } of onward(flow, name)) {
      const known = earlier.get(to);
      if (known === undefined) earlier.set(to, [name]);
      else known.push(name);
    }
  const found = new Set<string>();
  const open = ending.map(({ name }) => name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(earlier.get(name) ?? []));
  }
  return found;
}

function stepsInside(node: NodePlan, plan: FilePlan, context: RepeatContext): ReadonlySet<Step> {
  const flow = context.flowOf(plan);
  return stepsOf(
    branchesOf(node).flatMap((name) => inLine(flow, name)),
    plan,
    context,
  );
}

/** Every step of these nodes, or inside them, that must not be repeated. */
function stepsOf(
  nodes: readonly NodePlan[],
  plan: FilePlan,
  context: RepeatContext,
): ReadonlySet<Step> {
  const steps = new Set<Step>();
  const seen = new Set<NodePlan>();
  const open = nodes.map((node) => ({ node, of: plan }));
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node, of } = at;
    if (seen.has(node)) continue;
    seen.add(node);
    if (isStep(node) && !isRepeatable(node, of, context)) steps.add(node);
    const child = node.type === 'workflow' ? context.childOf(node.workflow) : undefined;
    if (child !== undefined) open.push(...lineOf(child.entryPoint, child, context));
    for (const name of branchesOf(node)) open.push(...lineOf(name, of, context));
  }
  return steps;
}

function lineOf(
  start: string,
  of: FilePlan,
  { flowOf }: RepeatContext,
): readonly { readonly node: NodePlan; readonly of: FilePlan }[] {
  return inLine(flowOf(of), start).map((node) => ({ node, of }));
}

/** The nodes that a branch can reach, without the branches inside them. */
function inLine(flow: Flow, start: string): readonly NodePlan[] {
  const seen = new Map<string, NodePlan>();
  const open = [start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = flow.nodes.get(name);
    if (node === undefined || seen.has(name)) continue;
    seen.set(name, node);
    open.push(...onward(flow, name).map(({ to }) => to));
  }
  return [...seen.values()];
}

function union(sets: readonly ReadonlySet<Step>[]): ReadonlySet<Step> {
  return new Set(sets.flatMap((each) => [...each]));
}

function isStep(node: NodePlan): node is Step {
  return node.type === 'script' || node.type === 'call' || node.type === 'tool';
}

function isRepeatable(node: Step, plan: FilePlan, { describesOf }: RepeatContext): boolean {
  if (node.isIdempotent) return true;
  if (node.type === 'script') return false;
  const name = node.type === 'call' ? node.function : node.tool;
  if (describesOf(plan)[name]?.isIdempotent === true) return true;
  if (node.type === 'call') return false;
  if (name === FETCH_TOOL) return READING.has(node.arguments['method'] ?? 'GET');
  return isRepeatableAtServer(name, plan);
}

/** By the settings of the file for a tool of an MCP server. */
function isRepeatableAtServer(name: string, { runtime }: FilePlan): boolean {
  const [server = '', tool = ''] = name.split('/');
  const settings = runtime?.mcpServers[server]?.toolSettings[tool];
  return settings?.idempotent === true || settings?.writes === false;
}

const READING: ReadonlySet<unknown> = new Set(['GET', 'HEAD']);

/**
 * A call to another system that timed out, or got a bad answer, is in doubt: a retry must name
 * that.
 */
function isRemoteTool(node: Step): boolean {
  return node.type === 'tool' && (node.tool.includes('/') || node.tool === FETCH_TOOL);
}

function checkOwnTimeout(node: Step, context: RepeatContext, report: ReportProblem): void {
  const kinds = timeoutsOf(node, context);
  const found = retryOfItsOwn(node, kinds, context);
  if (found === undefined) return;
  report({
    code: 'retry-after-timeout',
    severity: 'info',
    message: `This retry also repeats ${quoted(node.name)} after its own timeout (${quoted(found.kind)}), which may have interrupted it half-way; it is not known to be idempotent`,
    path: fromPointer(found.route.pointer),
    suggestion:
      'Name the kinds to retry, or declare the node `idempotent: true` if repeating it does no harm',
  });
}

/** Time limits of the node, and of the tool or function that it calls. */
function timeoutsOf(node: Step, { plan, describesOf }: RepeatContext): readonly string[] {
  const ofNode = node.timeoutMs !== undefined;
  if (node.type === 'script') return ofNode ? ['internal.script_timeout'] : [];
  if (ofNode) return ['limit.node_timeout', 'tool.timeout'];
  const name = node.type === 'call' ? node.function : node.tool;
  return describesOf(plan)[name]?.timeoutMs === undefined ? [] : ['tool.timeout'];
}

/** A retry that names the kind says that it is meant. */
function checkRefusedOutput(node: Step, context: RepeatContext, report: ReportProblem): void {
  if (node.outputSchema === undefined) return;
  const kind = node.type === 'tool' ? 'tool.output_malformed' : 'internal.schema_violation';
  const found = retryOfItsOwn(node, [kind], context);
  if (found === undefined || isNamed(found.route, kind)) return;
  report({
    code: 'retry-after-refusal',
    severity: 'info',
    message: `This retry also repeats ${quoted(node.name)} after it has run, when its output is not as declared (${quoted(kind)}); it is not known to be idempotent`,
    path: fromPointer(found.route.pointer),
    suggestion:
      'Name the kinds to retry, or declare the node `idempotent: true` if repeating it does no harm',
  });
}

/**
 * The first retry that repeats the step after a failure of one of these kinds, if that may do harm.
 */
function retryOfItsOwn(
  node: Step,
  kinds: readonly string[],
  context: RepeatContext,
): { readonly route: Route; readonly kind: string } | undefined {
  if (isRemoteTool(node) || isRepeatable(node, context.plan, context)) return undefined;
  for (const route of retriesOf(node, context)) {
    const kind = kinds.find((each) =>
      handlingOf(each, node.routes, context.plan.onError).steps.some(
        (step) => step.route === route,
      ),
    );
    if (kind !== undefined) return { route, kind };
  }
  return undefined;
}
