/**
 * Describes the tools that each file of a workflow may call, from the host, its module and its
 * runtime. Loads what imports modules and starts servers only for workflows that need it.
 */
import type { Callables } from '../../effects/module/find-callable.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { mapValues } from '../../workflow/plan/omit-undefined.ts';
import { FETCH_TOOL, type FilePlan, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Problem } from '../../workflow/diagnostics/problem.ts';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';

export interface FoundProblem {
  readonly file: string;
  readonly problem: Problem;
}

export interface DescribedTools {
  /** By file, as in the plan; without those whose module cannot be loaded. */
  readonly tools: Map<string, ToolDescriptions>;
  readonly problems: readonly FoundProblem[];
}

export interface DescribeOptions {
  /** Base of the paths in the plan. */
  readonly base: string;
  /** The functions and tools of the host; they win over a module. */
  readonly registered: Callables;
  /** Node types that extensions add. */
  readonly nodes?: Callables;
}

/** Throws `extension.contract` for what the host declares wrongly; all else is a problem of a file. */
export async function describeTools(
  plan: WorkflowPlan,
  { base, registered, nodes = {} }: DescribeOptions,
): Promise<DescribedTools> {
  const host = { ...(await describeNodes(nodes)), ...(await describeRegistered(registered)) };
  const tools = new Map<string, ToolDescriptions>();
  const problems: FoundProblem[] = [];
  for (const file of [plan, ...Object.values(plan.children)]) {
    const described = await describeFile(file, plan, base);
    if ('problem' in described) problems.push(described);
    else tools.set(file.file, { ...described.tools, ...host });
  }
  return { tools, problems };
}

/** Adds the descriptions to the plan, so that the machine knows them wherever the run is executed. */
export function withTools(
  plan: WorkflowPlan,
  found: ReadonlyMap<string, ToolDescriptions>,
): WorkflowPlan {
  const entries = [
    ['', found.get(plan.file) ?? {}] as const,
    ...Object.keys(plan.children).map((key) => [key, found.get(key) ?? {}] as const),
  ].filter(([, tools]) => Object.keys(tools).length > 0);
  return entries.length === 0 ? plan : { ...plan, tools: Object.fromEntries(entries) };
}

async function describeFile(
  plan: FilePlan,
  top: FilePlan,
  base: string,
): Promise<{ readonly tools: ToolDescriptions } | FoundProblem> {
  const owner = plan.runtime === undefined ? top : plan;
  let fetching: ToolDescriptions;
  try {
    fetching = await describeFetch(owner.runtime);
  } catch (thrown) {
    const path = ['workflow', 'runtime', 'http_fetch', 'allow'];
    return { file: owner.file, problem: toProblem(thrown, { code: 'bad-value', path }) };
  }
  if (plan.module === undefined) return { tools: fetching };
  try {
    const { describeModules } = await import('../../effects/module/plan-modules.ts');
    const modules = await describeModules({ ...plan, children: {} }, { base });
    return { tools: { ...modules[plan.file]?.tools, ...fetching } };
  } catch (thrown) {
    const where = { code: 'module-unusable', path: ['workflow', 'module'] } as const;
    return { file: plan.file, problem: toProblem(thrown, where) };
  }
}

/** No agent has a node type for a tool unless its node names it. */
async function describeNodes(nodes: Callables): Promise<ToolDescriptions> {
  const described = await describeRegistered(nodes);
  return mapValues(described, (each) => ({ ...each, writes: null }));
}

async function describeRegistered(callables: Callables): Promise<ToolDescriptions> {
  if (Object.keys(callables).length === 0) return {};
  const { describeCallables } = await import('../../effects/module/find-callable.ts');
  return describeCallables(callables);
}

/** Throws `validation.input` for what is no host after all. */
async function describeFetch(runtime: FilePlan['runtime']): Promise<ToolDescriptions> {
  if (runtime?.httpFetch === undefined) return {};
  const { createFetchTool } = await import('../../effects/fetch/fetch-tool.ts');
  return describeRegistered({ [FETCH_TOOL]: createFetchTool(runtime.httpFetch) });
}

function toProblem(thrown: unknown, where: Pick<Problem, 'code' | 'path'>): Problem {
  const { message, action } = toReport(thrown);
  return { ...where, kind: 'validation.node_config', message, suggestion: action.detail };
}
