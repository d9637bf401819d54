/**
 * Effects that may have happened. Whatever leads back to one of them, a retry of its node or of
 * anything around it, it is not done again before somebody has said so: a person, or a route that
 * names the doubt itself.
 */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT } from '../workflow/check/routing.ts';
import { doubtDetails, keyInDoubt, workWords } from './doubt-details.ts';
import type { EffectRequest } from './effect-request.ts';
import { failureAt } from './failure.ts';
import { visitOf } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';
import type { OpenCall } from './talk.ts';

export const DOUBT = ASKED_BY_DEFAULT;

/** The failure that an effect in doubt amounts to, instead of being asked for again. */
export function stillInDoubt(
  state: RunState,
  scope: Scope,
  { ref, work, isIdempotent }: Pick<EffectRequest, 'ref' | 'work' | 'isIdempotent'>,
): ErrorReport | undefined {
  if (isIdempotent || !state.doubts.has(ref.key)) return undefined;
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: DOUBT,
    message: `${node} may have done this already: ${workWords(work)}; nobody has found out yet`,
    details: doubtDetails(ref, work),
  });
}

/** A route that names the doubt has decided about all that this visit left in doubt. */
export function settleDoubts(state: RunState, { asked, talk }: Visit): void {
  for (const key of asked.keys()) state.doubts.delete(key);
  for (const open of talk?.calls ?? []) if (isInDoubt(open)) openAgain(open);
}

/**
 * Whoever says what happened, or that it does not matter, has settled it; `abort` leaves it open. In a
 * conversation that is the call that was asked about, and no other.
 */
export function settleByAnswer(state: RunState, visit: Visit, value: JsonValue): void {
  if (value === 'abort' || visit.error?.kind !== DOUBT) return;
  const open = callInDoubt(visit);
  if (open === undefined || value === 'skip') return settleDoubts(state, visit);
  state.doubts.delete(open.key);
  if (value === 'repeat' || value === 'retry') openAgain(open);
}

/** The call of a conversation that its node has failed by, because nobody knows what became of it. */
export function callInDoubt({ talk, error }: Visit): OpenCall | undefined {
  if (talk === undefined || error?.kind !== DOUBT) return undefined;
  return talk.calls.find(({ key }) => key === keyInDoubt(error)) ?? talk.calls.find(isInDoubt);
}

function isInDoubt({ result }: OpenCall): boolean {
  return result?.error?.kind === DOUBT;
}

function openAgain(open: OpenCall): void {
  open.result = undefined;
  open.isBegun = false;
  open.failures = 0;
  open.again = undefined;
}
