/**
 * Effects that may have happened. Whatever leads back to one of them, a retry of its node or of
 * anything around it, it is not done again before somebody has said so: a person, or a route that
 * names the doubt itself.
 */
import { rebuild } from '../errors/build.ts';
import type { JsonObject } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT } from '../workflow/check/routing.ts';
import type { EffectRequest } from './effect-request.ts';
import type { EffectRef, EventBody } from './events.ts';
import { failureAt } from './failure.ts';
import { visitOf } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';

export const DOUBT = ASKED_BY_DEFAULT;

/** What is known of an effect that may have happened. */
export interface Doubt {
  readonly node: string;
  readonly path: string;
  readonly effect: EffectRef;
  /** The run went back behind it: whatever this node asks of the same target may be the same again. */
  isOvertaken: boolean;
}

/** What a report of a doubt says of the effect, so that an answer to it is about that one alone. */
export function doubtDetails({ key, target }: EffectRef): JsonObject {
  return { key, target };
}

/** Whether a failure leaves open what happened: by its kind, or because it names the effect. */
export function leavesDoubt({ kind, outcome, details }: ErrorReport, { key }: EffectRef): boolean {
  return kind === DOUBT || (outcome === 'unknown' && details?.['key'] === key);
}

/** The failure that an effect in doubt amounts to, instead of being asked for again. */
export function stillInDoubt(
  state: RunState,
  scope: Scope,
  { ref, isIdempotent }: Pick<EffectRequest, 'ref' | 'isIdempotent'>,
): ErrorReport | undefined {
  if (isIdempotent || state.doubts.size === 0) return undefined;
  const { node, path } = visitOf(scope);
  const doubt = state.doubts.get(ref.key) ?? overtakenDoubt(state, path, ref);
  if (doubt === undefined) return undefined;
  return failureAt(state, scope, node, {
    kind: DOUBT,
    message: `${node} may have done this already; nobody has found out yet`,
    details: doubtDetails(doubt.effect),
  });
}

function overtakenDoubt(
  { doubts }: RunState,
  path: string,
  { type, target }: EffectRef,
): Doubt | undefined {
  for (const doubt of doubts.values())
    if (doubt.isOvertaken && isSamePlace(doubt, path, { type, target })) return doubt;
  return undefined;
}

function isSamePlace(
  doubt: Doubt,
  path: string,
  { type, target }: Pick<EffectRef, 'type' | 'target'>,
): boolean {
  return doubt.path === path && doubt.effect.type === type && doubt.effect.target === target;
}

/** Somebody has decided about what this visit was asked about: that effect, and no other. */
export function settleDoubts({ doubts }: RunState, { path, error, asked }: Visit): void {
  const key = error?.details?.['key'];
  const named = typeof key === 'string' ? doubts.get(key) : undefined;
  if (named === undefined) {
    for (const each of asked.keys()) doubts.delete(each);
    return;
  }
  for (const [each, doubt] of doubts) {
    const isNamed = doubt === named;
    if (isNamed || (doubt.isOvertaken && isSamePlace(doubt, path, named.effect)))
      doubts.delete(each);
  }
}

/** The scope goes back behind them: the same actions would have other keys. */
export function overtakeDoubts({ doubts }: RunState, isWithin: (path: string) => boolean): void {
  for (const doubt of doubts.values()) if (isWithin(doubt.path)) doubt.isOvertaken = true;
}

/** Doubts that one report names; `errand show` has all of them. */
const MAX_NAMED = 50;

/** What ends while something inside it is in doubt says so, whatever it ends with. */
export function withDoubts(state: RunState, event: EventBody): EventBody {
  if (state.doubts.size === 0) return event;
  if (event.type !== 'node:failed' && event.type !== 'run:failed') return event;
  if (event.error.kind === DOUBT) return event;
  const path = event.type === 'run:failed' ? undefined : event.path;
  const named = namedDoubts(state, path);
  if (named.length === 0) return event;
  const { details } = event.error;
  return {
    ...event,
    error: rebuild(event.error, {
      details: { ...details, in_doubt: named.slice(0, MAX_NAMED) },
    }),
  };
}

/** An effect that may have happened, as reports and screens name it. */
export type NamedDoubt = Readonly<Record<'node' | 'path' | 'key' | 'target', string>>;

/** Those at a path and inside of it; of the whole run without one. */
export function namedDoubts({ doubts }: RunState, path?: string): readonly NamedDoubt[] {
  return [...doubts].flatMap(([key, { node, path: at, effect }]) =>
    path === undefined || isAtOrInside(at, path)
      ? [{ node, path: at, key, target: effect.target }]
      : [],
  );
}

function isAtOrInside(path: string, around: string): boolean {
  return path === around || path.startsWith(`${around}/`) || path.startsWith(`${around}[`);
}
