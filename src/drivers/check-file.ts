/**
 * A workflow file with everything that can be known before it runs: its modules are loaded too. What
 * loads modules and starts servers is itself loaded for files that have some.
 */
import { dirname, resolve } from 'node:path';
import type { DiscoverOptions } from '../effects/mcp/describe-servers.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import { toReport } from '../errors/to-report.ts';
import type { CheckOptions } from '../workflow/check/check.ts';
import type { Diagnostic } from '../workflow/diagnostics.ts';
import { loadWorkflow, type LoadResult } from '../workflow/load/workflow.ts';
import { FETCH_TOOL, type FilePlan, type WorkflowPlan } from '../workflow/model.ts';
import type { Problem } from '../workflow/problem.ts';
import type { ToolDescriptions } from '../workflow/tool-description.ts';
import { validateLoaded, type Validation } from '../workflow/validate.ts';
import { nodeFiles } from './files.ts';

export interface Place {
  /** What the file's path, and all paths of the plan, are relative to. */
  readonly base: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CheckFileOptions extends Pick<CheckOptions, 'strict' | 'asTop' | 'providers'> {
  /** What the host registers; it wins over what a module has. */
  readonly functions?: Callables;
  readonly tools?: Callables;
  /** Whether the MCP servers that nodes can use are started and asked. Default: false. */
  readonly discover?: boolean | Pick<DiscoverOptions, 'timeoutMs'>;
}

/** A verdict is data; also a module that cannot be loaded is one. */
export async function checkFile(
  file: string,
  { base, env }: Place,
  options: CheckFileOptions = {},
): Promise<Validation> {
  const { functions = {}, tools = {}, discover = false, ...checks } = options;
  const files = nodeFiles(base);
  const loaded = loadWorkflow(file, files, env);
  const name = files.resolve('', file);
  if (!loaded.ok) return validateLoaded(name, loaded, checks);
  const host = await describeRegistered({ ...functions, ...tools });
  const found = new Map<string, ToolDescriptions>();
  const problems: Diagnostic[] = [];
  for (const plan of filesOf(loaded.plan)) {
    const described = await describeFile(plan, loaded, base);
    if ('problem' in described) problems.push(described.problem);
    else found.set(plan.file, { ...described.tools, ...host });
  }
  const judge = (diagnostics: readonly Diagnostic[]): Validation =>
    validateLoaded(
      name,
      { ...loaded, diagnostics: [...loaded.diagnostics, ...problems, ...diagnostics] },
      {
        ...checks,
        // a module that cannot be loaded has been told of; its names are nobody's fault
        known: (of) => {
          const names = Object.keys(found.get(of) ?? {});
          return found.has(of) ? { functions: names, tools: names } : undefined;
        },
      },
    );
  const verdict = judge([]);
  // no server is started for a file that cannot run
  if (verdict.plan === undefined) return verdict;
  if (discover === false) return { ...verdict, plan: withTools(verdict.plan, found) };

  const { describeServers } = await import('../effects/mcp/describe-servers.ts');
  const servers = await describeServers(verdict.plan, {
    env,
    directory: dirname(resolve(base, file)),
    ...(discover === true ? {} : discover),
  });
  const last = judge(
    servers.problems.map(({ file: of, problem }) => loaded.sources.diagnose(of, problem)),
  );
  for (const [of, described] of servers.tools) found.set(of, { ...described, ...found.get(of) });
  return last.plan === undefined ? last : { ...last, plan: withTools(last.plan, found) };
}

function filesOf(plan: WorkflowPlan): readonly FilePlan[] {
  return [plan, ...Object.values(plan.children)];
}

/** What is registered in code. */
async function describeRegistered(callables: Callables): Promise<ToolDescriptions> {
  if (Object.keys(callables).length === 0) return {};
  const { describeCallables } = await import('../effects/module/find-callable.ts');
  return describeCallables(callables);
}

async function describeFile(
  plan: FilePlan,
  { sources, plan: top }: Extract<LoadResult, { ok: true }>,
  base: string,
): Promise<{ readonly tools: ToolDescriptions } | { readonly problem: Diagnostic }> {
  const [of, runtime] =
    plan.runtime === undefined ? [top.file, top.runtime] : [plan.file, plan.runtime];
  const refused = (thrown: unknown, where: Pick<Problem, 'code' | 'path'>, file = plan.file) => {
    const { message, action } = toReport(thrown);
    const kind = 'validation.node_config' as const;
    return {
      problem: sources.diagnose(file, { kind, message, suggestion: action.detail, ...where }),
    };
  };
  let fetching: ToolDescriptions;
  try {
    fetching = await describeFetch(runtime);
  } catch (thrown) {
    const path = ['workflow', 'runtime', 'http_fetch', 'allow'];
    return refused(thrown, { code: 'bad-value', path }, of);
  }
  if (plan.module === undefined) return { tools: fetching };
  try {
    const { describeModules } = await import('../effects/module/plan-modules.ts');
    const modules = await describeModules({ ...plan, children: {} }, { base });
    return { tools: { ...modules[plan.file]?.tools, ...fetching } };
  } catch (thrown) {
    return refused(thrown, { code: 'module-unusable', path: ['workflow', 'module'] });
  }
}

/** Throws `validation.input` for what is no host after all. */
async function describeFetch(runtime: FilePlan['runtime']): Promise<ToolDescriptions> {
  if (runtime?.httpFetch === undefined) return {};
  const { createFetchTool } = await import('../effects/fetch/fetch-tool.ts');
  return describeRegistered({ [FETCH_TOOL]: createFetchTool(runtime.httpFetch) });
}

/** The machine knows what each tool says of itself, whoever runs it. */
function withTools(plan: WorkflowPlan, found: ReadonlyMap<string, ToolDescriptions>): WorkflowPlan {
  const entries = [
    ['', found.get(plan.file) ?? {}] as const,
    ...Object.keys(plan.children).map((key) => [key, found.get(key) ?? {}] as const),
  ].filter(([, tools]) => Object.keys(tools).length > 0);
  return entries.length === 0 ? plan : { ...plan, tools: Object.fromEntries(entries) };
}
