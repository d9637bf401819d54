/** The contents of a run's page, and of the file that is exported of it. */
import type { PersonReport } from '../errors/report/audiences.ts';
import type { RunStatusName } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { NamedUnknownOutcome } from '../machine/policy/unknown-outcome.ts';
import type { Attention } from './attention.ts';
import type { FailureHistory } from './failure-history.ts';
import type { GraphLayout } from './graph-layout/layout.ts';
import type { NextMove, ResumeObstacle } from './next-moves.ts';
import type { OpenQuestion } from './open-questions.ts';
import type { RunView } from './run-view/view.ts';

/** The moves that a run allows now, and why a person should make one. */
export interface RunMoves {
  readonly run: string;
  readonly workflow: string;
  /** Seen from the folder of the caller; `code:NAME` for a workflow made in code. */
  readonly file: string | null;
  readonly status: RunStatusName;
  readonly attention: Attention;
  /** Number of the last event that it rests on. */
  readonly seq: number;
  readonly nextMoves: readonly NextMove[];
  /** Why this server cannot continue the run, where the run rests. */
  readonly resumeObstacle?: ResumeObstacle;
  /** Effects that may have happened. */
  readonly inDoubt: readonly NamedUnknownOutcome[];
  readonly questions: readonly OpenQuestion[];
  /** The step that is tried again first, and when. */
  readonly nextTry?: { readonly path: string; readonly at: string };
  /** The failure that the run ended with. */
  readonly error?: PersonReport;
}

export interface RunPage extends RunMoves {
  /** The graph of the plan that the run has now. */
  readonly layout: GraphLayout;
  readonly view: RunView;
  /** Every failure with its history. */
  readonly life: readonly FailureHistory[];
  /** All events, as people see them. */
  readonly events: readonly RunEvent[];
  /** The file that the failure points to, where it can be read. */
  readonly source?: SourceFile;
}

export interface SourceFile {
  readonly file: string;
  readonly lines: readonly string[];
}
