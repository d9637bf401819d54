/** The page of a run: the server's view of it, then its events as they come, folded by the same reducer. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { JsonObject } from '../../../src/errors/support/safe-json.ts';
import type { NextMove } from '../../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../../src/history/open-questions.ts';
import { ProblemBox } from '../../view/parts.tsx';
import type { RunActions, RunPageData } from '../../view/run/page-data.ts';
import { RunReport, runHeading } from '../../view/run/run-report.tsx';
import { role, v1, read } from '../api.ts';
import { Confirm, type ConfirmProps } from '../confirm.tsx';
import { focusIfLost, focusOn } from '../focus.ts';
import { useAction, useTitle } from '../hooks.ts';
import { answerGate, isConflict, makeMove, whatIsNow } from '../moves.ts';
import { go } from '../navigation.ts';
import { copiedReport } from '../copied-report.ts';
import { useRun } from '../use-run.ts';
import type { ShownProblem } from '../../../src/server/http/problem.ts';
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
        {problem === undefined ? <p class="empty">Loading…</p> : <ProblemBox problem={problem} />}
      </>
    );
  return <Shown page={page} refresh={refresh} loadSteps={loadSteps} />;
}

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
  const { act, isBusy, refusal, move } = useMoves(page.run, refresh);
  useFocusOnStep(page.step);
  const actions: RunActions = {
    mayRun: role.value === 'run' || role.value === 'edit',
    isBusy,
    refusal,
    move: (next: NextMove, added: JsonObject) => {
      if (next.move === 'cancel') setAsked({ type: 'cancel', move: next });
      else move(() => makeMove(next, added));
    },
    answer: (question: OpenQuestion, value) =>
      move(async () => {
        const { problem } = await answerGate(page.run, question, value);
        if (problem !== undefined) throw new Refusal(problem);
        focusOn('#next-moves-name');
      }),
    loadSteps: () => void act(loadSteps),
    retryFrom: (path) => setAsked({ type: 'retry', path }),
    openStep: (path) => {
      go({ page: 'run', run: page.run, ...(path === undefined ? {} : { step: path }) });
      if (path === undefined && page.step !== undefined)
        focusOn(`tr[data-step="${CSS.escape(page.step)}"] button`);
    },
    copyReport: (id, form) => copiedReport(page, id, form),
  };
  return (
    <>
      <RunReport page={page} actions={actions} />
      {asked !== undefined && (
        <AskOnce
          asked={asked}
          page={page}
          isBusy={isBusy}
          back={() => setAsked(undefined)}
          confirm={() => {
            setAsked(undefined);
            move(() =>
              asked.type === 'cancel' ? makeMove(asked.move, {}) : retryFrom(page, asked.path),
            );
          }}
        />
      )}
    </>
  );
}

/** Moves one at a time; a refusal is shown with what is now. */
function useMoves(run: string, refresh: () => Promise<void>) {
  const [refusal, setRefusal] = useState<RunActions['refusal']>(undefined);
  const refused = async (problem: ShownProblem): Promise<void> => {
    setRefusal({ problem });
    await refresh();
    if (isConflict(problem)) setRefusal({ problem, now: await whatIsNow(run) });
  };
  const { act, isBusy } = useAction((problem) => void refused(problem));
  const move = (work: () => Promise<void>): void => {
    void act(async () => {
      setRefusal(undefined);
      await work();
      await refresh();
      focusIfLost('#next-moves-name');
    });
  };
  return { act, isBusy, refusal, move };
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
        <code>{asked.path}</code> and every step that follows it run again in this run, and may cost
        again. Steps before it keep their results.
      </p>
    </Confirm>
  );
}

async function retryFrom({ run, nextMoves }: RunPageData, path: string): Promise<void> {
  const needsAccept = nextMoves.some(({ needs }) => needs?.includes('acceptDrift') === true);
  await read(v1('runs', run, 'resume'), {
    method: 'POST',
    json: { from: path, ...(needsAccept ? { acceptDrift: true } : {}) },
  });
}

/** A step that was opened is read from its heading on. */
function useFocusOnStep(step: string | undefined): void {
  useEffect(() => {
    if (step !== undefined) focusOn('#step-name');
  }, [step]);
}
