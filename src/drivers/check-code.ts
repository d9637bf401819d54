/**
 * A workflow in code with everything that can be known before it runs: checked as a file is, with what
 * it may call. What starts servers is itself loaded for workflows that have some.
 */
import type { DiscoverOptions } from '../effects/mcp/describe-servers.ts';
import { ErrandError } from '../errors/errand-error.ts';
import { codeRefusal } from '../workflow/code-refusal.ts';
import { toDiagnostic, type Diagnostic } from '../workflow/diagnostics.ts';
import { Outside } from '../workflow/load/outside.ts';
import { workflowSources } from '../workflow/load/sources.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { validateLoaded, type Validation } from '../workflow/validate.ts';
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
  /** It is about to be run: nobody is there to propagate to. */
  readonly asTop: boolean;
  /** The MCP servers that nodes can use are started and asked. Default: they are not. */
  readonly discover?: DiscoverOptions;
}

/** A verdict is data. Throws `extension.contract` for what the host declares wrongly. */
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

  const { describeServers } = await import('../effects/mcp/describe-servers.ts');
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
