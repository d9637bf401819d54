/** The answer to a question: a button for each plain option, and a form for typed values. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import { focusOn } from '../app/focus.ts';
import { lazy } from '../app/lazy.tsx';
import { labelOf, optionWord } from '../text/words.ts';
import {
  fieldAt,
  fieldsOf,
  readForm,
  readJson,
  typedText,
  type FormField,
  type ReadForm,
  type Typed,
} from './schema-fields.ts';
import { Fields } from './schema-form.tsx';

/** Few gates have a list of questions. */
const QuestionsAnswer = lazy(async () => (await import('./questions-answer.tsx')).QuestionsAnswer);

export interface GateAnswerProps {
  readonly question: OpenQuestion;
  /** Stands before the ids of the fields. */
  readonly id: string;
  readonly isBusy: boolean;
  /** Resolves to the refusal, if there was one. */
  readonly answer: (value: JsonValue) => Promise<ShownProblem | undefined>;
  /** Called with the typed text, which is lost with the question. */
  readonly typing: (text: string) => void;
}

export function GateAnswer(props: GateAnswerProps): JSX.Element {
  const { question, isBusy, answer } = props;
  const { options, promptFor = [], grants = [], error } = question;
  // the first button must not lead anybody to repeat an effect that may have happened
  const isInDoubt = error?.outcome === 'unknown';
  // a gate of a file may have an option of that name
  const takesEdit = error !== undefined && options.includes('edit');
  const { list, raises } = question;
  const texts = promptFor.filter(({ value }) => options.includes(value));
  const plain = options.filter(
    (option) => !(takesEdit && option === 'edit') && !texts.some(({ value }) => value === option),
  );
  const buttons = [
    ...plain.map((value) => ({ value, words: labelOf(question, value) })),
    ...grants.map((value) => ({ value, words: grantWords(value) })),
  ];
  const primary = isInDoubt || list !== undefined ? undefined : plain[0];
  return (
    <div class="answers">
      {list !== undefined && <QuestionsAnswer {...props} list={list} id={`${props.id}-q`} />}
      {buttons.length > 0 && (
        <p class="buttons">
          {buttons.map(({ value, words }) => (
            <button
              key={optionWord(value)}
              type="button"
              class={value === primary ? 'primary' : ''}
              aria-disabled={isBusy}
              onClick={() => void answer(value)}
            >
              {words}
            </button>
          ))}
        </p>
      )}
      {(list === undefined ? texts : []).map(({ value, name }) => (
        <TextAnswer key={optionWord(value)} {...props} option={value} name={name} />
      ))}
      {takesEdit && <EditAnswer {...props} />}
      {raises !== undefined && <RaiseAnswer {...props} unit={raises} />}
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
    else void answer({ selected: option, additional_input: text });
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

/** A result that replaces the node's own: a form for its schema, else JSON. */
function EditAnswer(props: GateAnswerProps): JSX.Element {
  const fields = fieldsOf(props.question.schema);
  return (
    <FormAnswer
      {...props}
      word="edit"
      legend="edit"
      note="Takes the place of the node's own result."
      fields={fields ?? [JSON_FIELD]}
      isWhole={fields === undefined}
    />
  );
}

/** Adds money or tokens to the original budget. */
function RaiseAnswer({
  unit,
  ...props
}: GateAnswerProps & { readonly unit: 'usd' | 'tokens' }): JSX.Element {
  return (
    <FormAnswer
      {...props}
      word="raise"
      legend="raise by another amount"
      fields={[{ ...JSON_FIELD, name: unit, type: 'number', isLong: false }]}
    />
  );
}

interface FormAnswerProps extends GateAnswerProps {
  /** The answer is an object with this key and the typed value. */
  readonly word: 'edit' | 'raise';
  readonly legend: string;
  readonly note?: string;
  readonly fields: readonly FormField[];
  /** Its only field holds the whole value. */
  readonly isWhole?: boolean;
}

/** A refusal appears at the field that it names, which gets the focus. */
function FormAnswer(props: FormAnswerProps): JSX.Element {
  const { id, isBusy, answer, typing, word, legend, note, fields, isWhole = false } = props;
  const [typed, setTyped] = useState<Typed>({});
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const send = async (): Promise<void> => {
    const form = isWhole ? readWhole(typed) : readForm(fields, typed);
    setErrors(form.ok ? {} : form.errors);
    if (!form.ok) return;
    const problem = await answer({ [word]: form.value });
    const field = isWhole ? undefined : fieldAt(problem?.['pointer'], `/value/${word}/`);
    if (problem === undefined || !fields.some(({ name }) => name === field)) return;
    setErrors({ [field ?? '']: problem.action.detail });
    focusOn(`#${CSS.escape(`${id}-${word}-${field ?? ''}`)}`);
  };
  return (
    <form
      class="answer-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <fieldset>
        <legend>{legend}</legend>
        {note !== undefined && <p class="note">{note}</p>}
        <Fields
          id={`${id}-${word}`}
          fields={fields}
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

/** If it is empty or broken, nothing is sent. */
function readWhole(typed: Typed): ReadForm<JsonValue> {
  const { value, error = 'It is not JSON.' } = readJson(String(typed['JSON'] ?? ''));
  return value === undefined ? { ok: false, errors: { JSON: error } } : { ok: true, value };
}

const JSON_FIELD: FormField = {
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
};
