/** Loads a workflow file and all that it needs to run. */
import { dirname, relative, resolve } from 'node:path';
import type { McpServers } from '../../effects/mcp/mcp-servers.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { DiagnosticCode } from '../../workflow/diagnostics/diagnostic-codes.ts';
import { refusalDraft, type Diagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { CheckFileOptions, Workspace } from './check-file.ts';
import { nodeFiles } from './node-files.ts';
import { providersOf } from './chosen-providers.ts';
import { isPlayed } from '../../workflow/plan/provider-choice.ts';
import { LazyResource } from './lazy-resource.ts';

export interface LoadedWorkflow {
  readonly plan: WorkflowPlan;
  /** Absolute path. */
  readonly file: string;
  /** Values that must not be shown anywhere. */
  readonly secrets: readonly string[];
  /** Problems that do not keep it from running, such as an MCP server that is away. */
  readonly warnings: readonly Diagnostic[];
  /** The MCP servers that were asked for their tools; the owner of the workflow closes them. */
  readonly servers?: McpServers;
}

export interface LoadFileOptions extends CheckFileOptions {
  /** For an existing run: what its workflow calls may be missing since. */
  readonly isReload?: boolean;
}

/** Rejects with one error that lists everything that is wrong with the file. */
export async function loadWorkflowFile(
  file: string,
  workspace: Workspace,
  { isReload = false, ...options }: LoadFileOptions = {},
): Promise<LoadedWorkflow> {
  // the schema and the checks are needed only where a file is read
  const { checkFile } = await import('./check-file.ts');
  const path = resolve(workspace.base, file);
  const servers = serversFor(path, workspace);
  // the settings of the project are read once, and passed on
  const providers = await providersOf(workspace);
  const verdict = await checkFile(
    file,
    { ...workspace, providers },
    {
      ...(isPlayed(providers) ? {} : { discover: { servers } }),
      ...options,
      asTop: true,
    },
  );
  const { plan, secrets } = verdict;
  const diagnostics = verdict.files.flatMap((each) => each.diagnostics);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  if (plan !== undefined) return { plan, file: path, secrets, warnings, servers };
  await servers.close();
  const draft = refusalDraft(diagnostics) ?? {
    kind: 'validation.workflow',
    message: `${file} is not valid`,
  };
  throw new ErrandError(isReload ? resumeRefusal(diagnostics, draft) : draft);
}

/** Made with the first server: most workflows have none. */
export function serversFor(file: string, { env }: Workspace): McpServers {
  const made = new LazyResource(async () => {
    const { createMcpServers } = await import('../../effects/mcp/mcp-servers.ts');
    return createMcpServers({ env, directory: dirname(file) });
  });
  return {
    call: async (request, context) => (await made.get()).call(request, context),
    describe: async (server, patience) => (await made.get()).describe(server, patience),
    close: () => made.ifMade((servers) => servers.close()),
  };
}

/** The workflow of a run as its file is now; undefined when the file is gone. */
export async function reloadWorkflow(
  file: string | null,
  workspace: Workspace,
  options: CheckFileOptions = {},
): Promise<LoadedWorkflow | undefined> {
  if (file === null) return undefined;
  const near = relative(workspace.base, resolve(workspace.base, file));
  const isThere = nodeFiles(workspace.base).read(near).ok;
  return isThere ? loadWorkflowFile(near, workspace, { ...options, isReload: true }) : undefined;
}

/** Diagnostics of a valid file whose code or servers are missing here. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'module-unusable',
  'unknown-function',
  'unknown-tool',
  'server-unreachable',
  'extension-unusable',
] satisfies DiagnosticCode[]);

/** A run is not resumed without what its workflow calls, in any of its files. */
export function resumeRefusal(diagnostics: readonly Diagnostic[], draft: ReportDraft): ReportDraft {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length === 0 || !errors.every(({ code }) => NOT_HERE.has(code))) return draft;
  const missing = errors.map(({ message }) => message);
  return {
    ...draft,
    kind: 'run.resume_mismatch',
    message: `${missing.join('; ')}; the run cannot be resumed without it`,
    details: { missing },
  };
}
