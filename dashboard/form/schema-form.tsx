/** Fields of a form on the page, each with its label, its description and its error. */
import type { JSX } from 'preact';
import { optionWord } from '../text/words.ts';
import type { FormField, Typed } from './schema-fields.ts';

export interface FieldsProps {
  /** Stands before the ids of the fields. */
  readonly id: string;
  readonly fields: readonly FormField[];
  readonly typed: Typed;
  readonly errors: Readonly<Record<string, string>>;
  readonly type: (name: string, value: string | boolean) => void;
}

export function Fields({ id, fields, typed, errors, type }: FieldsProps): JSX.Element {
  return (
    <>
      {fields.map((field) => {
        const own = `${id}-${field.name}`;
        const error = errors[field.name];
        const value = typed[field.name] ?? field.initial;
        return (
          <div key={field.name} class={field.type === 'check' ? 'field check-field' : 'field'}>
            <Label for={own} field={field} />
            <Control id={own} field={field} value={value} error={error} type={type} />
            {field.description !== undefined && (
              <p class="hint" id={`${own}-hint`}>
                {field.description}
              </p>
            )}
            {error !== undefined && (
              <p class="field-error" id={`${own}-error`}>
                {error}
              </p>
            )}
          </div>
        );
      })}
    </>
  );
}

/** Shows "required" beside the label, which is the name; screen readers get it from the field. */
function Label({
  for: id,
  field,
}: {
  readonly for: string;
  readonly field: FormField;
}): JSX.Element {
  const { label, name, isRequired, type } = field;
  return (
    <span class="field-name">
      <label for={id}>
        {label !== undefined && `${label} `}
        {label === undefined ? name : <code class="quiet">{name}</code>}
      </label>
      {isRequired && type !== 'check' && (
        <span class="quiet" aria-hidden="true">
          required
        </span>
      )}
    </span>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: FormField;
  readonly value: string | boolean;
  readonly error: string | undefined;
  readonly type: FieldsProps['type'];
}

function Control({ id, field, value, error, type }: ControlProps): JSX.Element {
  const { name, description, isRequired } = field;
  const described = [
    ...(description === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ].join(' ');
  const shared = {
    id,
    name,
    'aria-required': isRequired,
    'aria-invalid': error !== undefined,
    ...(described === '' ? {} : { 'aria-describedby': described }),
  };
  const text = String(value);
  if (field.type === 'check')
    return (
      <input
        {...shared}
        type="checkbox"
        checked={value === true}
        onChange={(event) => type(name, event.currentTarget.checked)}
      />
    );
  if (field.type === 'choice')
    return (
      <select {...shared} value={text} onChange={(event) => type(name, event.currentTarget.value)}>
        {!(isRequired && text !== '') && (
          <option value="">{isRequired ? 'choose one' : 'not given'}</option>
        )}
        {field.choices.map((choice) => (
          <option key={optionWord(choice)} value={optionWord(choice)}>
            {optionWord(choice)}
          </option>
        ))}
      </select>
    );
  return <TypedControl shared={shared} field={field} text={text} type={type} />;
}

/** A field for typed text. */
function TypedControl({
  shared,
  field,
  text,
  type,
}: {
  readonly shared: { readonly id: string; readonly name: string };
  readonly field: FormField;
  readonly text: string;
  readonly type: FieldsProps['type'];
}): JSX.Element {
  const { name } = field;
  if (field.isLong)
    return (
      <textarea
        {...shared}
        class={field.type === 'json' ? 'code' : ''}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        spellcheck={false}
        value={text}
        onInput={(event) => type(name, event.currentTarget.value)}
      />
    );
  if (field.type === 'number')
    return (
      <input
        {...shared}
        type="number"
        step={field.isInteger ? 1 : 'any'}
        {...(field.min === undefined ? {} : { min: field.min })}
        {...(field.max === undefined ? {} : { max: field.max })}
        value={text}
        onInput={(event) => type(name, event.currentTarget.value)}
      />
    );
  return (
    <input
      {...shared}
      type="text"
      autocomplete="off"
      value={text}
      onInput={(event) => type(name, event.currentTarget.value)}
    />
  );
}
