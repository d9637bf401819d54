/** The things that a paused run waits for. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { InDoubt } from '../policy/unknown-outcome-details.ts';

/** An option of a gate that needs a text as well. */
export interface PromptFor {
  /** The answer. */
  readonly value: JsonValue;
  /** Name of the text. */
  readonly name: string;
}

/** One thing that a paused run waits for. */
export interface Wait {
  /**
   * `outcome`: a person has to report the outcome of an effect; `person`: a person has to resume
   * it.
   */
  readonly reason: 'gate' | 'time' | 'budget' | 'outcome' | 'person';
  /** The id of the gate to answer. */
  readonly gate?: string;
  /** Number of the event that opened the gate; an answer may name it. */
  readonly opening?: number;
  /** The node that waits. */
  readonly node?: string;
  /** Its path in the run. */
  readonly path?: string;
  /** When the wait ends by itself, in ISO 8601. */
  readonly until?: string;
  /** The answers to choose from. */
  readonly options?: readonly JsonValue[];
  /** For an unknown outcome: what to look it up by. */
  readonly inDoubt?: InDoubt;
  /** The options that are answered with `{"selected": …, "additional_input": "a text"}`. */
  readonly promptFor?: readonly PromptFor[];
  /** The failure that it waits with, which a person is asked about or a later try may mend. */
  readonly error?: WaitFailure;
}

/** Enough to know the failure in a list. */
export interface WaitFailure {
  /** The kind of the failure. */
  readonly kind: string;
  /** Its message, without what is private to the machine. */
  readonly message: string;
}

/** The reason for a pause: the earliest wait of the run, with all others. */
export interface Waiting extends Wait {
  /** All waits, the earliest first. */
  readonly all: readonly Wait[];
}

/** A question of a list, as the person reads it. */
export interface AskedQuestion {
  /** The name of its answer. */
  readonly id: string;
  /** The question. */
  readonly text: string;
  /** Help for the person. */
  readonly hint?: string;
  /** Answers to choose from. */
  readonly choices?: readonly JsonValue[];
  /** Whether an answer may differ from the choices. */
  readonly isFree: boolean;
  /** The answer when the person gives none. */
  readonly default?: JsonValue;
  /** Whether it needs an answer. */
  readonly isRequired: boolean;
}
