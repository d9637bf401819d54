/**
 * A workflow file with everything that can be known before it runs: its modules are loaded too. What
 * loads modules and starts servers is itself loaded for files that have some.
 */
import type { DiscoverOptions } from '../effects/mcp/describe-servers.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { CheckOptions } from '../workflow/check/check.ts';
import { toReport } from '../errors/to-report.ts';
import { loadWorkflow } from '../workflow/load/workflow.ts';
import { extensionModules, type WorkflowPlan } from '../workflow/model.ts';
import type { Problem, ValidationKind } from '../workflow/problem.ts';
import { validateLoaded, type Validation } from '../workflow/validate.ts';
import { describeTools, withTools, type FoundProblem } from './describe-tools.ts';
import { providersOf } from './providers-of.ts';
import type { Added, Extensions } from './extensions.ts';
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
  /** Those of the host are loaded with those that the file names. Default: none but the file's. */
  readonly extensions?: Extensions;
  /** The MCP servers that nodes can use are started and asked. Default: they are not. */
  readonly discover?: DiscoverOptions;
}

/** A verdict is data; also a module that cannot be loaded is one. */
export async function checkFile(
  file: string,
  { base, env }: Place,
  options: CheckFileOptions = {},
): Promise<Validation> {
  const { functions = {}, tools = {}, discover, extensions, ...checks } = options;
  const files = nodeFiles(base);
  const loaded = loadWorkflow(file, files, env);
  const name = files.resolve('', file);
  if (!loaded.ok) return validateLoaded(name, loaded, checks);
  const added = await addedBy(loaded.plan, base, extensions);
  if ('problem' in added) {
    const problem = loaded.sources.diagnose(loaded.plan.file, added.problem);
    return validateLoaded(name, { ...loaded, ok: false, diagnostics: [problem] }, checks);
  }
  const registered = { ...added.tools, ...functions, ...tools };
  const described = await describeTools(loaded.plan, { base, registered, nodes: added.nodes });
  const { tools: found, problems } = described;
  const judge = (more: readonly FoundProblem[]): Validation =>
    validateLoaded(
      name,
      {
        ...loaded,
        diagnostics: [
          ...loaded.diagnostics,
          ...[...problems, ...more].map(({ file: of, problem }) =>
            loaded.sources.diagnose(of, problem),
          ),
        ],
      },
      {
        ...checks,
        providers: [...(checks.providers ?? []), ...providersOf(added)],
        // a module that cannot be loaded has been told of; its names are nobody's fault
        known: (of) => {
          const describes = found.get(of);
          const names = Object.keys(describes ?? {});
          return describes && { functions: names, tools: names, describes };
        },
      },
    );
  const verdict = judge([]);
  // no server is started for a file that cannot run
  if (verdict.plan === undefined) return verdict;
  if (discover === undefined) return { ...verdict, plan: withTools(verdict.plan, found) };

  const { describeServers } = await import('../effects/mcp/describe-servers.ts');
  const servers = await describeServers(verdict.plan, discover);
  const last = judge(servers.problems);
  for (const [of, described] of servers.tools) found.set(of, { ...described, ...found.get(of) });
  return last.plan === undefined ? last : { ...last, plan: withTools(last.plan, found) };
}

const NOTHING: Pick<Added, 'tools' | 'nodes' | 'models' | 'providers'> = {
  tools: {},
  nodes: {},
  models: {},
  providers: {},
};

/** What extensions add; those that cannot be used keep every file that names them from running. */
async function addedBy(
  plan: WorkflowPlan,
  base: string,
  extensions: Extensions | undefined,
): Promise<typeof NOTHING | { readonly problem: Problem }> {
  const modules = extensionModules(plan);
  if (extensions === undefined && modules.length === 0) return NOTHING;
  try {
    const { Extensions: Fresh } = await import('./extensions.ts');
    const all = extensions ?? new Fresh({ registered: [], base, onWarning: () => undefined });
    await all.load(modules);
    return all.added;
  } catch (thrown) {
    const { kind, message, action } = toReport(thrown);
    return {
      problem: {
        code: 'extension-unusable',
        // what is thrown there is one of ours
        kind: kind as ValidationKind,
        message,
        path: ['workflow', 'extensions'],
        suggestion: action.detail,
      },
    };
  }
}
