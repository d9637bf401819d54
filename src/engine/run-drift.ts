/** Drift of a run: what a resume with the present file would find changed. */
import type { ChangedNode } from '../machine/policy/drift.ts';

export interface RunDrift {
  readonly changed: readonly ChangedNode[];
  /** Whether a resume is refused unless it accepts the changes. */
  readonly needsAccept: boolean;
}
