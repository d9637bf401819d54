/**
 * Effects that are not known to have ended. When a run is rewound, everything in it is new, except these:
 * they are requested again under the same key, so that the other side recognises the repetition.
 */
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import type { ToolCall } from '../conversation/model-message.ts';
import type { EffectInput } from '../decide/effect-input.ts';
import { parentScope, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { locationOf } from './effect-location.ts';

export interface UnendedEffect {
  /** Where it was requested, and what it does. */
  readonly action: string;
  readonly attempt: number;
  /** The run has been rewound since: the next request of the action takes over its key. */
  readonly isRewound?: boolean;
  /** The visit that has taken over its key. */
  readonly visit?: string;
  /** It has ended since, in that visit. */
  readonly isEnded?: boolean;
}

/** The work of an effect, apart from its location and its visit. */
export type Action =
  | EffectInput
  | readonly [call: Pick<ToolCall, 'name' | 'arguments'>, ordinal: number];

/** Notes an end that leaves the outcome unknown; called while the effect still counts as running. */
export function noteUnended(
  { unendedEffects, effects }: RunState,
  key: string,
  action: string | undefined,
): void {
  const before = unendedEffects.get(key);
  const known = before?.action ?? action;
  if (known === undefined) return;
  const attempt = effects.get(key)?.attempt ?? 0;
  unendedEffects.set(key, { ...before, action: known, attempt, isEnded: false });
}

/** Notes a known end. A visit that has taken over the key keeps it. */
export function noteEnded({ unendedEffects }: RunState, key: string): void {
  const unended = unendedEffects.get(key);
  if (unended?.visit === undefined) unendedEffects.delete(key);
  else unendedEffects.set(key, { ...unended, isEnded: true });
}

export function noteTakenOver(state: RunState, scope: Scope, key: string): void {
  const unended = state.unendedEffects.get(key);
  if (unended?.isRewound === true)
    state.unendedEffects.set(key, { ...unended, visit: visitName(state, scope) });
}

export function rewindUnended({ unendedEffects }: RunState): void {
  for (const [key, { action, attempt, isEnded }] of unendedEffects)
    if (isEnded === true) unendedEffects.delete(key);
    else unendedEffects.set(key, { action, attempt, isRewound: true });
}

/** The key of the same effect from before the run was rewound. */
export function keptKey(state: RunState, scope: Scope, action: Action): string | undefined {
  if (state.unendedEffects.size === 0) return undefined;
  const wanted = actionAt(state, scope, action);
  for (const [key, unended] of state.unendedEffects) {
    if (unended.isRewound !== true || unended.action !== wanted) continue;
    if (unended.visit === undefined || unended.visit === visitName(state, scope)) return key;
  }
  return undefined;
}

/** The attempts that were made under the key before the run was rewound. */
export function attemptsBefore({ unendedEffects }: RunState, key: string): number {
  const unended = unendedEffects.get(key);
  return unended?.isRewound === true ? unended.attempt + 1 : 0;
}

/** Tells an action at its location from every other. */
export function actionAt(state: RunState, scope: Scope, action: Action): string {
  return identityOf([locationOf(state, scope), action]);
}

function visitName(state: RunState, scope: Scope): string {
  return [visitOf(scope).path, ...visitNumbers(state, scope)].join(' ');
}

/** Numbers of the visit and of all enclosing visits; without attempts. */
export function visitNumbers(state: RunState, scope: Scope): readonly number[] {
  const numbers: number[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = parentScope(state, at))
    numbers.push(at.visit?.number ?? 0);
  return numbers;
}
