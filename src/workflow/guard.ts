/**
 * A guard: code of the host or of a workflow that is asked about each call of a tool before it is
 * made, after the policy of the node has let it through. It can deny or ask for a person, and nothing
 * that it says allows what was not allowed anyway.
 */
import type { JsonObject } from '../errors/json.ts';

/** Registered, so that a guard is known whichever copy of the package declared it. */
export const GUARD: unique symbol = Symbol.for('errand.guard') as never;

export interface GuardedCall {
  /** `name`, or `server/name`. */
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly run: string;
  readonly node: string;
  /** Through groups and sub-workflows. */
  readonly path: string;
  /** A person has approved exactly this call, so asking for one again changes nothing. */
  readonly isApproved: boolean;
}

/** A reason is told to whoever is asked, to the model, and to the audit. Nothing means no objection. */
export type GuardVerdict =
  | 'allow'
  | 'deny'
  | 'ask'
  | { readonly deny: string }
  | { readonly ask: string }
  | undefined;

/** One that throws, says something else or takes longer than 10 s denies the call. */
export type Guard = (call: GuardedCall) => GuardVerdict | void | PromiseLike<GuardVerdict | void>;

export interface DeclaredGuard {
  readonly [GUARD]: Guard;
}

/** `export const careful = guard((call) => …)` in a workflow's module: for all calls of its tools. */
export function guard(check: Guard): DeclaredGuard {
  return Object.freeze({ [GUARD]: check });
}
