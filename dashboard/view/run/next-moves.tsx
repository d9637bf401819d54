/**
 * The next moves: everything that can be done with the run now, each with the command that does the
 * same.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionKind } from '../../../src/errors/catalog/vocabulary.ts';
import type { NextMove } from '../../../src/history/next-moves.ts';
import { AcceptDrift } from '../accept-drift.tsx';
import { Prompt } from '../prompt.tsx';
import { Ago, Command, Empty, PageLink, ProblemBox, Region } from '../parts.tsx';
import { openFailures } from './open-failures.ts';
import type { RunActions, RunPageData } from './page-data.ts';

export interface NextMovesProps {
  readonly page: RunPageData;
  readonly actions: RunActions | undefined;
}

export function NextMoves({ page, actions }: NextMovesProps): JSX.Element {
  const { nextMoves, run } = page;
  const mayRepair =
    page.resumeObstacle !== 'not_served' &&
    (page.resumeObstacle === 'not_valid' ||
      nextMoves.some(({ move }) => move === 'resume' || move === 'answer'));
  const canRepair = actions !== undefined && mayRepair && page.file !== null;
  const isFirst = canRepair && wantsRepair(page);
  return (
    <Region name="Next moves" id="next-moves">
      {actions?.refusal !== undefined && (
        <ProblemBox problem={actions.refusal.problem}>
          {actions.refusal.now !== undefined && <p>{actions.refusal.now}</p>}
        </ProblemBox>
      )}
      {actions !== undefined && actions.closed.length > 0 && (
        <actions.parts.ClosedQuestions closed={actions.closed} />
      )}
      {nextMoves.length === 0 && <Empty>{nothingWords(page)}</Empty>}
      <NotResumedHere page={page} />
      {isFirst && <Repair run={run} isFirst />}
      <ul class="moves">
        {nextMoves.map((move) => (
          <li key={`${move.move} ${move.gate ?? ''}`}>
            <MoveRow move={move} page={page} actions={actions} />
          </li>
        ))}
      </ul>
      {canRepair && !isFirst && <Repair run={run} />}
    </Region>
  );
}

/** Explains why there is no button "Resume", and names an alternative. */
function NotResumedHere({ page }: { readonly page: RunPageData }): JSX.Element | null {
  const { resumeObstacle, workflow, file, run } = page;
  const keeps = page.questions.length > 0 ? ' It keeps an answer until the run is resumed.' : '';
  if (resumeObstacle === undefined) return null;
  switch (resumeObstacle) {
    case 'not_valid':
      return (
        <p class="note">
          The file of {workflow} has errors, so this server cannot resume the run. Repair the file
          first.{keeps}
        </p>
      );
    case 'not_served':
      return isInCode(file) ? (
        <p class="note">
          This server does not have {workflow}, which is written in code. Resume the run in the
          program that has it.{keeps}
        </p>
      ) : (
        <div class="move">
          <p class="note">
            This server does not serve {workflow}, so it cannot resume the run. Start the server
            with its file too, or run this command in the folder of the file.{keeps}
          </p>
          <Command command={`errand resume ${run}`} />
        </div>
      );
  }
}

function isInCode(file: string | null): boolean {
  return file === null || file.startsWith('code:');
}

/** The failures that only a changed file repairs: a mere resume would fail again. */
const MENDED_IN_THE_FILE: readonly ActionKind[] = ['fix_file', 'change_input', 'change_model'];

function wantsRepair(page: RunPageData): boolean {
  if (page.resumeObstacle === 'not_valid') return true;
  const kind = page.status === 'failed' ? openFailures(page)[0]?.action.kind : undefined;
  return kind !== undefined && MENDED_IN_THE_FILE.includes(kind);
}

function Repair({
  run,
  isFirst = false,
}: {
  readonly run: string;
  readonly isFirst?: boolean;
}): JSX.Element {
  return (
    <p class="repair-move">
      <PageLink
        {...(isFirst ? { class: 'button' } : {})}
        to={`/runs/${encodeURIComponent(run)}/repair`}
      >
        Repair the workflow file
      </PageLink>{' '}
      and resume the same run
    </p>
  );
}

function nothingWords({ status }: RunPageData): string {
  return status === 'running'
    ? 'The run is under way.'
    : `The run is ${status}; nothing is left to do.`;
}

