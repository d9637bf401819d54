/**
 * The most that a file can cost over every pattern of failing and succeeding that it allows. Without
 * circles it is the dearest path; with one, only an explicit `max_iterations` bounds it. A figure
 * that nothing bounds is null, and the reason is told.
 */
import { INLINE_CEILING_MS } from '../limits.ts';
import type { FilePlan } from '../model.ts';
import type { GroupPlan, NodePlan } from '../node-model.ts';
import type { Route } from '../route.ts';
import type { ToolDescriptions } from '../tool-description.ts';
import { addBills, boundBill, largestBill, NOTHING, timesBill, type Bill } from './bill.ts';
import { exactly, sum, times, unbounded, ZERO, type Figure } from './figure.ts';
import { membersOf, onward, type Flow } from './flow.ts';
import { mayTake } from './routing.ts';
import { tryBill } from './try-bill.ts';

/** What a bill depends on beyond its own file. */
export interface BillContext {
  /** The bill of a child, by its file. */
  readonly childBill: (file: string) => Bill;
  readonly kindsOf: (node: NodePlan) => readonly string[];
  /** Of the caller, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** What the functions and tools of the file say of themselves, as far as that is known. */
  readonly describes: ToolDescriptions;
}

export interface WorstCase {
  readonly effects: number | null;
  readonly modelRequests: number | null;
  readonly wallMs: number | null;
  readonly costUsdMicros: number | null;
  /** Why a figure is null. */
  readonly unbounded: readonly string[];
}

export function worstBill(plan: FilePlan, flow: Flow, context: BillContext): Bill {
  const { limits } = plan;
  const start = fromHere(plan, flow, context).get(flow.entry) ?? NOTHING;
  return boundBill(start, {
    ...(limits.timeoutMs === undefined ? {} : { wallMs: limits.timeoutMs }),
    ...(limits.budgetUsdMicros === undefined || limits.budgetMode !== 'enforce'
      ? {}
      : { costUsdMicros: limits.budgetUsdMicros }),
  });
}

export function toWorstCase(bill: Bill): WorstCase {
  const figures = [bill.effects, bill.modelRequests, bill.wallMs, bill.costUsdMicros];
  return {
    effects: bill.effects.value,
    modelRequests: bill.modelRequests.value,
    wallMs: bill.wallMs.value,
    costUsdMicros: bill.costUsdMicros.value,
    unbounded: [...new Set(figures.flatMap(({ reasons }) => reasons))],
  };
}

/** For each node, the dearest way from there to an end. */
function fromHere(plan: FilePlan, flow: Flow, context: BillContext): ReadonlyMap<string, Bill> {
  const dearest = new Map<string, Bill>();
  const billFrom = (name: string): Bill => dearest.get(name) ?? NOTHING;
  const around: Around = { ...context, billFrom };
  const visit = (node: NodePlan): Bill => visitBill(node, plan, around);

  // every component comes after those it leads to, so what lies ahead is known
  for (const { members, isCircle } of flow.components) {
    const nodes = members.flatMap((name) => flow.nodes.get(name) ?? []);
    const inside = new Set(members);
    const ahead = members
      .flatMap((name) => onward(flow, name))
      .filter(({ to }) => !inside.has(to))
      .map(({ to }) => billFrom(to));
    const here = isCircle
      ? circleBill(nodes.map(visit), members, plan)
      : addBills(nodes.map(visit));
    const bill = addBills([here, largestBill(ahead)]);
    for (const name of members) dearest.set(name, bill);
  }
  return dearest;
}

function circleBill(visits: readonly Bill[], members: readonly string[], plan: FilePlan): Bill {
  const { maxIterations, isDefaultMaxIterations } = plan.limits;
  const rounds = isDefaultMaxIterations
    ? unbounded(`${circleWords(members)} is bounded only by the default max_iterations`)
    : exactly(maxIterations);
  return timesBill(largestBill(visits), rounds);
}

export function circleWords(members: readonly string[]): string {
  const [first = ''] = members;
  if (members.length === 1) return `the loop of ${first} to itself`;
  return `the loop through ${[...members].sort().slice(0, 4).join(', ')}${members.length > 4 ? ', …' : ''}`;
}

interface Around extends BillContext {
  readonly billFrom: (name: string) => Bill;
}

/** One visit of a node with all its tries and the waits between them. */
function visitBill(node: NodePlan, plan: FilePlan, around: Around): Bill {
  const once = addBills([tryBill(node, plan, around), insideBill(node, around)]);
  const kinds = around.kindsOf(node);
  const routes = [...node.routes, ...plan.onError].filter((route) => mayTake(route, node, kinds));
  const reruns = rerunsOf(node, routes, plan);
  const waits = sum(routes.map((route) => waitsOf(route, node)));
  return addBills([timesBill(once, sum([exactly(1), reruns])), { ...NOTHING, wallMs: waits }]);
}

function insideBill(node: NodePlan, { billFrom, childBill }: Around): Bill {
  switch (node.type) {
    case 'workflow':
      return childBill(node.workflow);
    case 'parallel':
      return addBills(membersOf(node).map(billFrom));
    case 'for_each':
      return timesBill(billFrom(node.member.name), itemsOf(node));
    case 'supervisor':
      return timesBill(largestBill(node.manages.map(billFrom)), exactly(node.maxRounds));
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
  return unbounded(`how many items ${node.name} goes through is known only when it runs`);
}

/** The run's limit is on retries; what is parked or asked about may run again all the same. */
function rerunsOf(node: NodePlan, routes: readonly Route[], plan: FilePlan): Figure {
  const retries = sum(routes.map(({ move }) => (move.type === 'retry' ? exactly(move.max) : ZERO)));
  const cap = plan.limits.maxRetries;
  const isCapped = cap !== undefined && retries.value !== null && retries.value > cap;
  return sum([
    isCapped ? exactly(cap) : retries,
    ...routes.map((route) => otherReruns(node, route)),
  ]);
}

function otherReruns(node: NodePlan, { move }: Route): Figure {
  switch (move.type) {
    case 'park':
      return move.max === undefined
        ? unbounded(`${node.name} runs again after each park, as often as it takes`)
        : exactly(move.max);
    case 'ask':
      return move.options.includes('retry')
        ? unbounded(`a person may answer retry at ${node.name}, as often as they like`)
        : ZERO;
    case 'retry':
    case 'to':
    case 'halt':
    case 'propagate':
      return ZERO;
  }
}

/** Nodes that no server ever asks to wait. */
const WITHOUT_HINTS: ReadonlySet<NodePlan['type']> = new Set([
  'script',
  'transform',
  'set',
  'wait',
]);

/** A route's wait is never shorter than the server's hint, and a hint above the ceiling parks. */
function waitsOf({ move }: Route, node: NodePlan): Figure {
  if (move.type !== 'retry') return ZERO;
  const ownMs = move.backoff === 'none' ? 0 : Math.ceil(move.maxMs * (1 + move.jitter));
  const longestMs = WITHOUT_HINTS.has(node.type) ? ownMs : Math.max(ownMs, INLINE_CEILING_MS);
  return times(exactly(move.max), exactly(longestMs));
}
