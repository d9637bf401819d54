/**
 * The page of a run: the server's view of it, then its events as they arrive, folded by the same
 * reducer.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../src/errors/support/safe-json.ts';
import type { NextMove } from '../../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../../src/history/open-questions.ts';
import { PageLink, ProblemBox } from '../../view/parts.tsx';
import type { RunActions, RunPageData } from '../../view/run/page-data.ts';
import { RunReport, runHeading } from '../../view/run/run-report.tsx';
import { role, v1, read } from '../api.ts';
import { Confirm, type ConfirmProps } from '../confirm.tsx';
import { focusIfLost, focusOn } from '../focus.ts';
import { useAction, useTitle } from '../hooks.ts';
import { answerGate, isConflict, makeMove, whatIsNow } from '../moves.ts';
import { useClosedQuestions } from '../closed-questions.ts';
import { lazy } from '../lazy.tsx';
import { go } from '../navigation.ts';
import { copiedReport } from '../copied-report.ts';
import { useRun } from '../use-run.ts';
import type { ShownProblem } from '../../../src/server/http/problem-response.ts';
import { Refusal } from '../api.ts';

export function RunPage({
  run,
  step,
}: {
  readonly run: string;
  readonly step: string | undefined;
}): JSX.Element {
  const { page, problem, refresh, loadSteps } = useRun(run, step);
  const heading = page === undefined ? run : runHeading(page);
  useTitle(page === undefined ? heading : `${page.status} ${heading}`);
  if (page === undefined)
    return (
      <>
        <h1 tabIndex={-1}>{run}</h1>
        {problem === undefined ? (
          <p class="empty">Loading…</p>
        ) : (
          <ProblemBox problem={problem}>
            <p>
              <PageLink to="/">All runs</PageLink>
            </p>
          </ProblemBox>
        )}
      </>
    );
  return <Shown page={page} refresh={refresh} loadSteps={loadSteps} />;
}

/** Most people who open a run neither answer it nor open a step. */
const PARTS: RunActions['parts'] = {
  GateAnswer: lazy(async () => (await import('../../form/gate-answer.tsx')).GateAnswer),
  ClosedQuestions: lazy(
    async () => (await import('../../view/closed-question.tsx')).ClosedQuestions,
  ),
  StepDrawer: lazy(async () => (await import('../../view/run/step-drawer.tsx')).StepDrawer),
};

const Failures = lazy(async () => (await import('../../view/run/failures.tsx')).Failures);

type Asked =
  | { readonly type: 'cancel'; readonly move: NextMove }
  | { readonly type: 'retry'; readonly path: string };

function Shown({
  page,
  refresh,
  loadSteps,
}: {
  readonly page: RunPageData;
  readonly refresh: () => Promise<void>;
  readonly loadSteps: () => Promise<void>;
}): JSX.Element {
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const { act, isBusy, refusal, closed, typing, move } = useMoves(page, refresh);
  const actions: RunActions = {
    mayRun: role.value === 'run' || role.value === 'edit',
    isBusy,
    refusal,
    closed,
    typing,
    move: (next: NextMove, added: JsonObject) => {
      if (next.move === 'cancel') setAsked({ type: 'cancel', move: next });
      else void move(() => makeMove(next, added));
    },
    answer: async (question: OpenQuestion, value) => {
      let refused: ShownProblem | undefined;
      await move(async () => {
        const { problem } = await answerGate(page.run, question, value);
        refused = problem;
        if (problem !== undefined) throw new Refusal(problem);
        focusOn('#next-moves-name');
      });
      return refused;
    },
    loadSteps: () => void act(loadSteps),
    retryFrom: (path) => {
      if (needsAccept(page)) setAsked({ type: 'retry', path });
      else void move(() => retryFrom(page, path));
    },
    openStep: (path) => openStep(page, path),
    copyReport: (id, form) => copiedReport(page, id, form),
    parts: PARTS,
  };
  return (
    <>
      <RunReport page={page} actions={actions} Failures={Failures} />
      {asked !== undefined && (
        <AskOnce
          asked={asked}
          page={page}
          isBusy={isBusy}
          back={() => setAsked(undefined)}
          confirm={() => {
            setAsked(undefined);
            void move(() =>
              asked.type === 'cancel' ? makeMove(asked.move, {}) : retryFrom(page, asked.path),
            );
          }}
        />
      )}
    </>
  );
}

/** A closed step returns the focus to its row. */
function openStep({ run, step }: RunPageData, path: string | undefined): void {
  go({ page: 'run', run, ...(path === undefined ? {} : { step: path }) });
  if (path === undefined && step !== undefined)
    focusOn(`tr[data-step="${CSS.escape(step)}"] button`);
}

/**
 * Makes one move at a time; shows a refusal with the current state, and also the moves of others.
 */
function useMoves({ run, questions }: RunPageData, refresh: () => Promise<void>) {
  const { closed, typing, answering } = useClosedQuestions(run, questions);
  const [refusal, setRefusal] = useState<RunActions['refusal']>(undefined);
  const refused = async (problem: ShownProblem): Promise<void> => {
    setRefusal({ problem });
    // it may be far above the button
    focusOn('#next-moves .problem');
    await refresh();
    if (isConflict(problem))
      setRefusal({ problem, now: `Nothing was done by this. ${await whatIsNow(run)}` });
  };
  const { act, isBusy } = useAction((problem) => void refused(problem));
  const move = (work: () => Promise<void>): Promise<boolean> =>
    act(async () => {
      setRefusal(undefined);
      questions.forEach(answering);
      await work();
      await refresh();
      focusIfLost('#next-moves-name');
    });
  return { act, isBusy, refusal, closed, typing, move };
}

function AskOnce({
  asked,
  page,
  ...rest
}: {
  readonly asked: Asked;
  readonly page: RunPageData;
} & Omit<ConfirmProps, 'title' | 'children'>): JSX.Element {
  if (asked.type === 'cancel')
    return (
      <Confirm title="Cancel the run?" {...rest}>
        <p>
          {page.workflow} <code>{page.run}</code> ends for good: what runs is stopped, and it cannot
          be resumed. What it has done stays done.
        </p>
      </Confirm>
    );
  return (
    <Confirm title={`Retry from ${asked.path}?`} isGentle {...rest}>
      <p>
        <code>{asked.path}</code> and every step that follows it run again in this run. Finished
        steps before it have changed in the file since; they keep their results.
      </p>
    </Confirm>
  );
}

/** Finished nodes have changed in the file, which a person has to accept. */
function needsAccept({ nextMoves }: RunPageData): boolean {
  return nextMoves.some(({ needs }) => needs?.includes('acceptDrift') === true);
}

async function retryFrom(page: RunPageData, from: string): Promise<void> {
  await read(v1('runs', page.run, 'resume'), {
    method: 'POST',
    json: { from, ...(needsAccept(page) ? { acceptDrift: true } : {}) },
  });
}
