/** Reads recorded failures by id, one JSON object per line, in the form of `errand classify --jsonl`. */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { textOrJson, jsonFrom, isJsonObject, type JsonValue } from '../errors/support/safe-json.ts';

export interface CorpusEntry {
  readonly id: string;
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
  /** The failure happened below HTTP. */
  readonly hasFault: boolean;
  /** It happened after a part of the reply was sent. */
  readonly isMidStream: boolean;
}

export type Corpus = ReadonlyMap<string, CorpusEntry>;

export function readCorpus(text: string): Corpus {
  const entries = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => entryOf(line, number));
  return new Map(entries.map((entry) => [entry.id, entry]));
}

function entryOf(line: string, number: number): CorpusEntry {
  const value = parse(line, number);
  const id = isJsonObject(value) ? value['id'] : undefined;
  if (!isJsonObject(value) || typeof id !== 'string') throw refused(number, 'has no `id`');
  const { status, headers, body = null, transport = null, stream = false } = value;
  const named = Object.entries(isJsonObject(headers) ? headers : {});
  return {
    id,
    ...(typeof status === 'number' ? { status } : {}),
    headers: Object.fromEntries(named.map(([name, each]) => [name, textOrJson(each)])),
    body,
    hasFault: transport !== null,
    isMidStream: stream !== false && stream !== null,
  };
}

function parse(line: string, number: number): JsonValue {
  try {
    return jsonFrom(line);
  } catch (cause) {
    throw refused(number, 'is not JSON', cause);
  }
}

function refused(number: number, problem: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'validation.input',
      message: `Line ${number} of the corpus ${problem}`,
      action: {
        kind: 'change_input',
        detail: 'Put one whole JSON object with an `id` on each line.',
      },
    },
    cause === undefined ? {} : { cause },
  );
}
