/**
 * Budgets: a call is made only if it fits beside spent and reserved amounts. A cost beyond the
 * estimate is kept, and the repetition of a call that was lost with its process is the same call,
 * so neither counts against the next.
 */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { dueFor, modelRequests, NOTHING, plus, priceAt, type Spent } from './model-requests.ts';
import { filesAround, isInside, nodeAt, type Law, type Subject } from './subject.ts';

type Unit = keyof Spent;

interface Budget {
  readonly holder: string;
  readonly unit: Unit;
  readonly limit: number;
  readonly isNode: boolean;
}

export const withinBudgets: Law = {
  name: 'no call begins that could exceed a budget, whatever runs beside it',
  promise: 'budgets: reserved before each call, across branches and children',
  breaches: (subject) => {
    const requests = modelRequests(subject);
    const breaches: string[] = [];
    for (const request of requests) {
      const { asked, reserves, isAgain } = request;
      if (isAgain) continue;
      for (const budget of budgetsAt(subject.plan, asked.path)) {
        const { unit, holder, limit } = budget;
        if (reserves[unit] === 0) continue;
        const sinceSeq = beganAt(subject.events, budget, asked.seq);
        const taken = takenBy(subject, budget, { sinceSeq, untilSeq: asked.seq })[unit];
        const raised = raisedBy(subject.events, budget, { sinceSeq, untilSeq: asked.seq });
        if (taken + reserves[unit] > limit + raised)
          breaches.push(
            `event ${asked.seq} at ${asked.path} wants ${reserves[unit]} ${unit} of ${holder}, where ${taken} of ${limit} + ${raised} is taken`,
          );
      }
    }
    return breaches;
  },
};

export const zeroMeansZero: Law = {
  name: 'under a budget of 0 no call begins that could cost anything',
  promise: 'budgets: 0 means 0',
  breaches: (subject) =>
    modelRequests(subject).flatMap(({ asked, execution }) => {
      if (execution === undefined) return [];
      const { inputUsdMicrosPerMtok: input, outputUsdMicrosPerMtok: output } = priceAt(
        subject.plan,
        asked.path,
        asked.effect.target,
      );
      const none = budgetsAt(subject.plan, asked.path).find(
        ({ unit, limit, holder }) =>
          limit === 0 &&
          (unit === 'tokens' || input + output > 0) &&
          !isRaised(subject.events, holder, asked.seq),
      );
      return none === undefined ? [] : [`execution ${execution.number} at ${asked.path} went out`];
    }),
};

/**
 * All budgets of a call: the node's own, and those of enclosing workflows that do more than warn.
 */
function budgetsAt(plan: WorkflowPlan, path: string): readonly Budget[] {
  const node = nodeAt(plan, path)?.node;
  const own = node !== undefined && 'budget' in node ? node.budget : undefined;
  const found: (Omit<Budget, 'limit'> & { readonly limit: number | undefined })[] = [
    { holder: path, unit: 'usdMicros', limit: own?.usdMicros, isNode: true },
    { holder: path, unit: 'tokens', limit: own?.tokens, isNode: true },
  ];
  for (const { file, holder } of filesAround(plan, path)) {
    const { budgetMode, budgetUsdMicros, budgetTokens } = file.limits;
    if (budgetMode === 'audit') continue;
    found.push({ holder, unit: 'usdMicros', limit: budgetUsdMicros, isNode: false });
    found.push({ holder, unit: 'tokens', limit: budgetTokens, isNode: false });
  }
  return found.flatMap((each) =>
    each.limit === undefined ? [] : [{ ...each, limit: each.limit }],
  );
}

interface Stretch {
  readonly sinceSeq: number;
  readonly untilSeq: number;
}

/** A visit of a node, or one call of a workflow. */
function beganAt(
  events: readonly RunEvent[],
  { holder, isNode }: Budget,
  beforeSeq: number,
): number {
  if (!isNode && holder === '') return 0;
  const began = events.findLast(
    (event) =>
      event.seq < beforeSeq &&
      (isNode
        ? event.type === 'node:started' && event.path === holder && event.attempt === 0
        : event.type === 'child:started' && event.path === holder),
  );
  return began?.seq ?? 0;
}

/** Spent, and set aside for what is under way. */
function takenBy(
  subject: Subject,
  { holder, isNode }: Budget,
  { sinceSeq, untilSeq }: Stretch,
): Spent {
  let sum = NOTHING;
  for (const request of modelRequests(subject)) {
    const { asked, settled, reserves } = request;
    const isMeant =
      asked.path === holder || (!isNode && (holder === '' || isInside(asked.path, holder)));
    if (!isMeant || asked.seq <= sinceSeq || asked.seq >= untilSeq) continue;
    const isOpen = settled === undefined || settled.seq > untilSeq;
    sum = plus(sum, isOpen ? reserves : dueFor(subject.plan, request));
  }
  return sum;
}

function raisedBy(
  events: readonly RunEvent[],
  { holder, unit, isNode }: Budget,
  { sinceSeq, untilSeq }: Stretch,
): number {
  if (isNode) return 0;
  let raised = 0;
  for (const event of events) {
    if (event.type !== 'gate:answered' || event.seq <= sinceSeq || event.seq >= untilSeq) continue;
    const opened = events.findLast(
      (each) => each.type === 'gate:opened' && each.gate === event.gate && each.seq < event.seq,
    );
    const budget = opened?.type === 'gate:opened' ? opened.budget : undefined;
    if (budget?.holder !== holder) continue;
    const ofUnit = budget.unit === 'usd' ? 'usdMicros' : 'tokens';
    const { value } = event;
    if (value === 'raise' && ofUnit === unit) raised += budget.limit;
    if (isPlainObject(value) && isPlainObject(value['raise'])) {
      const said = value['raise'][unit === 'usdMicros' ? 'usd' : 'tokens'];
      raised += typeof said === 'number' ? said * (unit === 'usdMicros' ? 1_000_000 : 1) : 0;
    }
  }
  return raised;
}

function isRaised(events: readonly RunEvent[], holder: string, beforeSeq: number): boolean {
  return events.some(
    (event) =>
      event.seq < beforeSeq &&
      event.type === 'gate:answered' &&
      isPlainObject(event.value) &&
      'raise' in event.value &&
      events.some(
        (opened) =>
          opened.type === 'gate:opened' &&
          opened.gate === event.gate &&
          opened.budget?.holder === holder,
      ),
  );
}
