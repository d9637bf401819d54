/** One open question: who asks, its text, its deadline, and the failure behind it. */
import type { JSX } from 'preact';
import { categoryWords, locationWords } from '../../src/errors/render/report-words.ts';
import { answerCommand } from '../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { GateAnswer, type GateAnswerProps } from '../form/gate-answer.tsx';
import { Prompt } from './prompt.tsx';
import { Ago, Command, Facts, KindLink, PageLink, ProblemBox } from './parts.tsx';

export type ListedGate = OpenQuestion & { readonly run: string; readonly workflow: string };

export interface GateCardProps {
  readonly gate: ListedGate;
  readonly mayRun: boolean;
  readonly isBusy: boolean;
  readonly problem?: ShownProblem | undefined;
  /** The current state of the run, after a refusal. */
  readonly now?: string | undefined;
  readonly answer: GateAnswerProps['answer'];
  readonly typing: (text: string) => void;
}

/** The id of its heading. */
export function gateHeading(run: string, gate: string): string {
  return `gate-${run}-${gate}`;
}

export function GateCard({
  gate,
  mayRun,
  isBusy,
  problem,
  now,
  answer,
  typing,
}: GateCardProps): JSX.Element {
  const { run, workflow, gate: name, prompt, deadline, error } = gate;
  const id = gateHeading(run, name);
  return (
    <article class="card" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {workflow} {name}
      </h2>
      <Prompt question={gate} isAnswered={mayRun} />
      <Facts
        facts={[
          ['Run', <PageLink to={`/runs/${encodeURIComponent(run)}`}>{run}</PageLink>],
          ['Answer until', deadline === undefined ? undefined : <Ago at={deadline} />],
          ['Answered by', gate.answeredBy === 'person' ? 'people only' : undefined],
        ]}
      />
      {error !== undefined && (
        <div class="behind">
          <p>
            <strong>{error.title}</strong> <KindLink kind={error.kind} />
          </p>
          {!prompt.includes(error.message) && <p class="message">{error.message}</p>}
          <Facts
            facts={[
              ['Where', locationWords(error.location)],
              ['Category', categoryWords(error)],
              ['What to do', error.action.detail],
            ]}
          />
        </div>
      )}
      {problem !== undefined && (
        <ProblemBox problem={problem}>{now !== undefined && <p>{now}</p>}</ProblemBox>
      )}
      {mayRun && (
        <GateAnswer question={gate} id={id} isBusy={isBusy} answer={answer} typing={typing} />
      )}
      <Command command={answerCommand(run, name)} />
    </article>
  );
}
