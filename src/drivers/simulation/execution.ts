/**
 * What really happened in the simulated world, kept outside the engine: whoever judges a run compares
 * its log with this.
 */
import type { JsonValue } from '../../errors/json.ts';
import type { EffectWork } from '../../machine/effect-work.ts';
import type { EffectRef, Usage } from '../../machine/events.ts';

export type ExecutionEnding =
  | {
      readonly type: 'succeeded';
      readonly output: JsonValue;
      /** Kinds of what is missing from it. */
      readonly errors?: readonly string[];
    }
  | {
      readonly type: 'failed';
      readonly kind: string;
      /** What it has got done all the same. */
      readonly output?: JsonValue;
    }
  /** It did its work, and its reply was lost. */
  | { readonly type: 'lost'; readonly kind: string }
  | { readonly type: 'threw' }
  /** It was told to stop, and did. */
  | { readonly type: 'stopped'; readonly isKnown: boolean }
  /** Its process died around it. */
  | { readonly type: 'died' };

export interface Execution {
  /** Counts from 1 in the whole world. */
  readonly number: number;
  /** The process that asked for it, from 1. */
  readonly process: number;
  readonly run: string;
  readonly effect: EffectRef;
  /** What was asked for, word by word. */
  readonly work: EffectWork;
  readonly node: string;
  readonly path: string;
  readonly attempt: number;
  readonly isIdempotent: boolean;
  /** Events of the run that were stored when it began. */
  readonly afterSeq: number;
  readonly startedAtMs: number;
  /** Whether it was told to stop. */
  isAborted: boolean;
  /** What a model charges for it, whether anybody hears of that or not. */
  charged?: Usage;
  /** Absent while it is under way. */
  ending?: ExecutionEnding;
}
