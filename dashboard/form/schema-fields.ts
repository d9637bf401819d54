/**
 * Fields of a form made from the JSON Schema of an object, and the value typed into them. A value
 * that no field fits is typed as JSON. The server checks the value; this only checks its form.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/errors/support/safe-json.ts';
import { optionWord } from '../text/words.ts';

export type FieldType = 'text' | 'number' | 'choice' | 'check' | 'json';

export interface FormField {
  readonly name: string;
  /** The words that a person reads before the name. */
  readonly label?: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** The typed text, or whether the checkbox is ticked. */
  readonly initial: string | boolean;
  /** The values to choose from. */
  readonly choices: readonly JsonValue[];
  readonly isInteger: boolean;
  /** Whether its text has several lines. */
  readonly isLong: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/** Typed values by field; untouched fields are absent. */
export type Typed = Readonly<Record<string, string | boolean>>;

/** A line for each field. */
export function typedText(typed: Typed): string {
  return Object.entries(typed)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}

/** Undefined unless the schema describes an object with known fields. */
export function fieldsOf(schema: JsonObject | undefined): readonly FormField[] | undefined {
  const properties = schema?.['properties'];
  if (schema?.['type'] !== 'object' || !isJsonObject(properties)) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, isJsonObject(property) ? property : {}, required.includes(name)),
  );
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const type = typeOf(schema);
  const { default: preset, description, minimum, maximum } = schema;
  const choices = choicesIn(schema);
  return {
    name,
    type,
    isRequired,
    description: typeof description === 'string' ? description : undefined,
    // if there is a choice, a person makes it
    initial: initialOf(type, preset, isRequired && choices.length === 1 ? choices[0] : undefined),
    choices,
    isInteger: schema['type'] === 'integer',
    isLong: type === 'json' || (typeof preset === 'string' && preset.includes('\n')),
    min: typeof minimum === 'number' ? minimum : undefined,
    max: typeof maximum === 'number' ? maximum : undefined,
  };
}

function choicesIn(schema: JsonObject): readonly JsonValue[] {
  const { enum: listed } = schema;
  // a list in JSON has values of JSON
  if (Array.isArray(listed)) return listed as readonly JsonValue[];
  return schema['const'] === undefined ? [] : [schema['const']];
}

function typeOf(schema: JsonObject): FieldType {
  if (choicesIn(schema).length > 0) return 'choice';
  switch (schema['type']) {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'check';
    default:
      return 'json';
  }
}

function initialOf(
  type: FieldType,
  preset: JsonValue | undefined,
  only: JsonValue | undefined,
): string | boolean {
  if (type === 'check') return preset === true;
  if (type === 'choice') {
    const chosen = preset ?? only;
    return chosen === undefined ? '' : optionWord(chosen);
  }
  if (preset === undefined) return '';
  if (type === 'text' && typeof preset === 'string') return preset;
  return JSON.stringify(preset, null, 2);
}

export type ReadForm<T = JsonObject> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };

/** Omits an empty field, so that the default or the refusal of the server counts. */
export function readForm(fields: readonly FormField[], typed: Typed): ReadForm {
  const value: Record<string, JsonValue> = {};
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const read = readField(field, typed[field.name] ?? field.initial, field.name in typed);
    if (read.error !== undefined) errors[field.name] = read.error;
    else if (read.value !== undefined) value[field.name] = read.value;
  }
  return Object.keys(errors).length > 0 ? { ok: false, errors } : { ok: true, value };
}

interface ReadField {
  readonly value?: JsonValue;
  readonly error?: string;
}

function readField(field: FormField, typed: string | boolean, isTouched: boolean): ReadField {
  if (typeof typed === 'boolean')
    return isTouched || field.isRequired || typed ? { value: typed } : {};
  switch (field.type) {
    case 'check':
      return { value: typed === 'true' };
    case 'choice': {
      const chosen = field.choices.find((choice) => optionWord(choice) === typed);
      return chosen === undefined ? {} : { value: chosen };
    }
    case 'text':
      // an empty text that replaced a default is intended
      return typed === '' && (!isTouched || field.initial === '') ? {} : { value: typed };
    case 'number':
      return numberIn(typed);
    case 'json':
      return typed.trim() === '' ? {} : readJson(typed);
  }
}

function numberIn(typed: string): ReadField {
  const text = typed.trim();
  if (text === '') return {};
  const number = Number(text);
  return Number.isFinite(number) ? { value: number } : { error: 'It is not a number.' };
}

/** The typed JSON, or the reason why it is invalid. */
export function readJson(typed: string): ReadField {
  try {
    // `JSON.parse` returns only JSON values
    return { value: JSON.parse(typed) as JsonValue };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { error: `It is not JSON: ${why}` };
  }
}

/** The field for a pointer of the request: below `/input/`, `/input/order/id` is in `order`. */
export function fieldAt(pointer: unknown, root: string): string | undefined {
  if (typeof pointer !== 'string' || !pointer.startsWith(root)) return undefined;
  const [name = ''] = pointer.slice(root.length).split('/');
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}