interface MoveProps extends NextMovesProps {
  readonly move: NextMove;
}

function MoveRow({ move, page, actions }: MoveProps): JSX.Element {
  switch (move.move) {
    case 'answer':
      return <AnswerRow move={move} page={page} actions={actions} />;
    case 'resume':
      return <ResumeRow move={move} page={page} actions={actions} />;
    case 'retry':
      return <RetryRow move={move} page={page} actions={actions} />;
    case 'cancel':
      return (
        <div class="move">
          {actions?.mayRun === true && (
            <button type="button" class="danger" onClick={() => actions.move(move, {})}>
              Cancel
            </button>
          )}
          <Command command={move.command} />
        </div>
      );
  }
}

function AnswerRow({ move, page, actions }: MoveProps): JSX.Element {
  const question = page.questions.find(({ gate }) => gate === move.gate);
  const { gate = '' } = move;
  const canAnswer = actions?.mayRun === true;
  return (
    <div class="move question" role="group" aria-label={`Question ${gate}`}>
      <h3>
        Question <code>{gate}</code>
        {question?.deadline !== undefined && (
          <span class="quiet">
            {' '}
            to be answered <Ago at={question.deadline} />
          </span>
        )}
      </h3>
      {question !== undefined && <Prompt question={question} isAnswered={canAnswer} />}
      {question !== undefined && actions?.mayRun === true && (
        <actions.parts.GateAnswer
          question={question}
          id={`move-${gate}`}
          isBusy={actions.isBusy}
          answer={(value) => actions.answer(question, value)}
          typing={(text) => actions.typing(question, text)}
        />
      )}
      <Command command={move.command} />
    </div>
  );
}

/** A move that may have to accept that finished nodes have changed in the file. */
function useAcceptance({ needs }: NextMove) {
  const isNeeded = needs?.includes('acceptDrift') === true;
  const [accepts, setAccepts] = useState(false);
  return {
    isMissing: isNeeded && !accepts,
    /** Added to the body. */
    field: isNeeded ? { acceptDrift: true } : {},
    checkbox: isNeeded && <AcceptDrift accepts={accepts} accept={setAccepts} />,
    note: isNeeded && (
      <p class="note">
        Finished nodes have changed in the file since: the run keeps their results when you accept
        that.
      </p>
    ),
  };
}

function ResumeRow({ move, page, actions }: MoveProps): JSX.Element {
  const { isMissing, field, checkbox, note } = useAcceptance(move);
  return (
    <div class="move">
      {actions?.mayRun === true && (
        <>
          {checkbox}
          <button
            type="button"
            class={wantsRepair(page) ? '' : 'primary'}
            aria-disabled={actions.isBusy || isMissing}
            onClick={() => {
              if (!isMissing) actions.move(move, field);
            }}
          >
            Resume
          </button>
        </>
      )}
      <Command command={move.command} />
      {move.body?.['now'] === true && (
        <p class="note">
          It continues by itself when its time has come; this does not wait for it.
        </p>
      )}
      {note}
    </div>
  );
}

/** Runs a completed run again from one of its nodes. */
function RetryRow({ move, page, actions }: MoveProps): JSX.Element {
  const paths = [...(page.view?.steps ?? [])]
    .filter(({ path }) => !/[[/]/.test(path))
    .map(({ path }) => path);
  const { isMissing, field, checkbox, note } = useAcceptance(move);
  const [chosen, setFrom] = useState<string | undefined>(undefined);
  const from = chosen ?? paths[0] ?? '';
  return (
    <div class="move">
      {actions?.mayRun === true && paths.length > 0 && (
        <>
          <label class="field-inline">
            From{' '}
            <select value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
              {paths.map((path) => (
                <option key={path} value={path}>
                  {path}
                </option>
              ))}
            </select>
          </label>
          {checkbox}
          <button
            type="button"
            aria-disabled={actions.isBusy || isMissing}
            onClick={() => {
              if (!isMissing) actions.move(move, { from, ...field });
            }}
          >
            Retry
          </button>
        </>
      )}
      <Command
        command={move.command.replace('--from NODE', `--from ${from === '' ? 'NODE' : from}`)}
      />
      {note}
    </div>
  );
}
