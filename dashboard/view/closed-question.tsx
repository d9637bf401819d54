/** A question that somebody else has closed, with the text that was typed for it here. */
import type { JSX } from 'preact';
import { CopyButton, Value } from './parts.tsx';
import type { ClosedQuestion } from './run/page-data.ts';

export function ClosedQuestions({
  closed,
}: {
  readonly closed: readonly ClosedQuestion[];
}): JSX.Element {
  return (
    <>
      {closed.map(({ key, words, unsent }) => (
        <div key={key} class="notice closed-question" tabIndex={-1}>
          <p>{words}</p>
          <Unsent text={unsent} />
        </div>
      ))}
    </>
  );
}

/** The text typed for a question that somebody else has closed. */
export function Unsent({ text }: { readonly text: string | undefined }): JSX.Element | null {
  if (text === undefined || text === '') return null;
  return (
    <>
      <p>Your answer was not sent. You had typed:</p>
      <Value value={text} />
      <p class="buttons">
        <CopyButton name="Copy it" text={text} />
      </p>
    </>
  );
}
