/**
 * Unknown outcomes: effects that may have happened. Nothing that leads back to one (a retry of its
 * node or of an enclosing one, a loop, another round) repeats it before a person says so, or a
 * route that names `effect.outcome_unknown`.
 */
import { rebuild } from '../../errors/report/build.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { ASKED_BY_DEFAULT } from '../../workflow/check/routing.ts';
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import {
  requestWords,
  unknownOutcomeDetails,
  inDoubtOf,
  unknownOutcomeKey,
  inputWords,
} from './unknown-outcome-details.ts';
import { pendingInput, type EffectRequest } from '../decide/effect-request.ts';
import type { EffectInput } from '../decide/effect-input.ts';
import type { EffectRef, EventBody } from '../state/events.ts';
import { failureAt } from '../decide/failure-reports.ts';
import { findNode, scopeAndAncestors, scopeIdOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';
import { callHash, type OpenCall } from '../conversation/conversation.ts';
import { locationOf } from './effect-location.ts';

export const OUTCOME_UNKNOWN = ASKED_BY_DEFAULT;

interface NodeInFile {
  readonly file: string;
  readonly node: string;
}

/** An effect that may have happened. */
export interface UnknownOutcome {
  readonly node: string;
  readonly path: string;
  readonly effect: EffectRef;
  /** Where in the workflow it was requested; the same when a loop or a retry leads there again. */
  readonly location: string;
  /** Hash of its input; the same wherever it is requested. Undefined when no longer known. */
  readonly action: string | undefined;
  /** Its arguments, as its report has them. */
  readonly arguments: JsonValue | undefined;
  /** Where it is a call of a conversation: the call, and its number among identical ones. */
  readonly call?: Pick<OpenCall, 'call' | 'ordinal'> | undefined;
  /** Number of the event that left it unknown. */
  readonly seq: number;
  /** Its node and those around it, by file; absent in older snapshots. */
  readonly nodes?: readonly NodeInFile[];
  /**
   * A route that names the kind has handled it: from here on, only the same action is asked about.
   */
  readonly isHandled?: boolean;
  /** Id of the failure about which a person has answered `abort`: nobody around it asks again. */
  readonly aborted?: string;
}

/** The same wherever the same action is requested: unlike a key, without location and visit. */
function actionHash(input: EffectInput): string {
  return identityOf(input);
}

/** Records an effect that has ended with an unknown outcome; called while it still counts as running. */
export function noteUnknownOutcome(
  state: RunState,
  scope: Scope,
  { node, path, effect, error }: Extract<EventBody, { type: 'effect:failed' }>,
): void {
  if (!leavesOutcomeUnknown(error, effect)) return;
  const pending = state.effects.get(effect.key);
  const input = pending === undefined ? undefined : pendingInput(state, pending);
  state.unknownOutcomes.set(effect.key, {
    node,
    path,
    effect,
    location: locationOf(state, scope),
    action: input === undefined ? undefined : actionHash(input),
    arguments: inDoubtOf(error)?.arguments,
    call: callOf(visitOf(scope), effect.key),
    nodes: nodesAround(state, scope),
    seq: state.seq,
  });
}

function nodesAround(state: RunState, scope: Scope): readonly NodeInFile[] {
  return Array.from(scopeAndAncestors(state, scope)).flatMap(({ file, visit }) =>
    visit === undefined ? [] : [{ file, node: visit.node }],
  );
}

function callOf({ conversation }: Visit, key: string): UnknownOutcome['call'] {
  const open = conversation?.calls.find((each) => each.key === key);
  return open === undefined ? undefined : { call: open.call, ordinal: open.ordinal };
}

/** Whether a failure leaves the outcome unknown: by its kind, or because it names the effect. */
export function leavesOutcomeUnknown(error: ErrorReport, { key }: EffectRef): boolean {
  return (
    error.kind === OUTCOME_UNKNOWN ||
    (error.outcome === 'unknown' && unknownOutcomeKey(error) === key)
  );
}

/** The scope inside a visit in which the unknown outcome arose that it has failed with. */
export function whereItArose(state: RunState, visit: Visit): Scope | undefined {
  const outcome = namedOutcome(state, visit);
  if (outcome === undefined || outcome.path === visit.path) return undefined;
  const scope = state.scopes.get(scopeIdOf(outcome.path, outcome.node));
  const isThere = scope?.visit?.path === outcome.path && isAtOrInside(outcome.path, visit.path);
  return isThere && scope.visit?.error?.kind === OUTCOME_UNKNOWN ? scope : undefined;
}

/** Whether a visit has failed with an unknown outcome that nobody has decided about. */
export function isUnresolved({ unknownOutcomes }: RunState, { error }: Visit): boolean {
  if (error?.kind !== OUTCOME_UNKNOWN) return false;
  const key = unknownOutcomeKey(error);
  return key === undefined || unknownOutcomes.has(key);
}

/** Whether a person has answered `abort` about this very failure, at a node inside. */
export function isAborted({ unknownOutcomes }: RunState, error: ErrorReport): boolean {
  const key = unknownOutcomeKey(error);
  return key !== undefined && unknownOutcomes.get(key)?.aborted === error.id;
}

/** A failed run that somebody resumes asks again what is still open. */
export function forgetAborts({ unknownOutcomes: outcomes }: RunState): void {
  for (const [key, { aborted, ...outcome }] of outcomes)
    if (aborted !== undefined) outcomes.set(key, outcome);
}

type Request = Pick<EffectRequest, 'ref' | 'work' | 'isIdempotent' | 'isReadOnly'>;

/**
 * The failure to raise instead of requesting an effect whose outcome is still unknown. An idempotent
 * effect is requested again, but no other in its place.
 */
export function unresolvedOutcome(
  state: RunState,
  scope: Scope,
  request: Request,
): ErrorReport | undefined {
  const { ref, work: input, isIdempotent, isReadOnly } = request;
  if (isReadOnly === true || state.unknownOutcomes.size === 0) return undefined;
  const action = actionHash(input);
  const outcome =
    state.unknownOutcomes.get(ref.key) ?? earlierUnknownOutcome(state, scope, { ref, action });
  if (outcome === undefined) return undefined;
  const isSame = outcome.effect.key === ref.key || outcome.action === action;
  if (isSame && isIdempotent) return undefined;
  const callArguments = outcome.arguments;
  return failureAt(state, scope, visitOf(scope).node, {
    kind: OUTCOME_UNKNOWN,
    message: unknownOutcomeMessage(outcome, visitOf(scope), { work: input, isSame }),
    details: {
      ...unknownOutcomeDetails(outcome.effect, isSame ? input : undefined),
      ...(callArguments === undefined ? {} : { arguments: callArguments }),
      ...(isSame ? {} : { instead: inputWords(input) }),
    },
  });
}

function unknownOutcomeMessage(
  outcome: UnknownOutcome,
  { node, path }: Visit,
  { work: input, isSame }: { readonly work: EffectInput; readonly isSame: boolean },
): string {
  if (!isSame)
    return `${node} may have done something already: ${requestWords(outcome.effect, outcome.arguments)}; the outcome is still unknown, and it would now do ${inputWords(input)}`;
  const who = outcome.path === path ? node : outcome.path;
  const now = outcome.path === path ? '' : `, and ${path} would do the same`;
  return `${who} may have done this already: ${inputWords(input)}; the outcome is still unknown${now}`;
}

/**
 * Another member of a running group requested it: the question belongs there, and this is a separate
 * effect. The rounds of a supervisor do not count, because they run one after the other.
 */
function isOtherRunningMember(
  state: RunState,
  scope: Scope,
  { path, node, effect }: UnknownOutcome,
): boolean {
  const owner = state.scopes.get(scopeIdOf(path, node));
  if (owner === undefined || owner.visit?.requestCounts.has(effect.key) !== true) return false;
  const around = new Set(scopeAndAncestors(state, scope));
  if (around.has(owner)) return false;
  for (const at of scopeAndAncestors(state, owner)) {
    const parent = at.parent === undefined ? undefined : state.scopes.get(at.parent);
    if (parent !== undefined && around.has(parent)) return parent.visit?.conversation === undefined;
  }
  return false;
}

/**
 * Its node, or an enclosing one, is no longer in any file: any other node of its file may be the
 * same one renamed, or be called by a renamed one.
 */
function isOfMissingNode({ plan }: RunState, { file }: Scope, { nodes = [] }: UnknownOutcome) {
  return (
    nodes[0]?.file === file &&
    nodes.some((each) => findNode(plan, each.file, each.node) === undefined)
  );
}

/**
 * An unknown outcome under another key: at the same location, when a loop came back, a group or a child
 * runs again, or a file or an argument has changed; or at any location, when the action is the same or
 * the file no longer has the location.
 * Calls of the current conversation are left out: they have their own question.
 */
function earlierUnknownOutcome(
  state: RunState,
  scope: Scope,
  { ref, action }: { readonly ref: EffectRef; readonly action: string },
): UnknownOutcome | undefined {
  const { conversation, requestCounts: asked } = visitOf(scope);
  const location = locationOf(state, scope);
  // a key that was requested in this visit is a separate effect with a known end
  const isNew = !asked.has(ref.key);
  let sameLocation: UnknownOutcome | undefined;
  for (const [key, outcome] of state.unknownOutcomes) {
    if (conversation?.calls.some((open) => open.key === key) === true) continue;
    if (isOtherRunningMember(state, scope, outcome)) continue;
    if (isNew && outcome.action === action) return outcome;
    // an agent may call several tools; any other node has one effect
    const isHere =
      outcome.isHandled !== true &&
      (outcome.location === location || isOfMissingNode(state, scope, outcome));
    if (isHere && (conversation === undefined || outcome.effect.target === ref.target))
      sameLocation ??= outcome;
  }
  return sameLocation;
}

/**
 * Settles the effect that this visit failed with, and no other. A call of a conversation whose outcome
 * is settled may be made again.
 */
export function settleUnknownOutcomes(state: RunState, visit: Visit): void {
  settleNamedOutcome(state, visit);
  for (const open of visit.conversation?.calls ?? [])
    if (hasUnknownOutcome(open) && !state.unknownOutcomes.has(open.key)) reopenCall(open);
}

function settleNamedOutcome(
  { unknownOutcomes: outcomes }: RunState,
  { error, requestCounts: asked }: Visit,
): void {
  const key = error === undefined ? undefined : unknownOutcomeKey(error);
  if (key !== undefined && outcomes.delete(key)) return;
  for (const each of asked.keys()) outcomes.delete(each);
}

/**
 * Notes that a route which names the kind has handled the unknown outcome that failed this visit.
 */
export function handleUnknownOutcome(state: RunState, visit: Visit): void {
  const outcome = namedOutcome(state, visit);
  if (outcome !== undefined)
    state.unknownOutcomes.set(outcome.effect.key, { ...outcome, isHandled: true });
}

/** Limit for one report; `errand show` prints all of them. */
const MAX_NAMED = 50;

/** Adds the unknown outcomes inside a node or run to the failure that it ends with. */
export function withUnknownOutcomes(state: RunState, event: EventBody): EventBody {
  if (state.unknownOutcomes.size === 0) return event;
  if (event.type !== 'node:failed' && event.type !== 'run:failed') return event;
  if (event.error.kind === OUTCOME_UNKNOWN) return event;
  const path = event.type === 'run:failed' ? undefined : event.path;
  const named = namedUnknownOutcomes(state, path);
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
export interface NamedUnknownOutcome extends Readonly<
  Record<'node' | 'path' | 'key' | 'target', string>
> {
  readonly arguments?: JsonValue;
}

/** The unknown outcomes at a path and inside it; without a path, of the whole run. */
export function namedUnknownOutcomes(
  { unknownOutcomes: outcomes }: RunState,
  path?: string,
): readonly NamedUnknownOutcome[] {
  return [...outcomes].flatMap(([key, { node, path: at, effect, arguments: callArguments }]) => {
    if (path !== undefined && !isAtOrInside(at, path)) return [];
    const more = callArguments === undefined ? {} : { arguments: callArguments };
    return [{ node, path: at, key, target: effect.target, ...more }];
  });
}

function isAtOrInside(path: string, around: string): boolean {
  return path === around || path.startsWith(`${around}/`) || path.startsWith(`${around}[`);
}

/**
 * Settles an unknown outcome by a person's answer; `abort` leaves it open. In a conversation only the
 * call in question is settled.
 */
export function settleByAnswer(state: RunState, visit: Visit, value: JsonValue): void {
  if (visit.error?.kind !== OUTCOME_UNKNOWN) return;
  if (value === 'abort') return noteAbort(state, visit.error);
  const open = callInQuestion(state, visit);
  const isAgain = value === 'repeat' || value === 'retry';
  const key = unknownOutcomeKey(visit.error) ?? open?.key ?? '';
  // this effect is settled, so the same action is another one from here on
  if (!isAgain) state.unendedEffects.delete(key);
  if (open === undefined || value === 'skip') return settleUnknownOutcomes(state, visit);
  state.unknownOutcomes.delete(open.key);
  state.unknownOutcomes.delete(key);
  if (isAgain) reopenCall(open);
}

function noteAbort({ unknownOutcomes: outcomes }: RunState, error: ErrorReport): void {
  const key = unknownOutcomeKey(error);
  const outcome = key === undefined ? undefined : outcomes.get(key);
  if (key !== undefined && outcome !== undefined)
    outcomes.set(key, { ...outcome, aborted: error.id });
}

/** The open call that a conversation's node asks about: the one in doubt, or one that would do the same. */
export function callInQuestion(state: RunState, visit: Visit): OpenCall | undefined {
  const made = namedOutcome(state, visit)?.call?.call;
  const same = made === undefined ? undefined : callHash(made);
  return (
    callWithUnknownOutcome(visit) ??
    visit.conversation?.calls.find(
      ({ call, isBegun, result }) => !isBegun && result === undefined && callHash(call) === same,
    )
  );
}

/** The call in question, where an earlier conversation made it and the current one has others open. */
export function earlierCall(state: RunState, visit: Visit): UnknownOutcome | undefined {
  if (visit.conversation === undefined || callInQuestion(state, visit) !== undefined)
    return undefined;
  const outcome = namedOutcome(state, visit);
  return outcome?.call === undefined ? undefined : outcome;
}

function namedOutcome({ unknownOutcomes }: RunState, { error }: Visit): UnknownOutcome | undefined {
  const key = error?.kind === OUTCOME_UNKNOWN ? unknownOutcomeKey(error) : undefined;
  return key === undefined ? undefined : unknownOutcomes.get(key);
}

/** The result that an answer gives; undefined for any other answer. */
export function editedValue(value: JsonValue): JsonValue | undefined {
  return isPlainObject(value) && 'edit' in value ? (value['edit'] ?? null) : undefined;
}

/** The call with an unknown outcome that a conversation's node has failed with. */
function callWithUnknownOutcome({ conversation, error }: Visit): OpenCall | undefined {
  if (conversation === undefined || error?.kind !== OUTCOME_UNKNOWN) return undefined;
  return (
    conversation.calls.find(({ key }) => key === unknownOutcomeKey(error)) ??
    conversation.calls.find(hasUnknownOutcome)
  );
}

function hasUnknownOutcome({ result }: OpenCall): boolean {
  return result?.error?.kind === OUTCOME_UNKNOWN;
}

function reopenCall(open: OpenCall): void {
  open.result = undefined;
  open.isBegun = false;
  open.failures = 0;
  open.again = undefined;
}
