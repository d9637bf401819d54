/** A list of questions that are answered together: a field for each. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import type { QuestionList } from '../../src/history/open-questions.ts';
import type { AskedQuestion } from '../../src/machine/state/waiting.ts';
import { focusOn } from '../app/focus.ts';
import { optionWord } from '../text/words.ts';
import type { GateAnswerProps } from './gate-answer.tsx';
import { readForm, typedText, type FormField, type Typed } from './schema-fields.ts';
import { Fields } from './schema-form.tsx';

export function QuestionsAnswer({
  list,
  id,
  isBusy,
  answer,
  typing,
}: Omit<GateAnswerProps, 'question'> & { readonly list: QuestionList }): JSX.Element {
  const fields = list.questions.map((question) => fieldFor(question, list));
  const [typed, setTyped] = useState<Typed>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const send = (event: Event): void => {
    event.preventDefault();
    const form = readForm(fields, typed);
    const given = form.ok ? form.value : {};
    const missing = fields.filter(({ name, isRequired }) => isRequired && !(name in given));
    setErrors(
      form.ok
        ? Object.fromEntries(missing.map(({ name }) => [name, 'This question needs an answer.']))
        : form.errors,
    );
    const [first] = missing;
    if (first === undefined) void answer(given);
    else focusOn(`#${CSS.escape(`${id}-${first.name}`)}`);
  };
  return (
    <form class="answer-form" onSubmit={send} noValidate>
      <Fields
        id={id}
        fields={fields}
        typed={typed}
        errors={errors}
        type={(name, value) => {
          const next = { ...typed, [name]: value };
          setTyped(next);
          typing(typedText(next));
        }}
      />
      <button type="submit" class="primary" aria-disabled={isBusy}>
        Answer
      </button>
    </form>
  );
}

function fieldFor(question: AskedQuestion, { maySkip }: QuestionList): FormField {
  const { id, text, hint, choices = [], isFree, isRequired, default: usual } = question;
  const isChoice = choices.length > 0 && !isFree;
  return {
    name: id,
    label: text,
    type: isChoice ? 'choice' : 'text',
    isRequired: isRequired || !maySkip,
    description: isChoice ? hint : hintWith(choices, hint),
    initial: usual === undefined ? '' : optionWord(usual),
    choices,
    isInteger: false,
    isLong: choices.length === 0,
    min: undefined,
    max: undefined,
  };
}

/** Adds that another text is accepted besides the choices. */
function hintWith(choices: readonly JsonValue[], hint: string | undefined): string | undefined {
  if (choices.length === 0) return hint;
  const words = `For example: ${choices.map(optionWord).join(', ')}.`;
  return hint === undefined ? words : `${hint} ${words}`;
}
