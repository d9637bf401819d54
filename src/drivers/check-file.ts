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
import type { ToolDescriptions } from '../workflow/tool-description.ts';
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
  /**
   * For a file of someone else: none of its code is loaded, so what it exports is not known. Without the
   * extensions of the project, nobody knows what a file without a module may call either. Default: loaded.
   */
  readonly modules?: 'loaded' | 'not loaded' | 'not loaded, nor the project’s';
  /** The MCP servers that nodes can use are started and asked. Default: they are not. */
  readonly discover?: DiscoverOptions;
}

/** A verdict is data; also a module that cannot be loaded is one. */
export async function checkFile(
  file: string,
  { base, env }: Place,
  options: CheckFileOptions = {},
): Promise<Validation> {
  const { functions = {}, tools = {}, discover, extensions, modules, ...checks } = options;
  const files = nodeFiles(base);
  const loaded = loadWorkflow(file, files, env);
  const name = files.resolve('', file);
  if (!loaded.ok) return validateLoaded(name, loaded, checks);
  if (modules !== undefined && modules !== 'loaded') {
    const { unread, known } = await unreadCode(loaded.plan, base);
    const infos = unread.map(({ file: of, problem }) => loaded.sources.diagnose(of, problem));
    const isKnown = unread.length === 0 && modules === 'not loaded';
    return validateLoaded(
      name,
      { ...loaded, diagnostics: [...loaded.diagnostics, ...infos] },
      isKnown ? { ...checks, known } : checks,
    );
  }
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
        known: (of) => knownOf(found.get(of)),
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

function knownOf(
  describes: ToolDescriptions | undefined,
): ReturnType<NonNullable<CheckOptions['known']>> {
  const names = Object.keys(describes ?? {});
  return describes && { functions: names, tools: names, describes };
}

interface Unread {
  readonly unread: readonly FoundProblem[];
  /** What may be called where no code of anyone has to be asked. */
  readonly known: NonNullable<CheckOptions['known']>;
}

/** The code that a workflow names, none of it loaded. */
async function unreadCode(plan: WorkflowPlan, base: string): Promise<Unread> {
  const all = [plan, ...Object.values(plan.children)];
  const unread = all.flatMap(({ file, module, extensions = [] }): FoundProblem[] => [
    ...(module === undefined ? [] : [notLookedAt(file, module, ['workflow', 'module'])]),
    ...extensions.map((each, at) => notLookedAt(file, each, ['workflow', 'extensions', at])),
  ]);
  if (unread.length > 0) return { unread, known: () => undefined };
  const { tools } = await describeTools(plan, { base, registered: {} });
  return { unread, known: (of) => knownOf(tools.get(of)) };
}

function notLookedAt(file: string, code: string, path: Problem['path']): FoundProblem {
  return {
    file,
    problem: {
      code: 'not-looked-at',
      severity: 'info',
      kind: 'validation.workflow',
      message: `${code} was not loaded, and what it exports was not looked at`,
      path,
      suggestion: 'Leave --no-modules out to check what nodes call, once you trust the code',
    },
  };
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
