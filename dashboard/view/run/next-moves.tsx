/** The next moves: what can be done with the run now, each with the command that does the same. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionKind } from '../../../src/errors/catalog/vocabulary.ts';
import type { NextMove } from '../../../src/history/next-moves.ts';
import { Command, Empty, PageLink, ProblemBox, Region } from '../parts.tsx';
import { openFailures } from './open-failures.ts';
import type { RunActions, RunPageData } from './page-data.ts';

export interface NextMovesProps {
  readonly page: RunPageData;
  readonly actions: RunActions | undefined;
}

export function NextMoves({ page, actions }: NextMovesProps): JSX.Element {
  const { nextMoves, run } = page;
  const mayRepair = nextMoves.some(({ move }) => move === 'resume' || move === 'answer');
  const canRepair = actions !== undefined && mayRepair && page.file !== null;
  const isFirst = canRepair && wantsRepair(page);
  return (
    <Region name="Next moves" id="next-moves">
      {actions?.refusal !== undefined && (
        <ProblemBox problem={actions.refusal.problem}>
          {actions.refusal.now !== undefined && <p>{actions.refusal.now}</p>}
        </ProblemBox>
      )}
      {nextMoves.length === 0 && <Empty>{nothingWords(page)}</Empty>}
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

/** The failures that another text of the file mends: resuming alone would fail again. */
const MENDED_IN_THE_FILE: readonly ActionKind[] = ['fix_file', 'change_input', 'change_model'];

function wantsRepair(page: RunPageData): boolean {
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
  return (
    <div class="move question" role="group" aria-label={`Question ${gate}`}>
      <p class="message prompt">{question?.prompt ?? gate}</p>
      {question !== undefined && actions?.mayRun === true && (
        <actions.parts.GateAnswer
          question={question}
          id={`move-${gate}`}
          isBusy={actions.isBusy}
          answer={(value) => actions.answer(question, value)}
        />
      )}
      <Command command={move.command} />
    </div>
  );
}

function ResumeRow({ move, page, actions }: MoveProps): JSX.Element {
  const needsAccept = move.needs?.includes('acceptDrift') === true;
  const [accepts, setAccepts] = useState(false);
  return (
    <div class="move">
      {actions?.mayRun === true && (
        <>
          {needsAccept && (
            <label class="check">
              <input
                type="checkbox"
                checked={accepts}
                onChange={(event) => setAccepts(event.currentTarget.checked)}
              />
              Accept drift
            </label>
          )}
          <button
            type="button"
            class={wantsRepair(page) ? '' : 'primary'}
            aria-disabled={actions.isBusy || (needsAccept && !accepts)}
            onClick={() => {
              if (!needsAccept || accepts)
                actions.move(move, needsAccept ? { acceptDrift: true } : {});
            }}
          >
            Resume
          </button>
        </>
      )}
      <Command command={move.command} />
      {needsAccept && (
        <p class="note">
          Finished nodes have changed in the file since: the run keeps their results when you accept
          that.
        </p>
      )}
    </div>
  );
}

/** A completed run is run again from one of its nodes. */
function RetryRow({ move, page, actions }: MoveProps): JSX.Element {
  const paths = [...(page.view?.steps ?? [])]
    .filter(({ path }) => !/[[/]/.test(path))
    .map(({ path }) => path);
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
          <button
            type="button"
            aria-disabled={actions.isBusy}
            onClick={() => actions.move(move, { from })}
          >
            Retry
          </button>
        </>
      )}
      <Command
        command={move.command.replace('--from NODE', `--from ${from === '' ? 'NODE' : from}`)}
      />
    </div>
  );
}
