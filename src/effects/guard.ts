/**
 * Asks the guards before a tool is called. The strictest verdict counts: one that denies wins over
 * those that ask, and those over the rest. A guard that fails denies.
 *
 * | what the guards say                    | kind          | outcome     |
 * |----------------------------------------|---------------|-------------|
 * | nothing, or `allow`                    | none          | —           |
 * | `deny`; threw, nonsense, took too long | `tool.denied` | not_started |
 * | `ask`, and nobody has approved it      | `tool.denied`, with `details.ask` | not_started |
 */
import { isPlainObject, type JsonObject } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { Guard, GuardedCall } from '../workflow/guard.ts';
import { hashValue } from '../workflow/hash.ts';
import { MACHINE_CLOCK } from './clock.ts';
import type { EffectContext, EffectFailure } from './effect.ts';

const GUARD_MS = 10_000;

export interface NamedGuard {
  /** `careful of the module tools.ts`: for whoever reads why. */
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
  { tool, arguments: given, isApproved }: GuardRequest,
  context: EffectContext,
): Promise<EffectFailure | undefined> {
  const { run, node, path } = context;
  let asking: EffectFailure | undefined;
  for (const guard of guards) {
    // a copy for each: what one guard does to it is nobody else's business
    const call = { tool, arguments: structuredClone(given), run, node, path, isApproved };
    const opinion = await ask(guard, call, context);
    if (opinion.says === 'deny') return refusal(guard, tool, opinion, context);
    if (opinion.says === 'ask' && !isApproved) asking ??= refusal(guard, tool, opinion, context);
  }
  return asking;
}

interface Opinion {
  readonly says: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  readonly thrown?: unknown;
}

async function ask(
  { check }: NamedGuard,
  call: GuardedCall,
  { clock = MACHINE_CLOCK }: EffectContext,
): Promise<Opinion> {
  const { promise: late, resolve } = Promise.withResolvers<Opinion>();
  const stopTimer = clock.after(GUARD_MS, () =>
    resolve({ says: 'deny', reason: 'it took too long' }),
  );
  try {
    return await Promise.race([opinionOf(check, call), late]);
  } catch (thrown) {
    return { says: 'deny', reason: 'it failed', thrown };
  } finally {
    stopTimer();
  }
}

async function opinionOf(check: Guard, call: GuardedCall): Promise<Opinion> {
  const verdict: unknown = await check(call);
  if (verdict === undefined || verdict === 'allow') return { says: 'allow' };
  if (verdict === 'deny' || verdict === 'ask') return { says: verdict };
  if (isPlainObject(verdict)) {
    const { deny, ask: wanted } = verdict;
    if (typeof deny === 'string') return { says: 'deny', reason: deny };
    if (typeof wanted === 'string') return { says: 'ask', reason: wanted };
  }
  return { says: 'deny', reason: 'it says neither allow, deny nor ask' };
}

function refusal(
  { name }: NamedGuard,
  tool: string,
  { says, reason, thrown }: Opinion,
  context: EffectContext,
): EffectFailure {
  // told to people and models, and a guard may know the keys of its host
  const why = reason === undefined ? '' : `: ${context.redactor.text(reason)}`;
  const isAsking = says === 'ask';
  return {
    ok: false,
    failure: {
      kind: 'tool.denied',
      outcome: 'not_started',
      message: isAsking
        ? `A person has to approve ${tool}${why}`
        : `A guard does not let ${tool} be called${why}`,
      details: { by: 'guard', guard: name, ...(isAsking ? { ask: true } : {}) },
      ...(thrown === undefined ? {} : { cause: causeOf(thrown, name, context) }),
    },
    ...(thrown === undefined ? {} : { thrown }),
  };
}

/** Of this call and this guard, so that the same call fails in the same words. */
function causeOf(
  thrown: unknown,
  guard: string,
  { redactor, idempotencyKey, attempt, clock = MACHINE_CLOCK }: EffectContext,
): ErrorReport {
  const id = `err_${hashValue([idempotencyKey, attempt, guard])}`;
  return toReport(thrown, { redactor, stamp: { id, at: new Date(clock.now()).toISOString() } });
}
