/** The text of a question, and its possible answers if nobody can answer here. */
import type { JSX } from 'preact';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import { labelOf, optionWord } from '../text/words.ts';

export function Prompt({
  question,
  isAnswered,
}: {
  readonly question: OpenQuestion;
  /**
   * Whether an answer form follows: there each option has a button, and each question of a list a
   * field.
   */
  readonly isAnswered: boolean;
}): JSX.Element {
  const { prompt, list, options } = question;
  const words = isAnswered ? (list?.intro ?? prompt) : prompt;
  return (
    <>
      {words !== '' && <p class="message prompt">{words}</p>}
      {!isAnswered && options.length > 0 && (
        <ul class="options" aria-label="Answers">
          {options.map((option) => (
            <li key={optionWord(option)}>
              <code>{optionWord(option)}</code>{' '}
              {labelOf(question, option) !== optionWord(option) && labelOf(question, option)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
