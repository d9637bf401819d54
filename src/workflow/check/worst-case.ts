/**
 * The most that a file can cost over every pattern of failing and succeeding that it allows. Without
 * circles it is the dearest path; with one, only an explicit `max_iterations` bounds it. Retries
 * multiply as they are nested, or are as many as `max_retries` allows, whichever is less. A figure that
 * nothing bounds is null, and the reason is told.
 */
import { INLINE_CEILING_MS } from '../limits.ts';
import type { FilePlan } from '../model.ts';
import type { GroupPlan, NodePlan } from '../node-model.ts';
import type { Route } from '../route.ts';
import type { ToolDescriptions } from '../tool-description.ts';
import {
  addBills,
  boundBill,
  largestBill,
  NOTHING,
  smallerBill,
  timesBill,
  type Bill,
} from './bill.ts';
import { exactly, sum, unbounded, ZERO, type Figure } from './figure.ts';
import { membersOf, onward, type Flow } from './flow.ts';
import type { Unpriced } from './prices.ts';
import { mayTake, type Raising } from './routing.ts';
import { tryBill } from './try-bill.ts';

/** What a bill depends on beyond its own file. */
export interface BillContext {
  /** The bill of a child, by its file. */
  readonly childBill: (file: string) => FileBill;
  readonly kindsOf: (node: NodePlan) => readonly string[];
  readonly raisingOf: (node: NodePlan) => Raising;
  readonly unpriced: Pick<Unpriced, 'ofNode' | 'isIn' | 'given'>;
  /** Of the caller, for a child that sets none. */
  readonly inherited: FilePlan['runtime'];
  /** What the functions and tools of the file say of themselves, as far as that is known. */
  readonly describes: ToolDescriptions;
}

/** What a file can cost: at most, when nothing in it is retried, and the dearest retry by itself. */
export interface FileBill {
  readonly worst: Bill;
  readonly first: Bill;
  /** Here, or in what is called from here. */
  readonly retry: Bill;
}

export const NO_FILE: FileBill = { worst: NOTHING, first: NOTHING, retry: NOTHING };

export interface WorstCase {
  readonly effects: number | null;
  readonly modelRequests: number | null;
  readonly wallMs: number | null;
  readonly costUsdMicros: number | null;
  /** Why a figure is null. */
  readonly unbounded: readonly string[];
}

