/**
 * Effects that may have happened. Whatever leads back to one of them, a retry of its node or of
 * anything around it, it is not done again before somebody has said so: a person, or a route that
 * names the doubt itself.
 */
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT } from '../workflow/check/routing.ts';
import type { EffectRequest } from './effect-request.ts';
import { failureAt } from './failure.ts';
import { visitOf } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';

export const DOUBT = ASKED_BY_DEFAULT;

/** The failure that an effect in doubt amounts to, instead of being asked for again. */
export function stillInDoubt(
  state: RunState,
  scope: Scope,
  { ref, isIdempotent }: Pick<EffectRequest, 'ref' | 'isIdempotent'>,
): ErrorReport | undefined {
  if (isIdempotent || !state.doubts.has(ref.key)) return undefined;
  const { node } = visitOf(scope);
  return failureAt(state, scope, node, {
    kind: DOUBT,
    message: `${node} may have done this already; nobody has found out yet`,
  });
}

/** Somebody has decided about what this visit left in doubt. */
export function settleDoubts(state: RunState, { asked }: Visit): void {
  for (const key of asked.keys()) state.doubts.delete(key);
}
