/**
 * Effects that are not known to have ended. When a run is rewound, everything in it is new, except these:
 * what may have happened once is asked for under the same key, so that the other side can tell.
 */
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import type { ToolCall } from '../conversation/model-message.ts';
import type { EffectInput } from '../decide/effect-input.ts';
import type { EventBody } from '../state/events.ts';
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

/** What an effect does, apart from its location and its visit. */
export type Action =
  | EffectInput
  | readonly [call: Pick<ToolCall, 'name' | 'arguments'>, ordinal: number];

type Ended = Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>;

/** Called while the effect still counts as running. */
export function noteUnended(state: RunState, scope: Scope, event: Ended, action?: Action): void {
  const { effect } = event;
  const isUnknown = event.type === 'effect:failed' && event.error.outcome === 'unknown';
  if (effect.type === 'model' || effect.type === 'transform') return;
  const before = state.unendedEffects.get(effect.key);
  if (!isUnknown) {
    // its visit keeps the key that it has taken over
    if (before?.visit === undefined) state.unendedEffects.delete(effect.key);
    else state.unendedEffects.set(effect.key, { ...before, isEnded: true });
    return;
  }
  if (before === undefined && action === undefined) return;
  state.unendedEffects.set(effect.key, {
    ...before,
    action: before?.action ?? actionAt(state, scope, action),
    attempt: state.effects.get(effect.key)?.attempt ?? 0,
    isEnded: false,
  });
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

function actionAt(state: RunState, scope: Scope, action: Action | undefined): string {
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
