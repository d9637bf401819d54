/** The requests to models of one run: their reserved amounts, their ends, and their costs. */
import { costUsdMicros, priceOf, type Price } from '../../providers/pricing/prices.ts';
import type { Execution } from '../world/execution-record.ts';
import type { RunEvent, Usage } from '../../machine/state/events.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { filesAround, isType, type EventOf, type Subject } from './subject.ts';

type Settled = EventOf<'effect:succeeded' | 'effect:failed'>;

export interface ModelRequest {
  readonly asked: EventOf<'effect:requested'>;
  /** Repeated because its process died, so it is the same request as before. */
  readonly isAgain: boolean;
  readonly reserves: Spent;
  /** Absent: no result was ever stored. */
  settled?: Settled;
  /** The execution in the world's own record; absent: it was never sent. */
  execution?: Execution;
}

export interface Spent {
  readonly usdMicros: number;
  readonly tokens: number;
}

const KNOWN = new WeakMap<object, readonly ModelRequest[]>();

export function modelRequests(subject: Subject): readonly ModelRequest[] {
  const known = KNOWN.get(subject);
  if (known !== undefined) return known;
  const found = find(subject.events, subject.executions);
  KNOWN.set(subject, found);
  return found;
}

function find(events: readonly RunEvent[], executions: readonly Execution[]): ModelRequest[] {
  const open = new Map<string, ModelRequest>();
  const requests: ModelRequest[] = [];
  for (const event of events) {
    if (!isType(event, 'effect:requested', 'effect:succeeded', 'effect:failed')) continue;
    const { key, type } = event.effect;
    if (type !== 'model') continue;
    const before = open.get(key);
    if (event.type === 'effect:requested') {
      const reserves = event.reserves ?? before?.reserves ?? { usdMicros: 0, tokens: 0 };
      const request = { asked: event, isAgain: before !== undefined, reserves };
      requests.push(request);
      open.set(key, request);
    } else if (before !== undefined) {
      before.settled = event;
      open.delete(key);
    }
  }
  for (const execution of executions) {
    const request = requests.findLast(
      ({ asked }) => asked.effect.key === execution.effect.key && asked.seq <= execution.afterSeq,
    );
    if (request !== undefined) request.execution = execution;
  }
  return requests;
}

/** The amount that belongs on the bill: the charge, or the estimate where no result arrived. */
export function dueFor(plan: WorkflowPlan, request: ModelRequest): Spent {
  const { settled, execution, reserves, asked } = request;
  if (settled === undefined) return reserves;
  const isStopped = settled.type === 'effect:failed' && settled.error.kind.startsWith('cancelled.');
  if (isStopped && settled.usage === undefined) {
    const { outcome } = settled.error;
    return outcome === 'partial' || outcome === 'unknown' ? reserves : NOTHING;
  }
  return spentFor(plan, asked, execution?.charged ?? {});
}

export const NOTHING: Spent = { usdMicros: 0, tokens: 0 };

export function spentFor(
  plan: WorkflowPlan,
  { path, effect }: Pick<EventOf<'effect:requested'>, 'path' | 'effect'>,
  usage: Usage,
): Spent {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return {
    usdMicros: costUsdMicros(priceAt(plan, path, effect.target), usage),
    tokens: inputTokens + outputTokens,
  };
}

const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

/**
 * The price of the nearest file that sets one; for a simulated model, that of the nearest file that
 * sets up models.
 */
export function priceAt(plan: WorkflowPlan, path: string, model: string): Price {
  const around = filesAround(plan, path).map(({ file }) => file);
  for (const { prices } of around) {
    const price = priceOf(model, prices);
    if (price !== null) return price;
  }
  const runtime = around.find((file) => file.runtime !== undefined)?.runtime;
  return (model.startsWith('sim/') ? runtime?.simulatePrice : undefined) ?? FREE;
}

export function plus(one: Spent, other: Spent): Spent {
  return { usdMicros: one.usdMicros + other.usdMicros, tokens: one.tokens + other.tokens };
}
