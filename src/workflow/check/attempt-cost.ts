/** Attempt cost: the most that one attempt of a node can cost, without its retries and its successors. */
import { INLINE_CEILING_MS, SCHEMA_CORRECTIONS, TOOL_CORRECTIONS } from '../plan/plan-limits.ts';
import { priceOf } from '../../providers/pricing/prices.ts';
import { attemptsPerEntry } from '../plan/attempt-bound.ts';
import { FETCH_TOOL, type FilePlan, type Price } from '../plan/plan.ts';
import type { AgentPlan, NodePlan, SupervisorPlan } from '../plan/node-plan.ts';
import { SIMULATED_PROVIDER } from '../plan/model-names.ts';
import type { ToolDescription, ToolDescriptions } from '../authoring/tool-description.ts';
import { addCosts, NOTHING, type CostBound } from './cost-bound.ts';
import { exactly, sum, times, unbounded, ZERO, type Figure } from './bounded-number.ts';
import type { CostContext } from './worst-case.ts';
import { isFree } from './unpriced-models.ts';

/** Grace period between asking a script to end and killing it. */
const KILL_GRACE_MS = 2000;
const SANDBOX_MS = 1000;
/** Model replies per round of a supervisor. */
const SUPERVISOR_ASKS = 1 + SCHEMA_CORRECTIONS;

/** Groups, children and supervised nodes are left out: they cost what they run. */
export function attemptCost(
  node: NodePlan,
  plan: FilePlan,
  { inherited, describes, unpriced }: Pick<CostContext, 'inherited' | 'describes' | 'unpriced'>,
): CostBound {
  const around = {
    inherited,
    describes,
    unpriced: unpriced.ofNode(node),
    declaredPrice: unpriced.declaredPrice,
  };
  switch (node.type) {
    case 'agent':
      return agentCost(node, plan, around);
    case 'supervisor':
      // after its last round there is one more reply, which ends it
      return modelCost(node, exactly((node.maxRounds + 1) * SUPERVISOR_ASKS), plan, around);
    case 'script':
      return effectCost(node, KILL_GRACE_MS);
    case 'call':
      return declaredCost(node, node.function, describes);
    case 'tool':
      return isOfCode(node.tool)
        ? declaredCost(node, node.tool, describes)
        : effectCost(node, 0, describes?.[node.tool]?.retry);
    case 'transform':
      return { ...NOTHING, effects: exactly(1), wallMs: exactly(SANDBOX_MS) };
    case 'wait':
      return { ...NOTHING, wallMs: waitOf(node.duration, node.name) };
    case 'set':
    case 'human_gate':
    case 'terminate':
    case 'workflow':
    case 'parallel':
    case 'for_each':
      return NOTHING;
  }
}

/** A file cannot give the built-in tool or a tool of an MCP server a retry; only code declares one. */
function isOfCode(tool: string): boolean {
  return tool !== FETCH_TOOL && !tool.includes('/');
}

/** Without the code, the number of its retries is unknown. */
function declaredCost(
  node: NodePlan,
  name: string,
  describes: ToolDescriptions | undefined,
): CostBound {
  if (describes !== undefined) return effectCost(node, 0, describes[name]?.retry);
  const unknown = unbounded(`the declaration of ${name} was not loaded`);
  return { ...NOTHING, effects: unknown, wallMs: unknown };
}

/** Retries that a tool declares happen inside the node's attempt; their waits do not count as the node's time. */
function effectCost(node: NodePlan, graceMs: number, retry?: ToolDescription['retry']): CostBound {
  const again = retry?.max ?? 0;
  const ownMs = retry === undefined ? 0 : Math.ceil(retry.maxMs * (1 + retry.jitter));
  const waitsMs = again * Math.max(ownMs, INLINE_CEILING_MS);
  const wallMs =
    node.timeoutMs === undefined
      ? unbounded(`${node.name} has no timeout_seconds`)
      : exactly(node.timeoutMs + graceMs + waitsMs);
  return { ...NOTHING, effects: exactly(1 + again), wallMs };
}

/** Settings that the files around a node supply to its model calls. */
interface ModelsAround extends Pick<CostContext, 'inherited' | 'describes'> {
  /** Models of its chain without a price. */
  readonly unpriced: readonly string[];
  /** Price that a calling file may set for a model. */
  readonly declaredPrice: (model: string) => Price | undefined;
}

