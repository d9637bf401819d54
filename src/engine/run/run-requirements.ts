/**
 * Functions, tools and node types that a run needs and its plan does not contain. A run without them
 * is refused before anything is written; otherwise an error route would take a missing name for a
 * failure of the work itself.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { offeredTools } from '../../machine/conversation/agent-tools.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import { fileOf } from '../../machine/state/plan-lookup.ts';
import type { RunState } from '../../machine/state/state.ts';
import { BUILT_IN_TOOLS } from '../../workflow/plan/built-in-tools.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import {
  FETCH_TOOL,
  IN_CODE,
  type FetchOptions,
  type FilePlan,
  type WorkflowPlan,
} from '../../workflow/plan/plan.ts';
import { isTemplate } from '../../workflow/plan/model-names.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { listed } from '../../workflow/diagnostics/diagnostic-words.ts';
import { upcomingNodes } from './upcoming-nodes.ts';

/** Something that is called by its name. */
export interface Requirement {
  readonly type: 'call' | 'tool';
  readonly name: string;
  /** Module of the file that the node is in. */
  readonly module?: string | undefined;
  /** For `http_fetch`: what the file lets it fetch. */
  readonly fetch?: FetchOptions | undefined;
  /** A node type of an extension. */
  readonly isNodeType?: boolean;
}

export interface MissingRequirement {
  readonly need: Requirement;
  /** Why it cannot be called. */
  readonly why: ErrorReport;
}

/** Finds the requirements that are missing here. */
export type FindMissing = (needs: readonly Requirement[]) => Promise<readonly MissingRequirement[]>;

/** Throws `run.resume_mismatch`, naming what is missing. `find` is absent where all is there. */
export async function refuseMissing(state: RunState, find: FindMissing | undefined): Promise<void> {
  if (find === undefined) return;
  const needs = needsOf(state);
  const lacks = needs.length === 0 ? [] : await find(needs);
  if (lacks.length > 0) throw lacking(state.plan, lacks, 'this program');
}

/**
 * The same check at a worker, for the one call that it is about to make: the process that started
 * the run cannot know what its workers have. A name made by a template is the work's own failure.
 */
export async function refuseLackingAt(
  { work, node, module, server, fetch, workflow: name }: EffectRequest,
  file: string,
  find: FindMissing | undefined,
): Promise<void> {
  if (find === undefined || server !== undefined) return;
  if (work.type !== 'call' && work.type !== 'tool') return;
  if (
    (node.type === 'call' && isTemplate(node.function)) ||
    (node.type === 'tool' && isTemplate(node.tool))
  )
    return;
  const isNodeType = node.type === 'call' && node.isExtension === true;
  const need: Requirement = {
    type: work.type,
    name: work.type === 'call' ? work.function : work.tool,
    module,
    ...(fetch === undefined ? {} : { fetch }),
    ...(isNodeType ? { isNodeType } : {}),
  };
  const lacks = await find([need]);
  if (lacks.length > 0) throw lacking({ name, file }, lacks, 'a worker');
}

function needsOf(state: RunState): readonly Requirement[] {
  const needs = new Map<string, Requirement>();
  for (const [file, names] of upcomingNodes(state)) {
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
): readonly Requirement[] {
  const { module } = plan;
  const tools = state.plan.tools?.[file] ?? {};
  const fetch = (plan.runtime ?? state.plan.runtime)?.httpFetch;
  const toolNeed = (name: string): Requirement => ({
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
      // named tools are needed even where they are not described
      const named = (node.tools ?? []).filter((name) => !isTemplate(name) && !isBuiltIn(name));
      const names = new Set([...named, ...offeredTools(node, tools).map(([name]) => name)]);
      return [...names].flatMap((name) => (isOfServer(name) ? [] : [toolNeed(name)]));
    }
    default:
      return [];
  }
}

/** A server is asked for the tool when it is called: it may be away for a while now. */
function isOfServer(tool: string): boolean {
  return tool.includes('/');
}

function isBuiltIn(tool: string): boolean {
  return BUILT_IN_TOOLS.includes(tool);
}

function lacking(
  { name, file }: Pick<WorkflowPlan, 'name' | 'file'>,
  lacks: readonly MissingRequirement[],
  where: 'this program' | 'a worker',
): ErrandError {
  const missing = lacks.map(({ need }) => wordsFor(need));
  const isInCode = file.startsWith(IN_CODE);
  const start = isInCode ? 'is defined in code, and' : 'cannot continue:';
  return new ErrandError({
    kind: 'run.resume_mismatch',
    message: `The workflow ${name} ${start} ${where === 'a worker' ? 'the worker' : 'this program'} lacks ${listed(missing)}, which the run needs`,
    details: { workflow: name, file, missing },
    action: {
      kind: 'fix_setup',
      detail: remedyFor({ name, isInCode, where }),
    },
    ...(lacks[0] === undefined ? {} : { cause: lacks[0].why }),
  });
}

function wordsFor({ type, name, isNodeType }: Requirement): string {
  if (isNodeType === true) return `the node type ${name}`;
  return `the ${type === 'call' ? 'function' : 'tool'} ${name}`;
}

interface Missing {
  readonly name: string;
  readonly isInCode: boolean;
  readonly where: 'this program' | 'a worker';
}

function remedyFor({ name, isInCode, where }: Missing): string {
  if (where === 'a worker')
    return 'Start workers that have them, in the module of the workflow or registered with the worker; stop the other workers, then resume.';
  return isInCode
    ? `Resume it in the program that has it: openErrand({ workflows: [${name}] }) registers the workflow.`
    : 'Put them back into the module of the workflow, or register them with openErrand({ functions, tools }); then resume.';
}
