/** Questions of a run as forms that a client shows to its person. */
import { oneLine, visible } from '../errors/support/printable.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import { readProperty } from '../errors/support/safe-json.ts';
import type { OpenQuestion } from '../history/open-questions.ts';
import type { ReadRun } from './host.ts';

export interface PlainQuestion extends Pick<OpenQuestion, 'gate' | 'opening'> {
  readonly form: JsonObject;
  /** The value of each option, by its text in the form. */
  readonly values: ReadonlyMap<string, JsonValue>;
}

const FIELD = 'value';
const MAX_MESSAGE_CHARS = 2000;

/**
 * The first question with a choice as its answer. Forms have no place for an edited value or other
 * text.
 */
export function plainQuestion({ status, questions, view }: ReadRun): PlainQuestion | undefined {
  if (status !== 'paused') return undefined;
  for (const question of questions) {
    const values = choices(question);
    if (values === undefined) continue;
    const { gate, opening } = question;
    const form = formOf(question, [...values.keys()], view.workflow);
    return { gate, ...(opening === undefined ? {} : { opening }), form, values };
  }
  return undefined;
}

/** Undefined if an option is more than a word, or if two look the same. */
function choices({
  options,
  promptFor = [],
  error,
}: OpenQuestion): ReadonlyMap<string, JsonValue> | undefined {
  const takesEdit = error !== undefined && options.includes('edit');
  if (takesEdit || options.length === 0 || promptFor.length > 0) return undefined;
  const texts = options.map(textOf);
  if (texts.includes(undefined) || new Set(texts).size < texts.length) return undefined;
  return new Map(options.map((option) => [textOf(option) ?? '', option]));
}

/** Undefined for an object, an array or null. */
function textOf(option: JsonValue): string | undefined {
  if (typeof option === 'string') return option;
  return typeof option === 'object' ? undefined : JSON.stringify(option);
}

function formOf(
  { prompt, error, labels = [] }: OpenQuestion,
  texts: readonly string[],
  workflow: string,
): JsonObject {
  // a client shows these on a terminal; the options themselves stay exact
  const names = texts.map((text) =>
    oneLine(labels.find(({ value }) => textOf(value) === text)?.label ?? text),
  );
  const failure = error === undefined ? '' : `\n\n${error.kind}: ${error.message}`;
  const isNamed = names.some((name, at) => name !== texts[at]);
  return {
    mode: 'form',
    message: visible(`${workflow}: ${prompt}${failure}`).slice(0, MAX_MESSAGE_CHARS),
    requestedSchema: {
      type: 'object',
      properties: {
        [FIELD]: {
          type: 'string',
          title: 'Answer',
          enum: texts,
          ...(isNamed ? { enumNames: names } : {}),
        },
      },
      required: [FIELD],
    },
  };
}

/** Reads the person's choice; undefined if they declined, or if the client gave no answer. */
export function chosenIn(response: unknown): string | undefined {
  if (readProperty(response, 'action') !== 'accept') return undefined;
  const chosen = readProperty(readProperty(response, 'content'), FIELD);
  return typeof chosen === 'string' ? chosen : undefined;
}