export function worstBill(plan: FilePlan, flow: Flow, context: BillContext): FileBill {
  const { limits } = plan;
  const written = fromHere(plan, flow, { ...context, of: 'worst' });
  const first = fromHere(plan, flow, { ...context, of: 'first' });
  const capped =
    limits.maxRetries === undefined
      ? written.bill
      : addBills([first.bill, timesBill(first.retry, exactly(limits.maxRetries))]);
  const bounds = {
    ...(limits.timeoutMs === undefined ? {} : { wallMs: limits.timeoutMs }),
    // a budget does not hold what it cannot count
    ...(limits.budgetUsdMicros === undefined ||
    limits.budgetMode !== 'enforce' ||
    context.unpriced.isIn(plan)
      ? {}
      : { costUsdMicros: limits.budgetUsdMicros }),
  };
  return {
    worst: boundBill(smallerBill(written.bill, capped), bounds),
    first: boundBill(first.bill, bounds),
    retry: first.retry,
  };
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

/** The dearest way from the entry to an end, and the dearest retry on any way. */
function fromHere(
  plan: FilePlan,
  flow: Flow,
  context: Omit<Around, 'billFrom'>,
): { readonly bill: Bill; readonly retry: Bill } {
  const dearest = new Map<string, Bill>();
  const retries: Bill[] = [];
  const billFrom = (name: string): Bill => dearest.get(name) ?? NOTHING;
  const around: Around = { ...context, billFrom };
  const visit = (node: NodePlan): Visited => {
    const visited = visitBill(node, plan, around);
    retries.push(visited.retry);
    return visited;
  };

  // every component comes after those it leads to, so what lies ahead is known
  for (const { members, isCircle } of flow.components) {
    const nodes = members.flatMap((name) => flow.nodes.get(name) ?? []);
    const inside = new Set(members);
    const ahead = members
      .flatMap((name) => onward(flow, name))
      .filter(({ to }) => !inside.has(to))
      .map(({ to }) => billFrom(to));
    const visits = nodes.map(visit);
    const here = isCircle
      ? circleBill(visits, members, plan)
      : addBills(visits.map(({ bill }) => bill));
    const bill = addBills([here, largestBill(ahead)]);
    for (const name of members) dearest.set(name, bill);
  }
  return { bill: billFrom(flow.entry), retry: largestBill(retries) };
}

/** Every start of a node counts, re-runs too, so it is the dearest of all tries as often as that. */
function circleBill(visits: readonly Visited[], members: readonly string[], plan: FilePlan): Bill {
  const { maxIterations, isDefaultMaxIterations } = plan.limits;
  const rounds = isDefaultMaxIterations
    ? unbounded(`${circleWords(members)} is bounded only by the default max_iterations`)
    : exactly(maxIterations);
  return timesBill(largestBill(visits.map(({ start }) => start)), rounds);
}

export function circleWords(members: readonly string[]): string {
  const [first = ''] = members;
  if (members.length === 1) return `the loop of ${first} to itself`;
  return `the loop through ${[...members].sort().slice(0, 4).join(', ')}${members.length > 4 ? ', …' : ''}`;
}

interface Around extends BillContext {
  readonly billFrom: (name: string) => Bill;
  /** With its retries, or as if there were none. */
  readonly of: 'worst' | 'first';
}

interface Visited {
  /** One visit of a node with all its tries and the waits between them. */
  readonly bill: Bill;
  /** The dearest retry in it. */
  readonly retry: Bill;
  /** One of its tries, with the longest wait before it. */
  readonly start: Bill;
}

function visitBill(node: NodePlan, plan: FilePlan, around: Around): Visited {
  const once = addBills([tryBill(node, plan, around), insideBill(node, around)]);
  const routes = [...node.routes, ...plan.onError];
  // every one of them, whatever its kind: a bound must not rest on what a node is thought to fail with
  const retries = routes.flatMap(({ move }) => (move.type === 'retry' ? [move] : []));
  const kinds = around.kindsOf(node);
  const raising = around.raisingOf(node);
  const other = sum([
    exactly(1),
    ...routes
      .filter((route) => mayTake(route, kinds, raising))
      .map((route) => otherReruns(node, route)),
  ]);
  const retryOnce = retries.map((move) => addBills([once, waiting(waitOf(move, node))]));
  const inside = node.type === 'workflow' ? [around.childBill(node.workflow).retry] : [];
  return {
    bill: addBills([
      timesBill(once, other),
      ...(around.of === 'first'
        ? []
        : retries.map(({ max }, index) => timesBill(retryOnce[index] ?? NOTHING, exactly(max)))),
    ]),
    retry: largestBill([...retryOnce, ...inside]),
    // what nobody can count stays so, whatever bounds the circle
    start: timesBill(largestBill([once, ...retryOnce]), other.value === null ? other : exactly(1)),
  };
}

function waiting(wallMs: Figure): Bill {
  return { ...NOTHING, wallMs };
}

function insideBill(node: NodePlan, { billFrom, childBill, of }: Around): Bill {
  switch (node.type) {
    case 'workflow':
      return childBill(node.workflow)[of];
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

/** A limit is on retries; what is parked or asked about may run again all the same. */
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
function waitOf(move: Extract<Route['move'], { type: 'retry' }>, node: NodePlan): Figure {
  const ownMs = move.backoff === 'none' ? 0 : Math.ceil(move.maxMs * (1 + move.jitter));
  return exactly(WITHOUT_HINTS.has(node.type) ? ownMs : Math.max(ownMs, INLINE_CEILING_MS));
}
