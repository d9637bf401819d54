/**
 * Lists the tools of a workflow's servers before it runs, so that agents know them and an unknown
 * tool is refused. Only servers that a node can use are contacted, all at once and within a time
 * limit. One that does not respond is a warning, because it may be up when it is needed; but an
 * agent that takes all of its tools would get none.
 */
import { createRedactor } from '../../errors/redaction/redact.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { FilePlan, McpServer, WorkflowPlan } from '../../workflow/plan/plan.ts';
import { isTemplate } from '../../workflow/plan/model-names.ts';
import type { AgentPlan, NodePlan } from '../../workflow/plan/node-plan.ts';
import { fromPointer, type Path } from '../../workflow/plan/pointer.ts';
import type { Problem } from '../../workflow/diagnostics/problem.ts';
import type {
  ToolDescription,
  ToolDescriptions,
} from '../../workflow/authoring/tool-description.ts';
import { listed, quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import type { McpServers } from './mcp-servers.ts';
import { describeTool, type ServerTool } from './tool-list.ts';

const DISCOVERY_MS = 10_000;
/** Tools named in one message. */
const MAX_LISTED = 20;

export interface DiscoverOptions {
  /** The servers of the run: connections made here are kept for it. */
  readonly servers: McpServers;
  /** Limit for all servers together. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Secrets of the workflow. A server knows some, and a name of a tool is stored and shown everywhere. */
  readonly secrets?: readonly string[];
}

export interface Discovered {
  /** By file, as in the plan; names are `server/name`. */
  readonly tools: ReadonlyMap<string, ToolDescriptions>;
  readonly problems: readonly { readonly file: string; readonly problem: Problem }[];
}

/** Never rejects. */
export async function describeServers(
  plan: WorkflowPlan,
  options: DiscoverOptions,
): Promise<Discovered> {
  const asking = new Map<McpServer, Promise<Answer>>();
  const tools = new Map<string, ToolDescriptions>();
  const problems: Discovered['problems'][number][] = [];
  const files = [plan, ...Object.values(plan.children)];
  const uses = files.flatMap((file) => usesOf(file, plan));
  for (const { name, server } of uses)
    if (!asking.has(server)) asking.set(server, ask(name, server, options));

  const reported = new Set<McpServer>();
  for (const { file, name, server, owner, named, all } of uses) {
    const answer = (await asking.get(server)) ?? { problem: undefined, why: '' };
    const described =
      'tools' in answer
        ? describeAll(name, server, answer.tools)
        : describeNamed(name, server, named);
    tools.set(file, { ...tools.get(file), ...described });
    if ('tools' in answer) {
      const missing = missingTools(name, answer.tools, named);
      problems.push(...missing.map((problem) => ({ file, problem })));
      const problem = leftOut(name, answer.unnamed);
      if (problem !== undefined && !reported.has(server)) problems.push({ file: owner, problem });
      reported.add(server);
      continue;
    }
    problems.push(...all.map((path) => ({ file, problem: withoutAny(name, answer.why, path) })));
    if (!reported.has(server) && answer.problem !== undefined) {
      reported.add(server);
      problems.push({ file: owner, problem: answer.problem });
    }
  }
  return { tools, problems };
}

/** A tool that a node names. */
interface Named {
  readonly tool: string;
  readonly path: Path;
  /** The node calls it, or offers it to a model. */
  readonly isOffered: boolean;
}

interface Use {
  readonly file: string;
  readonly name: string;
  readonly server: McpServer;
  /** The file whose `runtime` declares it. */
  readonly owner: string;
  readonly named: readonly Named[];
  /** Where agents take all of its tools. */
  readonly all: readonly Path[];
}

function usesOf(file: FilePlan, top: WorkflowPlan): readonly Use[] {
  // like validation: a sub-workflow without a `runtime` uses that of the top workflow
  const owner = file.runtime === undefined ? top : file;
  const nodes = allNodes(file);
  return Object.entries(owner.runtime?.mcpServers ?? {}).flatMap(([name, server]) => {
    if (!nodes.some((node) => canUse(node, name))) return [];
    const named = nodes.flatMap((node) => toolsNamed(node, `${name}/`));
    const all = nodes.flatMap((node) => allTaken(node, `${name}/*`));
    return [{ file: file.file, name, server, owner: owner.file, named, all }];
  });
}

function canUse(node: NodePlan, server: string): boolean {
  if (node.type === 'tool') return isTemplate(node.tool) || node.tool.startsWith(`${server}/`);
  if (node.type !== 'agent') return false;
  return node.tools === null || node.tools.some((tool) => tool.startsWith(`${server}/`));
}

function allTaken(node: NodePlan, wanted: string): readonly Path[] {
  if (node.type !== 'agent') return [];
  const base = fromPointer(node.location.pointer);
  // by default an agent takes all tools that do not write
  if (node.tools === null) return [base];
  const at = node.tools.indexOf(wanted);
  return at < 0 ? [] : [[...base, 'tools', at]];
}

function toolsNamed(node: NodePlan, prefix: string): readonly Named[] {
  if (node.type !== 'tool' && node.type !== 'agent') return [];
  const base = fromPointer(node.location.pointer);
  const names =
    node.type === 'tool'
      ? [{ name: node.tool, path: [...base, 'tool'] }]
      : agentNames(node).map(({ name, path }) => ({ name, path: [...base, ...path] }));
  return names
    .filter(({ name }) => name.startsWith(prefix) && !isTemplate(name) && !name.endsWith('/*'))
    .map(({ name, path }) => ({
      tool: name.slice(prefix.length),
      path,
      isOffered: path.at(-2) === 'tools' || node.type === 'tool',
    }));
}

function agentNames({ tools, policy }: AgentPlan): readonly { name: string; path: Path }[] {
  const listed = (names: readonly string[], ...path: Path): { name: string; path: Path }[] =>
    names.map((name, index) => ({ name, path: [...path, index] }));
  return [
    ...listed(tools ?? [], 'tools'),
    ...listed(policy.allow, 'policy', 'allow'),
    ...listed(policy.deny, 'policy', 'deny'),
    ...listed(policy.ask, 'policy', 'ask'),
  ];
}

type Answer =
  | { readonly tools: ReadonlyMap<string, ServerTool>; readonly unnamed: number }
  | { readonly problem: Problem | undefined; readonly why: string };

async function ask(
  name: string,
  server: McpServer,
  { servers, timeoutMs = DISCOVERY_MS, secrets }: DiscoverOptions,
): Promise<Answer> {
  try {
    const all = await servers.describe({ name, settings: server }, { timeoutMs, attempts: 1 });
    const redactor = createRedactor(secrets);
    const tools = new Map([...all].filter(([tool]) => redactor.values(tool) === tool));
    return { tools, unnamed: all.size - tools.size };
  } catch (thrown) {
    const { message, action } = toReport(thrown);
    return {
      why: message,
      problem: {
        code: 'server-unreachable',
        severity: 'warning',
        message: `The tools of the MCP server ${name} cannot be checked before the run: ${message}`,
        path: ['workflow', 'runtime', 'mcp_servers', name],
        suggestion: action.detail,
      },
    };
  }
}

function describeAll(
  name: string,
  server: McpServer,
  tools: ReadonlyMap<string, ServerTool>,
): ToolDescriptions {
  return byName(name, [...tools.keys()], (tool) => describeTool(tool, server, tools.get(tool)));
}

/** For a server that is unreachable: describes the tools as far as the file does. */
function describeNamed(name: string, server: McpServer, named: readonly Named[]): ToolDescriptions {
  const offered = named.filter(({ isOffered }) => isOffered).map(({ tool }) => tool);
  return byName(name, offered, (tool) => describeTool(tool, server, undefined));
}

function byName(
  server: string,
  tools: readonly string[],
  describe: (tool: string) => ToolDescription,
): ToolDescriptions {
  return Object.fromEntries(tools.map((tool) => [`${server}/${tool}`, describe(tool)]));
}

function withoutAny(server: string, why: string, path: Path): Problem {
  return {
    code: 'server-unreachable',
    message: `${why}; without it the model would be asked without the tools of ${quoted(server)}`,
    path,
    suggestion:
      'Start the server, or name the tools one by one (`tools: []` for none): they are called once it responds',
  };
}

function leftOut(server: string, count: number): Problem | undefined {
  if (count === 0) return undefined;
  return {
    code: 'env-in-name',
    severity: 'warning',
    message: `The MCP server ${quoted(server)} has ${count === 1 ? 'a tool whose name has' : `${count} tools whose names have`} a secret of the file in it, which cannot be called`,
    path: ['workflow', 'runtime', 'mcp_servers', server],
    suggestion:
      'Rename it at the server: a name is stored and shown everywhere, and cannot be redacted',
  };
}

function missingTools(
  server: string,
  tools: ReadonlyMap<string, ServerTool>,
  named: readonly Named[],
): readonly Problem[] {
  return named
    .filter(({ tool }) => !tools.has(tool))
    .map(({ tool, path }) => {
      const meant = suggest(tool, [...tools.keys()]);
      return {
        code: 'unknown-tool',
        message: `The MCP server ${quoted(server)} has no tool called ${quoted(tool)}`,
        path,
        ...(tools.size === 0
          ? {}
          : { expected: `one of ${listed([...tools.keys()].slice(0, MAX_LISTED), 'or')}` }),
        suggestion: meant === undefined ? `Name a tool of ${quoted(server)}` : `${server}/${meant}`,
      };
    });
}
