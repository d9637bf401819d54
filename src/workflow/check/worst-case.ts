/**
 * The worst case: the most that a file can cost over every pattern of failure and success. Without
 * loops it is the most expensive path; with one, only an explicit `max_iterations` bounds it. Nested
 * retries multiply, up to `max_retries`. An unbounded figure is null, with its reason.
 */
import { INLINE_CEILING_MS } from '../plan/plan-limits.ts';
import type { FilePlan } from '../plan/plan.ts';
import type { GroupPlan, NodePlan } from '../plan/node-plan.ts';
import type { Route } from '../plan/route-plan.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';
import {
  addCosts,
  boundCost,
  largestCost,
  NOTHING,
  smallerCost,
  timesCost,
  type CostBound,
} from './cost-bound.ts';
import { exactly, sum, unbounded, ZERO, type Figure } from './bounded-number.ts';
import { membersOf, onward, type Flow } from './flow-graph.ts';
import type { Unpriced } from './unpriced-models.ts';
import { mayTake, type Raising } from './routing.ts';
import { attemptCost } from './attempt-cost.ts';

/** Facts beyond the file that its cost depends on. */
export interface CostContext {
  /** The cost of a child, by its file. */
  readonly childCost: (file: string) => FileCost;
  readonly kindsOf: (node: NodePlan) => readonly string[];
  readonly raisingOf: (node: NodePlan) => Raising;
  readonly unpriced: Pick<Unpriced, 'ofNode' | 'isIn' | 'declaredPrice'>;
  /** The caller's runtime, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** Declarations of the file's functions and tools; undefined where modules were not loaded. */
  readonly describes: ToolDescriptions | undefined;
}

/** Cost of a file: the maximum, the cost without retries, and the most expensive single retry. */
export interface FileCost {
  readonly worst: CostBound;
  readonly first: CostBound;
  /** In this file, or in a file that it calls. */
  readonly retry: CostBound;
}

export const NO_FILE: FileCost = { worst: NOTHING, first: NOTHING, retry: NOTHING };

export interface WorstCase {
  readonly effects: number | null;
  readonly modelRequests: number | null;
  readonly wallMs: number | null;
  readonly costUsdMicros: number | null;
  /** Why a figure is null. */
  readonly unbounded: readonly string[];
}

export function worstCost(plan: FilePlan, flow: Flow, context: CostContext): FileCost {
  const { limits } = plan;
  const own = new Map<NodePlan, OwnCost>();
  for (const node of flow.nodes.values()) own.set(node, ownCost(node, plan, context));
  const written = fromHere(plan, flow, { ...context, own, of: 'worst' });
  const first = fromHere(plan, flow, { ...context, own, of: 'first' });
  const capped =
    limits.maxRetries === undefined
      ? written.cost
      : addCosts([first.cost, timesCost(first.retry, exactly(limits.maxRetries))]);
  const bounds = {
    ...(limits.timeoutMs === undefined ? {} : { wallMs: limits.timeoutMs }),
    // a budget cannot limit what it does not count
    ...(limits.budgetUsdMicros === undefined ||
    limits.budgetMode !== 'enforce' ||
    context.unpriced.isIn(plan)
      ? {}
      : { costUsdMicros: limits.budgetUsdMicros }),
  };
  return {
    worst: boundCost(smallerCost(written.cost, capped), bounds),
    first: boundCost(first.cost, bounds),
    retry: first.retry,
  };
}

export function toWorstCase(cost: CostBound): WorstCase {
  const figures = [cost.effects, cost.modelRequests, cost.wallMs, cost.costUsdMicros];
  return {
    effects: cost.effects.value,
    modelRequests: cost.modelRequests.value,
    wallMs: cost.wallMs.value,
    costUsdMicros: cost.costUsdMicros.value,
    unbounded: [...new Set(figures.flatMap(({ reasons }) => reasons))],
  };
}

/** The most expensive path from the entry to an end, and the most expensive retry on any path. */
function fromHere(
  plan: FilePlan,
  flow: Flow,
  context: Omit<Around, 'costFrom'>,
): { readonly cost: CostBound; readonly retry: CostBound } {
  const costs = new Map<string, CostBound>();
  const retries: CostBound[] = [];
  const costFrom = (name: string): CostBound => costs.get(name) ?? NOTHING;
  const around: Around = { ...context, costFrom };
  const visit = (node: NodePlan): Visited => {
    const visited = visitCost(node, around);
    retries.push(visited.retry);
    return visited;
  };

  // every component comes after those it leads to, so the cost ahead is known
  for (const { members, isCycle } of flow.components) {
    const nodes = members.flatMap((name) => flow.nodes.get(name) ?? []);
    const inside = new Set(members);
    const ahead = members
      .flatMap((name) => onward(flow, name))
      .filter(({ to }) => !inside.has(to))
      .map(({ to }) => costFrom(to));
    const visits = nodes.map(visit);
    const here = isCycle
      ? loopCost(visits, members, plan)
      : addCosts(visits.map(({ cost }) => cost));
    const cost = addCosts([here, largestCost(ahead)]);
    for (const name of members) costs.set(name, cost);
  }
  return { cost: costFrom(flow.entry), retry: largestCost(retries) };
}

