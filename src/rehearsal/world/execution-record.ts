/**
 * The record of the simulated world, kept outside the engine: the laws compare the log with
 * it.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectInput } from '../../machine/decide/effect-input.ts';
import type { EffectRef, Usage } from '../../machine/state/events.ts';

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
      /** The result that it completed all the same. */
      readonly output?: JsonValue;
    }
  /** It did its work, and its reply was lost. */
  | { readonly type: 'lost'; readonly kind: string }
  | { readonly type: 'threw' }
  /** It was aborted, and stopped. */
  | { readonly type: 'stopped'; readonly isKnown: boolean }
  /** Its process died around it. */
  | { readonly type: 'died' };

export interface Execution {
  /** Counts from 1 in the whole world. */
  readonly number: number;
  /** The process that requested it, from 1. */
  readonly process: number;
  readonly run: string;
  readonly effect: EffectRef;
  /** The exact input. */
  readonly work: EffectInput;
  readonly node: string;
  readonly path: string;
  readonly attempt: number;
  readonly isIdempotent: boolean;
  /** A result that was refused before was checked first, and it was still not good. */
  readonly isRechecked: boolean;
  /** Events of the run that were stored when it began. */
  readonly afterSeq: number;
  readonly startedAtMs: number;
  /** Whether it was aborted. */
  isAborted: boolean;
  /** The charge of a model for it, whether the reply arrives or not. */
  charged?: Usage;
  /** Absent while it is running. */
  ending?: ExecutionEnding;
}
