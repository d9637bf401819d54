/**
 * Runs the guards before a tool is called. The strictest decision counts: `deny` wins over `ask`, and
 * `ask` over `allow`. A guard that fails denies.
 *
 * | decision of the guards                 | kind          | outcome     |
 * |----------------------------------------|---------------|-------------|
 * | nothing, or `allow`                    | none          | —           |
 * | `deny`; threw, timed out, not a decision | `tool.denied` | not_started |
 * | `ask`, and it is not approved          | `tool.denied`, with `details.ask` | not_started |
 */
import { isPlainObject, type JsonObject } from '../errors/support/safe-json.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import type { Guard, GuardedCall } from '../workflow/authoring/guard.ts';
import { hashValue } from '../workflow/plan/stable-hash.ts';
import { MACHINE_CLOCK } from './clock.ts';
import type { EffectContext, EffectFailure } from './effect-port.ts';

const GUARD_MS = 10_000;

export interface NamedGuard {
  /** For messages, such as `careful of the module tools.ts`. */
  readonly name: string;
  readonly check: Guard;
}

export interface GuardRequest {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly isApproved: boolean;
}

/** Undefined where the call may be made. */
export async function askGuards(
  guards: readonly NamedGuard[],
  { tool, arguments: args, isApproved }: GuardRequest,
  context: EffectContext,
): Promise<EffectFailure | undefined> {
  const { run, node, path } = context;
  let asking: EffectFailure | undefined;
  for (const guard of guards) {
    // a copy for each guard, so that a change by one does not reach the next
    const call = { tool, arguments: structuredClone(args), run, node, path, isApproved };
    const decision = await ask(guard, call, context);
    if (decision.choice === 'deny') return refusal(guard, tool, decision, context);
    if (decision.choice === 'ask' && !isApproved)
      asking ??= refusal(guard, tool, decision, context);
  }
  return asking;
}

interface GuardDecision {
  readonly choice: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  readonly thrown?: unknown;
}

async function ask(
  { check }: NamedGuard,
  call: GuardedCall,
  { clock = MACHINE_CLOCK }: EffectContext,
): Promise<GuardDecision> {
  const { promise: late, resolve } = Promise.withResolvers<GuardDecision>();
  const stopTimer = clock.after(GUARD_MS, () =>
    resolve({ choice: 'deny', reason: 'it took too long' }),
  );
  try {
    return await Promise.race([decisionOf(check, call), late]);
  } catch (thrown) {
    return { choice: 'deny', reason: 'it failed', thrown };
  } finally {
    stopTimer();
  }
}

async function decisionOf(check: Guard, call: GuardedCall): Promise<GuardDecision> {
  const returned: unknown = await check(call);
  if (returned === undefined || returned === 'allow') return { choice: 'allow' };
  if (returned === 'deny' || returned === 'ask') return { choice: returned };
  if (isPlainObject(returned)) {
    const { deny, ask: wanted } = returned;
    if (typeof deny === 'string') return { choice: 'deny', reason: deny };
    if (typeof wanted === 'string') return { choice: 'ask', reason: wanted };
  }
  return { choice: 'deny', reason: 'it returned neither allow, deny nor ask' };
}

function refusal(
  { name }: NamedGuard,
  tool: string,
  { choice, reason, thrown }: GuardDecision,
  context: EffectContext,
): EffectFailure {
  // people and models read the reason, and a guard may know secrets of its host
  const why = reason === undefined ? '' : `: ${context.redactor.text(reason)}`;
  const isAsking = choice === 'ask';
  return {
    ok: false,
    keptBack: 'guard',
    failure: {
      kind: 'tool.denied',
      outcome: 'not_started',
      message: isAsking
        ? `A person must approve ${tool}${why}`
        : `A guard denied the call of ${tool}${why}`,
      details: { by: 'guard', guard: name, ...(isAsking ? { ask: true } : {}) },
      ...(thrown === undefined ? {} : { cause: causeOf(thrown, name, context) }),
    },
    ...(thrown === undefined ? {} : { thrown }),
  };
}

/** The id depends on the call and the guard only, so that a repeated call fails identically. */
function causeOf(
  thrown: unknown,
  guard: string,
  { redactor, idempotencyKey, attempt, clock = MACHINE_CLOCK }: EffectContext,
): ErrorReport {
  const id = `err_${hashValue([idempotencyKey, attempt, guard])}`;
  return toReport(thrown, { redactor, stamp: { id, at: new Date(clock.now()).toISOString() } });
}
