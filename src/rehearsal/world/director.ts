/**
 * A director makes all choices that a seed would make: how each call ends, and what happens to
 * nodes.
 */
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { InterferencePort } from '../../machine/ports/interference-port.ts';
import type { Fate } from './fate.ts';
import type { CommitFault } from './simulated-store.ts';

export interface Director extends InterferencePort {
  /** Called once for each execution. */
  readonly fateOf: (request: EffectRequest) => Fate;
  /** The fault of a commit, if any. */
  readonly commitFault?: (commit: Commit) => CommitFault | undefined;
}

/** A commit that is about to be made. */
export interface Commit {
  /** From 1, over all processes. */
  readonly number: number;
  /** Since the start. */
  readonly sinceMs: number;
  readonly events: readonly object[];
}
