/** How far a visit of a node has come. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRef } from './events.ts';
import type { ScopeResult } from './state.ts';

export type Phase =
  /** An attempt is due. */
  | { readonly type: 'entering' }
  /** The attempt has started and has requested nothing yet. */
  | { readonly type: 'working' }
  | { readonly type: 'effect' }
  /** The node of an agent or a supervisor, between and during its calls. */
  | { readonly type: 'conversation' }
  /** Until a time: a `wait`, a backoff, a park with an end. */
  | {
      readonly type: 'waiting';
      readonly untilMs: number;
      readonly why: 'wait' | 'backoff' | 'park';
    }
  /** Until someone resumes the run. */
  | { readonly type: 'parked' }
  | { readonly type: 'asking'; readonly gate: string }
  /** A person has answered. */
  | {
      readonly type: 'answered';
      readonly value: JsonValue;
      /** The call whose result the answer gives. */
      readonly given?: EffectRef;
    }
  /** No person answered in time. */
  | { readonly type: 'expired' }
  /** The effect has ended. */
  | {
      readonly type: 'result';
      readonly result: ScopeResult;
      readonly atMs: number;
      readonly effect: EffectRef;
    }
  /** Its branches or its sub-workflow are running. */
  | { readonly type: 'inside' }
  /** The result is known; the route is not decided yet. */
  | { readonly type: 'succeeded' }
  | { readonly type: 'failed' }
  /** Its effect was stopped from outside, because an enclosing node or the run ended. */
  | { readonly type: 'cancelled' }
  /** The scope has ended with this visit. */
  | { readonly type: 'ended' };
