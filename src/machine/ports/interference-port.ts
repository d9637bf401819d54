/**
 * Faults that a rehearsal injects into the machine; no real run has this port. Its answers depend
 * on the attempt alone, so a decision that is repeated after a crash is the same.
 */
import type { ReportDraft } from '../../errors/report/report.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';

/** One attempt of a node. */
export interface AttemptAt {
  readonly node: string;
  readonly path: string;
  /** How often its scope has been at the node, from 1. */
  readonly visit: number;
  /** 0 for the first. */
  readonly attempt: number;
}

export type Interference =
  /** It fails before it does anything. */
  | { readonly type: 'fails'; readonly failure: ReportDraft; readonly output?: JsonValue }
  /** It does nothing until its time limit. */
  | { readonly type: 'stalls' };

export interface InterferencePort {
  /** Called when an attempt is about to begin its work, perhaps more than once. */
  readonly begins: (attempt: AttemptAt) => Interference | undefined;
  /** Whether the assertion with this index is taken as failed. */
  readonly breaksAssertion: (attempt: AttemptAt, index: number) => boolean;
}
