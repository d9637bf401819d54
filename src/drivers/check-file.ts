/**
 * A workflow file with everything that can be known before it runs: its modules are loaded too. What
 * loads modules and starts servers is itself loaded for files that have some.
 */
import { dirname, resolve } from 'node:path';
import type { DiscoverOptions } from '../effects/mcp/describe-servers.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { CheckOptions } from '../workflow/check/check.ts';
import { loadWorkflow } from '../workflow/load/workflow.ts';
import { validateLoaded, type Validation } from '../workflow/validate.ts';
import { describeTools, withTools, type FoundProblem } from './describe-tools.ts';
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
  const registered = { ...functions, ...tools };
  const { tools: found, problems } = await describeTools(loaded.plan, { base, registered });
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
  const last = judge(servers.problems);
  for (const [of, described] of servers.tools) found.set(of, { ...described, ...found.get(of) });
  return last.plan === undefined ? last : { ...last, plan: withTools(last.plan, found) };
}
