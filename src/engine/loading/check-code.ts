/**
 * A workflow in code with everything that can be known before it runs: checked as a file is, with what
 * it may call. What starts servers is itself loaded for workflows that have some.
 */
import type { DiscoverOptions } from '../../effects/mcp/describe-servers.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { codeRefusal } from '../../workflow/authoring/code-refusal.ts';
import { toDiagnostic, type Diagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import { Outside } from '../../workflow/yaml/outside-values.ts';
import { workflowSources } from '../../workflow/yaml/source-positions.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { validateLoaded, type Validation } from '../../workflow/check/validate-workflow.ts';
import {
  describeTools,
  withTools,
  type DescribeOptions,
  type FoundProblem,
} from './describe-tools.ts';
import { resumeRefusal } from './load-file.ts';

export interface CheckCodeOptions extends DescribeOptions {
  /** Model providers that the host registers. */
  readonly providers: readonly string[];
  /** The workflow is about to run as a whole: no parent file can handle what it raises. */
  readonly asTop: boolean;
  /** Starts the MCP servers that nodes can use, and asks them for their tools. Default: does not. */
  readonly discover?: DiscoverOptions;
}

/** Returns diagnostics as data. Throws `extension.contract` for what the host declares wrongly. */
export async function checkCode(
  plan: WorkflowPlan,
  { providers, discover, asTop, ...options }: CheckCodeOptions,
): Promise<Validation> {
  const { tools: found, problems } = await describeTools(plan, options);
  const judge = (more: readonly FoundProblem[]): Validation =>
    validateLoaded(
      plan.file,
      {
        ok: true,
        plan,
        diagnostics: [...problems, ...more].map(({ file, problem }) =>
          toDiagnostic(problem, undefined, file),
        ),
        sources: workflowSources(new Map(), new Outside()),
        secrets: [],
      },
      {
        asTop,
        providers,
        known: (of) => {
          const describes = found.get(of);
          const names = Object.keys(describes ?? {});
          return describes && { functions: names, tools: names, describes };
        },
      },
    );
  const verdict = judge([]);
  // no server is started for a workflow that cannot run
  if (verdict.plan === undefined) return verdict;
  if (discover === undefined || !hasServers(plan))
    return { ...verdict, plan: withTools(verdict.plan, found) };

  const { describeServers } = await import('../../effects/mcp/describe-servers.ts');
  const servers = await describeServers(verdict.plan, discover);
  const last = judge(servers.problems);
  for (const [of, described] of servers.tools) found.set(of, { ...described, ...found.get(of) });
  return last.plan === undefined ? last : { ...last, plan: withTools(last.plan, found) };
}

/** The plan that can run; throws what is wrong with it. */
export function acceptedPlan(
  { plan, files }: Validation,
  { isReload }: { readonly isReload: boolean },
): WorkflowPlan {
  if (plan !== undefined) return plan;
  const diagnostics: readonly Diagnostic[] = files.flatMap((file) => file.diagnostics);
  const draft = codeRefusal(diagnostics);
  throw new ErrandError(isReload ? resumeRefusal(diagnostics, draft) : draft);
}

function hasServers(plan: WorkflowPlan): boolean {
  return [plan, ...Object.values(plan.children)].some(
    ({ runtime }) => Object.keys(runtime?.mcpServers ?? {}).length > 0,
  );
}
