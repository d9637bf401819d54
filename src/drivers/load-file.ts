/** A workflow as it lies on disk, ready to be run. */
import { dirname, relative, resolve } from 'node:path';
import type { McpServers } from '../effects/mcp/mcp.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { ReportDraft } from '../errors/report.ts';
import type { DiagnosticCode } from '../workflow/codes.ts';
import { refusalDraft, type Diagnostic } from '../workflow/diagnostics.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { CheckFileOptions, Place } from './check-file.ts';
import { nodeFiles } from './files.ts';
import { OnDemand } from './on-demand.ts';

export interface LoadedWorkflow {
  readonly plan: WorkflowPlan;
  /** Where it lies, whatever the current folder is. */
  readonly file: string;
  /** Values that must not be shown anywhere. */
  readonly secrets: readonly string[];
  /** What does not keep it from running, such as an MCP server that is away. */
  readonly warnings: readonly Diagnostic[];
  /** The MCP servers that were asked what they have; whoever has the workflow closes them. */
  readonly servers?: McpServers;
}

export interface LoadFileOptions extends CheckFileOptions {
  /** For a run that is there already: what its workflow calls may have gone since. */
  readonly isReload?: boolean;
}

/** Rejects with a refusal that tells everything that is wrong with the file. */
export async function loadWorkflowFile(
  file: string,
  place: Place,
  { isReload = false, ...options }: LoadFileOptions = {},
): Promise<LoadedWorkflow> {
  // the schema and the checks are needed only where a file is read
  const { checkFile } = await import('./check-file.ts');
  const path = resolve(place.base, file);
  const servers = serversFor(path, place);
  const verdict = await checkFile(file, place, { discover: { servers }, ...options, asTop: true });
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

/** Made when the first of them is asked: most workflows have none. */
export function serversFor(file: string, { env }: Place): McpServers {
  const made = new OnDemand(async () => {
    const { createMcpServers } = await import('../effects/mcp/mcp.ts');
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
  place: Place,
  options: CheckFileOptions = {},
): Promise<LoadedWorkflow | undefined> {
  if (file === null) return undefined;
  const near = relative(place.base, file);
  const isThere = nodeFiles(place.base).read(near).ok;
  return isThere ? loadWorkflowFile(near, place, { ...options, isReload: true }) : undefined;
}

/** What is wrong with a file that is right except for what it calls, which was there before. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'module-unusable',
  'unknown-function',
  'unknown-tool',
  'extension-unusable',
] satisfies DiagnosticCode[]);

/** A run is not carried on without what its workflow calls, whichever of its files says so. */
export function resumeRefusal(diagnostics: readonly Diagnostic[], draft: ReportDraft): ReportDraft {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length === 0 || !errors.every(({ code }) => NOT_HERE.has(code))) return draft;
  const missing = errors.map(({ message }) => message);
  return {
    ...draft,
    kind: 'run.resume_mismatch',
    message: `${missing.join('; ')}; the run cannot be resumed without that`,
    details: { missing },
  };
}
