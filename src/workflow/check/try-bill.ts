/** What one try of a node can cost at most, its re-runs and what follows it aside. */
import { INLINE_CEILING_MS, SCHEMA_CORRECTIONS, TOOL_CORRECTIONS } from '../limits.ts';
import { priceOf } from '../../providers/prices.ts';
import { attemptsPerEntry } from '../attempts.ts';
import type { FilePlan, Price } from '../model.ts';
import type { AgentPlan, NodePlan, SupervisorPlan } from '../node-model.ts';
import { SIMULATED_PROVIDER } from '../models.ts';
import type { ToolDescription } from '../tool-description.ts';
import { NOTHING, type Bill } from './bill.ts';
import { exactly, sum, times, unbounded, ZERO, type Figure } from './figure.ts';
import type { BillContext } from './worst-case.ts';
import { isFree } from './prices.ts';

/** A script that was told to end has this long before it is killed. */
const KILL_GRACE_MS = 2000;
const SANDBOX_MS = 1000;
/** How often a supervisor is asked in one round. */
const SUPERVISOR_ASKS = 1 + SCHEMA_CORRECTIONS;

/** Everything but groups, children and supervised nodes, whose bills are those of what they run. */
export function tryBill(
  node: NodePlan,
  plan: FilePlan,
  { inherited, describes, unpriced }: Pick<BillContext, 'inherited' | 'describes' | 'unpriced'>,
): Bill {
  const around = { inherited, unpriced: unpriced.ofNode(node), given: unpriced.given };
  switch (node.type) {
    case 'agent':
      return modelBill(node, exactly(turnsOf(node)), plan, around);
    case 'supervisor':
      // after its last round it is asked once more, for the end
      return modelBill(node, exactly((node.maxRounds + 1) * SUPERVISOR_ASKS), plan, around);
    case 'script':
      return effectBill(node, KILL_GRACE_MS);
    case 'call':
      return effectBill(node, 0, describes[node.function]?.retry);
    case 'tool':
      return effectBill(node, 0, describes[node.tool]?.retry);
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

/** What a tool declares is tried again inside the node's try, and its waits are not the node's time. */
function effectBill(node: NodePlan, graceMs: number, retry?: ToolDescription['retry']): Bill {
  const again = retry?.max ?? 0;
  const ownMs = retry === undefined ? 0 : Math.ceil(retry.maxMs * (1 + retry.jitter));
  const waitsMs = again * Math.max(ownMs, INLINE_CEILING_MS);
  const wallMs =
    node.timeoutMs === undefined
      ? unbounded(`${node.name} has no timeout_seconds`)
      : exactly(node.timeoutMs + graceMs + waitsMs);
  return { ...NOTHING, effects: exactly(1 + again), wallMs };
}

/** What a node that asks models has from outside its file. */
interface ModelsAround {
  readonly inherited: FilePlan['runtime'];
  /** Models of its chain without a price. */
  readonly unpriced: readonly string[];
  /** What a file around it may say that a model costs. */
  readonly given: (model: string) => Price | undefined;
}

function modelBill(
  node: AgentPlan | SupervisorPlan,
  calls: Figure,
  plan: FilePlan,
  { inherited, unpriced, given }: ModelsAround,
): Bill {
  const runtime = plan.runtime ?? inherited;
  const chain = node.model ?? runtime?.defaultModel ?? [];
  const perCall = chain.reduce(
    (total, { model }) => total + attemptsPerEntry(plan, node, model),
    0,
  );
  const modelRequests = times(calls, exactly(perCall));
  // a longer wait parks the run, and the clock stands still while it is parked
  const waits = times(modelRequests, exactly(INLINE_CEILING_MS));
  const work =
    node.timeoutMs === undefined
      ? unbounded(`${node.name} has no timeout_seconds`)
      : exactly(node.timeoutMs);
  return {
    effects: sum([modelRequests, toolCalls(node)]),
    modelRequests,
    wallMs: sum([work, waits]),
    costUsdMicros: costOf(node, modelRequests, {
      unpriced,
      isFree: chain.every(({ model }) =>
        isFreeModel(model, plan, given(model) ?? runtime?.simulatePrice),
      ),
    }),
  };
}

function turnsOf(node: AgentPlan): number {
  const mayCallTools = node.tools === null || node.tools.length > 0;
  const hasBuiltIns = node.writes.length > 0 || node.raises !== undefined;
  if (mayCallTools || hasBuiltIns) return node.maxTurns;
  const corrections = node.outputSchema === undefined ? 0 : SCHEMA_CORRECTIONS;
  // a model may call what nobody offered, and is told so
  return Math.min(node.maxTurns, 1 + TOOL_CORRECTIONS + corrections);
}

/** What it writes to the shared state goes by a tool, too. */
function toolCalls(node: AgentPlan | SupervisorPlan): Figure {
  if (node.type === 'supervisor') return ZERO;
  if (node.tools !== null && node.tools.length === 0 && node.writes.length === 0) return ZERO;
  return unbounded(`the model of ${node.name} decides how many tools it calls in a turn`);
}

function costOf(
  node: AgentPlan | SupervisorPlan,
  requests: Figure,
  { unpriced: [model], isFree }: { readonly unpriced: readonly string[]; readonly isFree: boolean },
): Figure {
  if (requests.value === 0) return ZERO;
  if (model !== undefined)
    return unbounded(`${model} has no price, so no budget holds what ${node.name} costs`);
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
