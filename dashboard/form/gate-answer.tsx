/** The answer to a question: a button for each plain option, and a form for what has to be typed. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import { lazy } from '../app/lazy.tsx';
import { labelOf, optionWord } from '../text/words.ts';
import { fieldsOf, readForm, readJson, typedText, type Typed } from './schema-fields.ts';
import { Fields } from './schema-form.tsx';

/** Few gates have a list of questions. */
const QuestionsAnswer = lazy(async () => (await import('./questions-answer.tsx')).QuestionsAnswer);

export interface GateAnswerProps {
  readonly question: OpenQuestion;
  /** Stands before the ids of the fields. */
  readonly id: string;
  readonly isBusy: boolean;
  readonly answer: (value: JsonValue) => void;
  /** Called with what has been typed, which is lost with the question. */
  readonly typing: (text: string) => void;
}

export function GateAnswer(props: GateAnswerProps): JSX.Element {
  const { question, isBusy, answer } = props;
  const { options, promptFor = [], grants = [], error } = question;
  // nobody should repeat what may have happened because the page puts it first
  const isInDoubt = error?.outcome === 'unknown';
  // a gate of a file may have an option of that name
  const takesEdit = error !== undefined && options.includes('edit');
  const { list } = question;
  const texts = promptFor.filter(({ value }) => options.includes(value));
  const plain = options.filter(
    (option) => !(takesEdit && option === 'edit') && !texts.some(({ value }) => value === option),
  );
  return (
    <div class="answers">
      {list !== undefined && <QuestionsAnswer {...props} list={list} id={`${props.id}-q`} />}
      {plain.length + grants.length > 0 && (
        <p class="buttons">
          {plain.map((option, index) => (
            <button
              key={optionWord(option)}
              type="button"
              class={index === 0 && !isInDoubt && list === undefined ? 'primary' : ''}
              aria-disabled={isBusy}
              onClick={() => answer(option)}
            >
              {labelOf(question, option)}
            </button>
          ))}
          {grants.map((grant) => (
            <button
              key={optionWord(grant)}
              type="button"
              aria-disabled={isBusy}
              onClick={() => answer(grant)}
            >
              {grantWords(grant)}
            </button>
          ))}
        </p>
      )}
      {(list === undefined ? texts : []).map(({ value, name }) => (
        <TextAnswer key={optionWord(value)} {...props} option={value} name={name} />
      ))}
      {takesEdit && <EditAnswer {...props} />}
    </div>
  );
}

function grantWords(grant: JsonValue): string {
  const isForRun = JSON.stringify(grant).includes('"run"');
  return isForRun ? 'approve every call in this run' : 'approve every call by this node';
}

function TextAnswer({
  question,
  id,
  isBusy,
  answer,
  typing,
  option,
  name,
}: GateAnswerProps & { readonly option: JsonValue; readonly name: string }): JSX.Element {
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const own = `${id}-text-${optionWord(option)}`;
  const send = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === '') setError('This answer needs a text.');
    else answer({ selected: option, additional_input: text });
  };
  return (
    <form class="answer-form" onSubmit={send} noValidate>
      <fieldset>
        <legend>{labelOf(question, option)}</legend>
        <div class="field">
          <label for={own}>{name}</label>
          <textarea
            id={own}
            rows={2}
            value={text}
            aria-invalid={error !== ''}
            {...(error === '' ? {} : { 'aria-describedby': `${own}-error` })}
            onInput={(event) => {
              setText(event.currentTarget.value);
              typing(event.currentTarget.value);
            }}
          />
          {error !== '' && (
            <p class="field-error" id={`${own}-error`}>
              {error}
            </p>
          )}
        </div>
        <button type="submit" aria-disabled={isBusy}>
          Answer
        </button>
      </fieldset>
    </form>
  );
}

/** A result in place of the node's own: by its schema, else as JSON. */
function EditAnswer({ question, id, isBusy, answer, typing }: GateAnswerProps): JSX.Element {
  const fields = fieldsOf(question.schema);
  const [typed, setTyped] = useState<Typed>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const send = (event: Event): void => {
    event.preventDefault();
    if (fields === undefined) {
      const { value, error } = readJson(String(typed['JSON'] ?? ''));
      if (value === undefined) setErrors({ JSON: error ?? 'It is not JSON.' });
      else answer({ edit: value });
      return;
    }
    const form = readForm(fields, typed);
    setErrors(form.ok ? {} : form.errors);
    if (form.ok) answer({ edit: form.value });
  };
  return (
    <form class="answer-form" onSubmit={send} noValidate>
      <fieldset>
        <legend>edit</legend>
        <p class="note">Takes the place of the node's own result.</p>
        <Fields
          id={`${id}-edit`}
          fields={fields ?? [JSON_FIELD]}
          typed={typed}
          errors={errors}
          type={(name, value) => {
            const next = { ...typed, [name]: value };
            setTyped(next);
            typing(typedText(next));
          }}
        />
        <button type="submit" aria-disabled={isBusy}>
          Answer
        </button>
      </fieldset>
    </form>
  );
}

const JSON_FIELD = {
  name: 'JSON',
  type: 'json',
  isRequired: true,
  description: undefined,
  initial: '',
  choices: [],
  isInteger: false,
  isLong: true,
  min: undefined,
  max: undefined,
} as const;
