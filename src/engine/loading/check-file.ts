/**
 * A workflow file with everything that can be known before it runs: its modules are loaded too. What
 * loads modules and starts servers is itself loaded for files that have some.
 */
import type { DiscoverOptions } from '../../effects/mcp/describe-servers.ts';
import type { Callables } from '../../effects/module/find-callable.ts';
import type { CheckOptions } from '../../workflow/check/check.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { FilePort } from '../../workflow/yaml/file-port.ts';
import { loadWorkflow, type LoadResult } from '../../workflow/yaml/load-workflow.ts';
import { extensionModules, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { ProviderChoice } from '../../workflow/plan/provider-choice.ts';
import type { Problem, ValidationKind } from '../../workflow/diagnostics/problem.ts';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import { validateLoaded, type Validation } from '../../workflow/check/validate-workflow.ts';
import { describeTools, withTools, type FoundProblem } from './describe-tools.ts';
import { modelProviders } from './model-providers.ts';
import type { Added, Extensions } from './extensions.ts';
import { nodeFiles } from './node-files.ts';
import { providersOf } from './chosen-providers.ts';
import { refuseUnknownStandIn } from './refuse-stand-in.ts';

export interface Workspace {
  /** Base of the file's path and of all paths in the plan. */
  readonly base: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The providers that stand in for those of the file. Default: what ERRAND_PROVIDER says. */
  readonly providers?: ProviderChoice;
}

export interface CheckFileOptions extends Pick<CheckOptions, 'strict' | 'asTop' | 'providers'> {
  /** The functions and tools of the host; they win over a module. */
  readonly functions?: Callables;
  readonly tools?: Callables;
  /** Loaded with the extensions that the file names. Default: only the file's. */
  readonly extensions?: Extensions;
  /**
   * For a file of someone else: loads none of its code, so its exports are unknown. Without the
   * extensions of the project it is also unknown what a file without a module may call. Default:
   * loaded.
   */
  readonly modules?: 'loaded' | 'not loaded' | 'not loaded, nor the project’s';
  /** Reads the files. Default: those on disk. */
  readonly files?: FilePort;
  /** Starts the MCP servers that nodes can use, and asks them for their tools. Default: does not. */
  readonly discover?: DiscoverOptions;
}

/**
 * Checks a file of a project whose extensions are in these modules, beside those that the file names.
 * Rejects with `extension.*` where one of the project's cannot be used.
 */
export async function checkProjectFile(
  file: string,
  workspace: Workspace,
  {
    extensionModules,
    ...options
  }: CheckFileOptions & { readonly extensionModules: readonly string[] },
): Promise<Validation> {
  const { Extensions: Fresh } = await import('./extensions.ts');
  const onWarning = (): void => undefined;
  const extensions = new Fresh({ registered: [], base: workspace.base, onWarning });
  await extensions.load(extensionModules);
  return checkFile(file, workspace, { ...options, extensions });
}

/** Returns diagnostics as data, also for a module that cannot be loaded. */
export async function checkFile(
  file: string,
  workspace: Workspace,
  options: CheckFileOptions = {},
): Promise<Validation> {
  const { base, env } = workspace;
  const { functions = {}, tools = {}, discover, extensions, modules, ...rest } = options;
  const { files = nodeFiles(base), ...checks } = rest;
  const choice = await providersOf(workspace);
  const loaded = loadWorkflow(file, files, env, choice);
  const name = files.resolve('', file);
  if (!loaded.ok) return validateLoaded(name, loaded, checks);
  if (modules !== undefined && modules !== 'loaded') {
    const { unread, known } = await unreadCode(loaded.plan, base);
    const isKnown = unread.length === 0 && modules === 'not loaded';
    if (isKnown) refuseUnknownStandIn(choice, checks.providers ?? []);
    return validateLoaded(name, withProblems(loaded, unread), {
      ...checks,
      known: isKnown ? known : () => undefined,
    });
  }
  const added = await addedBy(loaded.plan, base, extensions);
  if ('problem' in added) {
    const problem = loaded.sources.diagnose(loaded.plan.file, added.problem);
    return validateLoaded(name, { ...loaded, ok: false, diagnostics: [problem] }, checks);
  }
  const providers = [...(checks.providers ?? []), ...modelProviders(added)];
  refuseUnknownStandIn(choice, providers);
  const registered = { ...added.tools, ...functions, ...tools };
  const described = await describeTools(loaded.plan, { base, registered, nodes: added.nodes });
  const { tools: found, problems } = described;
  const judge = (more: readonly FoundProblem[]): Validation =>
    validateLoaded(name, withProblems(loaded, [...problems, ...more]), {
      ...checks,
      providers,
      // a module that cannot be loaded is reported already; the names it would export are not checked
      known: (of) => knownOf(found.get(of)),
    });
  const verdict = judge([]);
  // no server is started for a file that cannot run
  if (verdict.plan === undefined) return verdict;
  if (discover === undefined) return { ...verdict, plan: withTools(verdict.plan, found) };

  const { describeServers } = await import('../../effects/mcp/describe-servers.ts');
  const servers = await describeServers(verdict.plan, {
    ...discover,
    secrets: loaded.secrets,
  });
  const last = judge(servers.problems);
  for (const [of, described] of servers.tools) found.set(of, { ...described, ...found.get(of) });
  return last.plan === undefined ? last : { ...last, plan: withTools(last.plan, found) };
}

type LoadedFiles = Extract<LoadResult, { readonly ok: true }>;

function withProblems(loaded: LoadedFiles, problems: readonly FoundProblem[]): LoadedFiles {
  const found = problems.map(({ file, problem }) => loaded.sources.diagnose(file, problem));
  return { ...loaded, diagnostics: [...loaded.diagnostics, ...found] };
}

function knownOf(
  describes: ToolDescriptions | undefined,
): ReturnType<NonNullable<CheckOptions['known']>> {
  const names = Object.keys(describes ?? {});
  return describes && { functions: names, tools: names, describes };
}

interface Unread {
  readonly unread: readonly FoundProblem[];
  /** The names that a file may call when no code is loaded. */
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
      message: `${code} was not loaded: its exports were not looked at`,
      path,
      suggestion:
        'Once you trust the code, leave --no-modules out to check the functions and tools that nodes call',
    },
  };
}

const NOTHING: Pick<Added, 'tools' | 'nodes' | 'models' | 'providers'> = {
  tools: {},
  nodes: {},
  models: {},
  providers: {},
};

/** The parts that extensions add; an extension that cannot be used refuses every file that names it. */
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
        // only our own errors are thrown there
        kind: kind as ValidationKind,
        message,
        path: ['workflow', 'extensions'],
        suggestion: action.detail,
      },
    };
  }
}