/** `max_iterations` counts every start of a node, retries included, so it multiplies the most expensive attempt. */
function loopCost(
  visits: readonly Visited[],
  members: readonly string[],
  plan: FilePlan,
): CostBound {
  const { maxIterations, isDefaultMaxIterations } = plan.limits;
  const rounds = isDefaultMaxIterations
    ? unbounded(`${loopWords(members)} is bounded only by the default max_iterations`)
    : exactly(maxIterations);
  return timesCost(largestCost(visits.map(({ start }) => start)), rounds);
}

export function loopWords(members: readonly string[]): string {
  const [first = ''] = members;
  if (members.length === 1) return `the loop of ${first} to itself`;
  return `the loop through ${[...members].sort().slice(0, 4).join(', ')}${members.length > 4 ? ', …' : ''}`;
}

/** The cost of a node by itself, whatever follows it: both walks use it. */
interface OwnCost {
  /** One attempt, without what is inside the node. */
  readonly attempt: CostBound;
  /** Its retries, each with the longest wait before it. */
  readonly retries: readonly { readonly max: number; readonly wait: CostBound }[];
  /** Runs that no retry counts, the first one included. */
  readonly runs: Figure;
}

interface Around extends CostContext {
  readonly own: ReadonlyMap<NodePlan, OwnCost>;
  readonly costFrom: (name: string) => CostBound;
  /** Whether to count its retries. */
  readonly of: 'worst' | 'first';
}

interface Visited {
  /** One visit of a node with all its attempts and the waits between them. */
  readonly cost: CostBound;
  /** Its most expensive retry. */
  readonly retry: CostBound;
  /** One of its attempts, with the longest wait before it. */
  readonly start: CostBound;
}

function ownCost(node: NodePlan, plan: FilePlan, context: CostContext): OwnCost {
  const routes = [...node.routes, ...plan.onError];
  const reruns = routes
    .map((route) => ({ route, times: otherReruns(node, route) }))
    .filter(
      ({ route, times }) =>
        times !== ZERO && mayTake(route, context.kindsOf(node), context.raisingOf(node)),
    );
  return {
    attempt: attemptCost(node, plan, context),
    // all of them, whatever their kinds: a bound must not depend on the predicted kinds
    retries: routes.flatMap(({ move }) =>
      move.type === 'retry' ? [{ max: move.max, wait: waiting(waitOf(move, node)) }] : [],
    ),
    runs: sum([exactly(1), ...reruns.map(({ times }) => times)]),
  };
}

function visitCost(node: NodePlan, around: Around): Visited {
  const { attempt, retries, runs } = around.own.get(node) ?? FREE;
  const once = addCosts([attempt, insideCost(node, around)]);
  const retryOnce = retries.map(({ wait }) => addCosts([once, wait]));
  const inside = node.type === 'workflow' ? [around.childCost(node.workflow).retry] : [];
  return {
    cost: addCosts([
      timesCost(once, runs),
      ...(around.of === 'first'
        ? []
        : retries.map(({ max }, index) => timesCost(retryOnce[index] ?? NOTHING, exactly(max)))),
    ]),
    retry: largestCost([...retryOnce, ...inside]),
    // an unbounded member stays unbounded, whatever bounds the loop
    start: timesCost(largestCost([once, ...retryOnce]), runs.value === null ? runs : exactly(1)),
  };
}

const FREE: OwnCost = { attempt: NOTHING, retries: [], runs: exactly(1) };

function waiting(wallMs: Figure): CostBound {
  return { ...NOTHING, wallMs };
}

function insideCost(node: NodePlan, { costFrom, childCost, of }: Around): CostBound {
  switch (node.type) {
    case 'workflow':
      return childCost(node.workflow)[of];
    case 'parallel':
      return addCosts(membersOf(node).map(costFrom));
    case 'for_each':
      return timesCost(costFrom(node.member.name), itemsOf(node));
    case 'supervisor':
      return timesCost(largestCost(node.manages.map(costFrom)), exactly(node.maxRounds));
    case 'agent':
    case 'call':
    case 'script':
    case 'tool':
    case 'transform':
    case 'set':
    case 'wait':
    case 'human_gate':
    case 'terminate':
      return NOTHING;
  }
}

function itemsOf(node: GroupPlan): Figure {
  return unbounded(`the number of items of ${node.name} is known only when it runs`);
}

/** The limit counts retries only; a parked node, or one that a person repeats, may run again. */
function otherReruns(node: NodePlan, { move }: Route): Figure {
  switch (move.type) {
    case 'park':
      return move.max === undefined
        ? unbounded(`${node.name} runs again after each park, without a limit`)
        : exactly(move.max);
    case 'ask':
      return move.options.includes('retry')
        ? unbounded(`a person may answer retry at ${node.name} without a limit`)
        : ZERO;
    case 'retry':
    case 'to':
    case 'halt':
    case 'propagate':
      return ZERO;
  }
}

/** Node types that never get a wait hint from a server. */
const WITHOUT_HINTS: ReadonlySet<NodePlan['type']> = new Set([
  'script',
  'transform',
  'set',
  'wait',
]);

/** A route's wait is at least the server's hint, and a hint above the ceiling pauses the run. */
function waitOf(move: Extract<Route['move'], { type: 'retry' }>, node: NodePlan): Figure {
  const ownMs = move.backoff === 'none' ? 0 : Math.ceil(move.maxMs * (1 + move.jitter));
  return exactly(WITHOUT_HINTS.has(node.type) ? ownMs : Math.max(ownMs, INLINE_CEILING_MS));
}
