/**
 * Effects that may have happened. Whatever leads back to one of them, a retry of its node or of
 * anything around it, a loop, another round, it is not done again before somebody has said so: a person,
 * or a route that names the doubt itself.
 */
import { rebuild } from '../errors/build.ts';
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { ASKED_BY_DEFAULT } from '../workflow/check/routing.ts';
import { doubtDetails, keyInDoubt, workWords } from './doubt-details.ts';
import type { EffectRequest } from './effect-request.ts';
import type { EffectRef, EventBody } from './events.ts';
import { failureAt } from './failure.ts';
import { pathKey } from './path-key.ts';
import { outwards, visitOf } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';
import type { OpenCall } from './talk.ts';

export const DOUBT = ASKED_BY_DEFAULT;

/** What is known of an effect that may have happened. */
export interface Doubt {
  readonly node: string;
  readonly path: string;
  readonly effect: EffectRef;
  /** Where in the workflow it was asked for, whatever leads there once more. */
  readonly place: string;
  /** What it was asked for with, as its report has it. */
  readonly arguments: JsonValue | undefined;
}

/**
 * The path of a scope's node without the rounds of supervisors: the node that is chosen again in the next
 * round is the same one.
 */
export function placeOf(state: RunState, scope: Scope): string {
  let place = visitOf(scope).node;
  for (const at of outwards(state, scope)) {
    const parent = at.parent === undefined ? undefined : state.scopes.get(at.parent)?.visit;
    if (parent === undefined) continue;
    const key = at.key === undefined || parent.talk !== undefined ? '' : `[${pathKey(at.key)}]`;
    place = `${parent.node}${key}/${place}`;
  }
  return place;
}

/** Whether a failure leaves open what happened: by its kind, or because it names the effect. */
export function leavesDoubt(error: ErrorReport, { key }: EffectRef): boolean {
  return error.kind === DOUBT || (error.outcome === 'unknown' && keyInDoubt(error) === key);
}

/** The failure that an effect in doubt amounts to, instead of being asked for again. */
export function stillInDoubt(
  state: RunState,
  scope: Scope,
  { ref, work, isIdempotent }: Pick<EffectRequest, 'ref' | 'work' | 'isIdempotent'>,
): ErrorReport | undefined {
  if (isIdempotent || state.doubts.size === 0) return undefined;
  const { node } = visitOf(scope);
  const doubt = state.doubts.get(ref.key) ?? earlierDoubt(state, scope, ref);
  if (doubt === undefined) return undefined;
  return failureAt(state, scope, node, {
    kind: DOUBT,
    message: `${node} may have done this already: ${workWords(work)}; nobody has found out yet`,
    details: doubtDetails(doubt.effect, work),
  });
}

/**
 * What the same place has left in doubt under another key: a loop has come back to it, a group or a child
 * runs anew, a file or an argument has changed. Calls of the present conversation are asked about themselves.
 */
function earlierDoubt(state: RunState, scope: Scope, { target }: EffectRef): Doubt | undefined {
  const { talk } = visitOf(scope);
  const place = placeOf(state, scope);
  for (const [key, doubt] of state.doubts) {
    // an agent may have several tools, any other node does one thing
    const isSame = doubt.place === place && (talk === undefined || doubt.effect.target === target);
    if (isSame && talk?.calls.some((open) => open.key === key) !== true) return doubt;
  }
  return undefined;
}

/**
 * Somebody has decided about what this visit failed by: that effect, and no other. A call of a
 * conversation that is no longer in doubt is open again.
 */
export function settleDoubts(state: RunState, visit: Visit): void {
  settleNamed(state, visit);
  for (const open of visit.talk?.calls ?? [])
    if (isInDoubt(open) && !state.doubts.has(open.key)) openAgain(open);
}

function settleNamed({ doubts }: RunState, { error, asked }: Visit): void {
  const key = error === undefined ? undefined : keyInDoubt(error);
  if (key !== undefined && doubts.delete(key)) return;
  for (const each of asked.keys()) doubts.delete(each);
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
      details: { ...details, in_doubt: named.slice(0, MAX_NAMED).map((each) => ({ ...each })) },
    }),
  };
}

/** An effect that may have happened, as reports and screens name it. */
export interface NamedDoubt extends Readonly<Record<'node' | 'path' | 'key' | 'target', string>> {
  readonly arguments?: JsonValue;
}

/** Those at a path and inside of it; of the whole run without one. */
export function namedDoubts({ doubts }: RunState, path?: string): readonly NamedDoubt[] {
  return [...doubts].flatMap(([key, { node, path: at, effect, arguments: given }]) => {
    if (path !== undefined && !isAtOrInside(at, path)) return [];
    const more = given === undefined ? {} : { arguments: given };
    return [{ node, path: at, key, target: effect.target, ...more }];
  });
}

function isAtOrInside(path: string, around: string): boolean {
  return path === around || path.startsWith(`${around}/`) || path.startsWith(`${around}[`);
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
