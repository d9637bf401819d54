/** A strike: the failure to cause, its place and tries, and how to cause it. */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import type { Place } from '../places/atlas.ts';

/** Counted from 1, both included. */
export interface Tries {
  readonly from: number;
  readonly to: number;
}

export const FIRST: Tries = { from: 1, to: 1 };
export const EVERY: Tries = { from: 1, to: Infinity };

/** How a call of an effect goes when it is struck. */
export type StruckCall =
  | { readonly type: 'fails'; readonly failure: ReportDraft; readonly part?: JsonValue }
  | { readonly type: 'loses its reply'; readonly failure: ReportDraft }
  | { readonly type: 'hangs' }
  | { readonly type: 'throws' }
  | { readonly type: 'gives'; readonly output: JsonValue; readonly errors?: readonly ReportDraft[] }
  | { readonly type: 'takes'; readonly delayMs: number };

export type How =
  /** At the node, before it does anything. */
  | { readonly type: 'node'; readonly failure: ReportDraft; readonly output?: JsonValue }
  /** It stands still until its time limit. */
  | { readonly type: 'stall' }
  | { readonly type: 'assertion'; readonly index: number }
  /** At its script, function, tool or transform. */
  | { readonly type: 'effect'; readonly call: (request: EffectRequest) => StruckCall }
  /** At the model, whichever entry of the chain is called. Undefined: it replies undisturbed. */
  | {
      readonly type: 'model';
      readonly reply: (call: ModelCall, number: number) => SimulatedAnswer | StruckCall | undefined;
    }
  /** At a tool that the agent calls, which the model is made to call. */
  | {
      readonly type: 'tool';
      readonly tool: string;
      readonly call: (request: EffectRequest) => StruckCall;
    }
  /** Nobody answers. */
  | { readonly type: 'silence' };

export interface Enclosing {
  readonly place: Place;
  readonly tries: Tries;
  /** How many of its paths count, in the order in which they begin. */
  readonly paths: number;
}

export interface Strike {
  readonly place: Place;
  /** The kind to fail with; undefined if a classifier decides. */
  readonly kind: string | undefined;
  readonly tries: Tries;
  /** How many paths of the place are struck, in the order in which they begin. */
  readonly paths: number;
  /** Only this path. */
  readonly path?: string;
  /** Only while these nodes are in these tries, the outermost last. */
  readonly within: readonly Enclosing[];
  readonly how: How;
  /** Questions about the failure are answered with `abort`, and its parks are ended. */
  readonly isUntilOut?: boolean;
  /** Nobody can be asked in this run. */
  readonly isAlone?: boolean;
}

/** One way to bring a failure about. */
export type Recipe = (tries: Tries) => readonly Strike[];
