/** Callables: checks that the functions and tools that a file names exist. */
import { suggest } from '../../errors/support/suggest.ts';
import { BUILT_IN_TOOLS } from '../plan/built-in-tools.ts';
import { allNodes } from '../plan/node-list.ts';
import { FETCH_TOOL, type FilePlan } from '../plan/plan.ts';
import { isTemplate } from '../plan/model-names.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';
import { oneOf, quoted } from '../diagnostics/diagnostic-words.ts';

/** Functions and tools that the host registers or the file's module exports. */
export interface KnownNames {
  /** For `call` nodes. */
  readonly functions: readonly string[];
  /** For `tool` nodes and agents; MCP servers list their own. */
  readonly tools: readonly string[];
  /** Their declarations, such as retries. */
  readonly describes?: ToolDescriptions;
}

export interface CallablesContext {
  readonly plan: FilePlan;
  /** The caller's runtime, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** Undefined if the host has not listed them: then any name may exist. */
  readonly known: KnownNames | undefined;
  /** Simulated models play the file: they call no tool of an agent, so a missing one does no harm. */
  readonly isPlayed: boolean;
}

const MAX_LISTED = 20;

export function checkCallables(context: CallablesContext, report: ReportProblem): void {
  for (const node of allNodes(context.plan)) {
    for (const { name, path, isFunction, isType, isIdle } of namesOf(node)) {
      if (isTemplate(name)) continue;
      const judge = isFunction ? functionProblem : toolProblem;
      const problem = (isType === true ? typeProblem : judge)(name, context);
      if (problem === undefined) continue;
      const isHarmless = isIdle === true || (context.isPlayed && node.type === 'agent');
      report({ ...problem, path, ...(isHarmless ? { severity: 'warning' } : {}) });
    }
  }
}

interface Named {
  readonly name: string;
  readonly path: Path;
  readonly isFunction: boolean;
  /** A node type of an extension. */
  readonly isType?: boolean;
  /** The policy of an agent without tools has no effect. */
  readonly isIdle?: boolean;
}

function namesOf(node: NodePlan): readonly Named[] {
  if (node.type !== 'call' && node.type !== 'tool' && node.type !== 'agent') return [];
  const base = fromPointer(node.location.pointer);
  if (node.type === 'call') {
    const path = [...base, node.isExtension === true ? 'type' : 'function'];
    return [{ name: node.function, path, isFunction: true, isType: node.isExtension === true }];
  }
  if (node.type === 'tool')
    return [{ name: node.tool, path: [...base, 'tool'], isFunction: false }];
  const named = (list: readonly string[], ...path: Path): readonly Named[] =>
    list.map((name, index) => ({ name, path: [...base, ...path, index], isFunction: false }));
  const policed = POLICIES.flatMap((key) => named(node.policy[key], 'policy', key));
  const isIdle = node.tools?.length === 0;
  return [
    ...named(node.tools ?? [], 'tools'),
    // a misspelt name here would allow a call that should be denied or approved
    ...policed.map((each) => ({ ...each, isIdle })),
  ];
}

const POLICIES = ['allow', 'deny', 'ask'] as const;

function typeProblem(name: string, { known }: CallablesContext): Omit<Problem, 'path'> | undefined {
  if (known === undefined || known.functions.includes(name)) return undefined;
  const [extension = ''] = name.split('.');
  const types = known.functions.filter((each) => each.includes('.'));
  const isThere = types.some((each) => each.startsWith(`${extension}.`));
  return {
    code: 'unknown-node-type',
    message: isThere
      ? `The extension ${quoted(extension)} has no node type ${quoted(name)}`
      : `There is no extension ${quoted(extension)} that could have the node type ${quoted(name)}`,
    suggestion:
      suggest(name, types) ??
      (isThere ? 'Write a type that it has' : 'Name its file under `workflow.extensions`'),
  };
}

function functionProblem(
  name: string,
  { known, plan }: CallablesContext,
): Omit<Problem, 'path'> | undefined {
  if (known === undefined || known.functions.includes(name)) return undefined;
  return {
    code: 'unknown-function',
    message: `No function is called ${quoted(name)}`,
    ...advice(name, known.functions, plan),
  };
}

function toolProblem(
  name: string,
  { known, plan, inherited }: CallablesContext,
): Omit<Problem, 'path'> | undefined {
  const slash = name.indexOf('/');
  if (slash >= 0)
    return serverProblem(name.slice(0, slash), name.slice(slash + 1), plan.runtime ?? inherited);
  if (known === undefined || BUILT_IN_TOOLS.includes(name) || known.tools.includes(name))
    return undefined;
  return {
    code: 'unknown-tool',
    message: `No tool is called ${quoted(name)}`,
    ...(fetchAdvice(name, known.tools) ?? advice(name, known.tools, plan)),
  };
}

/** Advises the built-in tool, which is there only where the file allows it hosts. */
function fetchAdvice(
  name: string,
  tools: readonly string[],
): Pick<Problem, 'suggestion'> | undefined {
  if (tools.includes(FETCH_TOOL) || suggest(name, [...tools, FETCH_TOOL]) !== FETCH_TOOL)
    return undefined;
  const hosts = '`runtime.http_fetch: {allow: [api.example.com]}`';
  return {
    suggestion:
      name === FETCH_TOOL
        ? `Allow it hosts with ${hosts}`
        : `Write ${quoted(FETCH_TOOL)}, and allow it hosts with ${hosts}`,
  };
}

function serverProblem(
  server: string,
  tool: string,
  runtime: FilePlan['runtime'],
): Omit<Problem, 'path'> | undefined {
  const servers = runtime?.mcpServers ?? {};
  const found = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (found === undefined) {
    const meant = suggest(server, Object.keys(servers));
    return {
      code: 'unknown-server',
      message: `The file declares no MCP server called ${quoted(server)}`,
      suggestion:
        meant === undefined
          ? 'Declare it under `workflow.runtime.mcp_servers`'
          : `${meant}/${tool}`,
    };
  }
  if (tool === '*' || found.tools === null || found.tools.includes(tool)) return undefined;
  const meant = suggest(tool, found.tools);
  return {
    code: 'unknown-tool',
    message: `The \`tools\` of the MCP server ${quoted(server)} do not list ${quoted(tool)}`,
    suggestion: meant === undefined ? `Add ${quoted(tool)} to them` : `${server}/${meant}`,
  };
}

function advice(
  name: string,
  known: readonly string[],
  { module }: FilePlan,
): Pick<Problem, 'expected' | 'suggestion'> {
  const meant = suggest(name, known);
  return {
    ...(known.length === 0 || known.length > MAX_LISTED ? {} : { expected: oneOf(known) }),
    suggestion:
      meant ??
      (module === undefined
        ? `Set \`workflow.module\`, and export ${quoted(name)} from that module`
        : `Export ${quoted(name)} from the module of the file`),
  };
}
