/**
 * A guard: code of the host or of a workflow that reviews each tool call before it runs, after the
 * policy of the node has allowed it. It can deny the call or ask a person; it can never allow a call that
 * the policy denies.
 */
import type { JsonObject } from '../../errors/support/safe-json.ts';

/** A registered symbol, so that a guard is recognised whichever copy of the package declared it. */
export const GUARD: unique symbol = Symbol.for('errand.guard') as never;

export interface GuardedCall {
  /** `name`, or `server/name`. */
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly run: string;
  readonly node: string;
  /** Path of the node, through groups and sub-workflows. */
  readonly path: string;
  /** A person has approved exactly this call, so asking again changes nothing. */
  readonly isApproved: boolean;
}

/** The reason goes to the person, the model and the audit trail. No return value means no objection. */
export type GuardVerdict =
  | 'allow'
  | 'deny'
  | 'ask'
  | { readonly deny: string }
  | { readonly ask: string }
  | undefined;

/** A guard that throws, returns anything else or takes longer than 10 s denies the call. */
export type Guard = (call: GuardedCall) => GuardVerdict | void | PromiseLike<GuardVerdict | void>;

export interface DeclaredGuard {
  readonly [GUARD]: Guard;
}

/**
 * Declares, in a workflow's module, a guard that is asked about every call of its tools.
 * @example
 * ```ts
 * import { guard } from 'errand';
 *
 * export const careful = guard((call) => (call.tool === 'pay' ? { ask: 'It costs money' } : 'allow'));
 * console.log(typeof careful); // object
 * ```
 */
export function guard(check: Guard): DeclaredGuard {
  return Object.freeze({ [GUARD]: check });
}
