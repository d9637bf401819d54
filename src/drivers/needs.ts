/**
 * What a run needs to be carried on that its plan does not hold: functions, tools and node types. A
 * run without them is refused before anything is written; an error route would otherwise take a name
 * that nobody has for a failure of the work itself.
 */
import { ErrandError } from '../errors/errand-error.ts';
import type { ErrorReport } from '../errors/report.ts';
import { offeredTools } from '../machine/agent-tools.ts';
import { fileOf } from '../machine/plan-lookup.ts';
import type { RunState } from '../machine/state.ts';
import { RAISE_ERROR, WRITE_STATE } from '../machine/tool-names.ts';
import { allNodes } from '../workflow/all-nodes.ts';
import {
  FETCH_TOOL,
  IN_CODE,
  type FetchSettings,
  type FilePlan,
  type WorkflowPlan,
} from '../workflow/model.ts';
import { isTemplate } from '../workflow/models.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { listed } from '../workflow/words.ts';
import { nodesToCome } from './nodes-to-come.ts';

/** Something that is called by its name. */
export interface Need {
  readonly type: 'call' | 'tool';
  readonly name: string;
  /** Of the file that the node is in. */
  readonly module?: string | undefined;
  /** Of `http_fetch`: what the file lets it ask. */
  readonly fetch?: FetchSettings | undefined;
  /** A node type of an extension. */
  readonly isNodeType?: boolean;
}

export interface Lack {
  readonly need: Need;
  /** Why it cannot be called. */
  readonly why: ErrorReport;
}

/** Those of what is needed that nobody here has. */
export type FindLacks = (needs: readonly Need[]) => Promise<readonly Lack[]>;

/** Throws `run.resume_mismatch`, naming what is missing. `find` is absent where all is there. */
export async function refuseLacking(state: RunState, find: FindLacks | undefined): Promise<void> {
  if (find === undefined) return;
  const needs = needsOf(state);
  const lacks = needs.length === 0 ? [] : await find(needs);
  if (lacks.length > 0) throw lacking(state.plan, lacks);
}

function needsOf(state: RunState): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const [file, names] of nodesToCome(state)) {
    const plan = fileOf(state.plan, file);
    for (const node of allNodes(plan).filter(({ name }) => names.has(name)))
      for (const need of needsOfNode(node, plan, { state, file }))
        needs.set([need.type, need.name, need.module ?? ''].join('\u0000'), need);
  }
  return [...needs.values()];
}

function needsOfNode(
  node: NodePlan,
  plan: FilePlan,
  { state, file }: { readonly state: RunState; readonly file: string },
): readonly Need[] {
  const { module } = plan;
  const tools = state.plan.tools?.[file] ?? {};
  const fetch = (plan.runtime ?? state.plan.runtime)?.httpFetch;
  const toolNeed = (name: string): Need => ({
    type: 'tool',
    name,
    module,
    ...(name === FETCH_TOOL && fetch !== undefined ? { fetch } : {}),
  });
  switch (node.type) {
    case 'call':
      return isTemplate(node.function)
        ? []
        : [
            {
              type: 'call',
              name: node.function,
              module,
              ...(node.isExtension === true ? { isNodeType: true } : {}),
            },
          ];
    case 'tool':
      return isTemplate(node.tool) || isOfServer(node.tool) ? [] : [toolNeed(node.tool)];
    case 'agent': {
      // those that it names are needed also where nobody has described them
      const named = (node.tools ?? []).filter((name) => !isTemplate(name) && !isBuiltIn(name));
      const names = new Set([...named, ...offeredTools(node, tools).map(([name]) => name)]);
      return [...names].flatMap((name) => (isOfServer(name) ? [] : [toolNeed(name)]));
    }
    default:
      return [];
  }
}

/** A server is asked for it when it is called, and may be away for a while. */
function isOfServer(tool: string): boolean {
  return tool.includes('/');
}

function isBuiltIn(tool: string): boolean {
  return tool === RAISE_ERROR || tool === WRITE_STATE;
}

function lacking({ name, file }: WorkflowPlan, lacks: readonly Lack[]): ErrandError {
  const missing = lacks.map(({ need }) => wordsFor(need));
  const isInCode = file.startsWith(IN_CODE);
  const source = isInCode ? `${name} was made in code` : `The workflow ${name} cannot be continued`;
  return new ErrandError({
    kind: 'run.resume_mismatch',
    message: `${source}, and ${listed(missing)} that the run needs ${missing.length === 1 ? 'is' : 'are'} not here`,
    details: { workflow: name, file, missing },
    action: {
      kind: 'fix_setup',
      detail: isInCode
        ? `Resume it in the program that has it: openErrand({ workflows: [${name}] }) registers the workflow.`
        : 'Put them back into the module of the workflow, or register them with openErrand({ functions, tools }); then resume.',
    },
    ...(lacks[0] === undefined ? {} : { cause: lacks[0].why }),
  });
}

function wordsFor({ type, name, isNodeType }: Need): string {
  if (isNodeType === true) return `the node type ${name}`;
  return `the ${type === 'call' ? 'function' : 'tool'} ${name}`;
}