function modelCost(
  node: AgentPlan | SupervisorPlan,
  calls: Figure,
  plan: FilePlan,
  { inherited, unpriced, declaredPrice }: ModelsAround,
): CostBound {
  const runtime = plan.runtime ?? inherited;
  const chain = node.model ?? runtime?.defaultModel ?? [];
  const perCall = chain.reduce(
    (total, { model }) => total + attemptsPerEntry(plan, node, model),
    0,
  );
  const modelRequests = times(calls, exactly(perCall));
  // a longer wait pauses the run, which stops its clock
  const waits = times(modelRequests, exactly(INLINE_CEILING_MS));
  const work =
    node.timeoutMs === undefined
      ? unbounded(`${node.name} has no timeout_seconds`)
      : exactly(node.timeoutMs);
  return {
    effects: modelRequests,
    modelRequests,
    wallMs: sum([work, waits]),
    costUsdMicros: costOf(node, modelRequests, {
      unpriced,
      isFree: chain.every(({ model }) =>
        isFreeModel(model, plan, declaredPrice(model) ?? runtime?.simulatePrice),
      ),
    }),
  };
}

/** With a validator: a judgement for the first output and for each one after a rejection. */
function agentCost(node: AgentPlan, plan: FilePlan, around: ModelsAround): CostBound {
  const canCall = mayCallTools(node, plan, around);
  const own = addCosts([
    modelCost(node, exactly(turnsOf(node, canCall)), plan, around),
    { ...NOTHING, effects: toolCalls(node, canCall) },
  ]);
  const { validator } = node;
  if (validator === undefined) return own;
  const { model } = validator;
  const judge = { ...node, ...(model === undefined ? {} : { model }) };
  const turns = (validator.maxRetries + 1) * (1 + TOOL_CORRECTIONS + SCHEMA_CORRECTIONS);
  return addCosts([own, modelCost(judge, exactly(turns), plan, around)]);
}

/** An agent that names no tools gets those that do not write; MCP servers list theirs when a run starts. */
function mayCallTools(
  { tools }: AgentPlan,
  plan: FilePlan,
  { inherited, describes }: ModelsAround,
): boolean {
  if (tools !== null) return tools.length > 0;
  if (describes === undefined) return true;
  const { mcpServers = {} } = plan.runtime ?? inherited ?? {};
  return (
    Object.keys(mcpServers).length > 0 ||
    Object.values(describes).some(({ writes }) => writes === false)
  );
}

function turnsOf(node: AgentPlan, canCall: boolean): number {
  const hasBuiltIns =
    node.writes.length > 0 || node.raises !== undefined || node.dialog !== undefined;
  if (canCall || hasBuiltIns) return node.maxTurns;
  const corrections = node.outputSchema === undefined ? 0 : SCHEMA_CORRECTIONS;
  // a model may call a tool that was not offered, and gets an error back
  const rejections = node.validator?.maxRetries ?? 0;
  return Math.min(node.maxTurns, 1 + TOOL_CORRECTIONS + corrections + rejections);
}

/** Writes to the shared state are tool calls too. */
function toolCalls(node: AgentPlan, canCall: boolean): Figure {
  if (!canCall && node.writes.length === 0 && node.dialog === undefined) return ZERO;
  return unbounded(`the model of ${node.name} decides how many tools it calls in a turn`);
}

function costOf(
  node: AgentPlan | SupervisorPlan,
  requests: Figure,
  { unpriced: [model], isFree }: { readonly unpriced: readonly string[]; readonly isFree: boolean },
): Figure {
  if (requests.value === 0) return ZERO;
  if (model !== undefined)
    return unbounded(`no price is known for ${model}, so no budget limits ${node.name}`);
  const budget = node.budget?.usdMicros;
  if (budget !== undefined) return exactly(budget);
  if (isFree) return ZERO;
  return unbounded(
    `the prompt of ${node.name} can be of any length, and nothing limits its budget`,
  );
}

function isFreeModel(model: string, plan: FilePlan, simulated: Price | undefined): boolean {
  const isSimulated = model.startsWith(`${SIMULATED_PROVIDER}/`);
  const price = priceOf(model, plan.prices) ?? (isSimulated ? simulated : null);
  if (price === null || price === undefined) return isSimulated;
  return isFree(price);
}

function waitOf(duration: number | string, name: string): Figure {
  return typeof duration === 'number'
    ? exactly(duration)
    : unbounded(`the duration of ${name} is known only when it runs`);
}
