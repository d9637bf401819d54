/**
 * The data of a run's page: its content, and the possible moves. The page and the file use the same
 * data.
 */
import type { JSX } from 'preact';
import type { JsonObject, JsonValue } from '../../../src/errors/support/safe-json.ts';
import type { FailureHistory } from '../../../src/history/failure-history.ts';
import type { GraphLayout } from '../../../src/history/graph-layout/layout.ts';
import type { NextMove } from '../../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../../src/history/open-questions.ts';
import type { RunMoves, SourceFile } from '../../../src/history/run-page.ts';
import type { RunView, StepView } from '../../../src/history/run-view/view.ts';
import type { RunEvent } from '../../../src/machine/state/events.ts';
import type { ShownProblem } from '../../../src/server/http/problem-response.ts';
import type { GateAnswerProps } from '../../form/gate-answer.tsx';

/** A run of which perhaps only the moves are known yet: folding a long log takes a moment. */
export interface RunPageData extends RunMoves {
  readonly layout?: GraphLayout | undefined;
  readonly view?: RunView | undefined;
  /** Every failure with its history; undefined until it is loaded. */
  readonly life?: readonly FailureHistory[] | undefined;
  /** The file that the failure points to, if it is known. */
  readonly source?: SourceFile | undefined;
  /** The model's last reply, if its form is the open failure. */
  readonly reply?: unknown;
  /** The step that is open. */
  readonly step?: string | undefined;
  /** The events of that step, if they are loaded. */
  readonly stepEvents?: readonly RunEvent[] | undefined;
  /** All events of the run, if the steps cannot be opened one by one. */
  readonly events?: readonly RunEvent[] | undefined;
}

/** A run with everything that its log says. */
export type WholeRunPage = RunPageData & { readonly view: RunView };

export interface StepDrawerProps {
  readonly page: WholeRunPage;
  readonly step: StepView;
  readonly actions: RunActions | undefined;
}

/** A component that may not be loaded yet. */
type PartOf<P> = (props: P) => JSX.Element | null;

export interface ClosedQuestion {
  readonly key: string;
  readonly words: string;
  readonly unsent?: string | undefined;
}

/** Absent in a file. */
export interface RunActions {
  /** Whether the visitor may change something; commands stay. */
  readonly mayRun: boolean;
  readonly isBusy: boolean;
  /** The last refusal, and the current state. */
  readonly refusal?: { readonly problem: ShownProblem; readonly now?: string } | undefined;
  /** Questions that somebody else has closed while this page showed them. */
  readonly closed: readonly ClosedQuestion[];
  /** Called with the text typed for a question. */
  readonly typing: (question: OpenQuestion, text: string) => void;
  readonly move: (move: NextMove, added: JsonObject) => void;
  readonly answer: (question: OpenQuestion, value: JsonValue) => Promise<ShownProblem | undefined>;
  readonly retryFrom: (path: string) => void;
  /** Loads the omitted steps of a long run. */
  readonly loadSteps: () => void;
  readonly openStep: (path: string | undefined) => void;
  readonly copyReport: (id: string, form: 'markdown' | 'problem') => Promise<string>;
  /** Parts that the first view does not need: each is loaded on demand. */
  readonly parts: {
    readonly GateAnswer: PartOf<GateAnswerProps>;
    readonly StepDrawer: PartOf<StepDrawerProps>;
    readonly ClosedQuestions: PartOf<{ readonly closed: readonly ClosedQuestion[] }>;
  };
}
