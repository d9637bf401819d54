/**
 * Reads a message as strictly as `--input` is read. A call whose arguments cannot be taken as they were
 * written is refused by its tool, so that the model can act on it: the arguments are replaced by a note.
 */
import { isDeeper } from '../errors/support/is-deeper.ts';
import { isPlainObject } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { inexactWords, readJson } from '../workflow/json-schema/exact-number.ts';

/** No argument has this name. */
const NOTE = '\u0000unreadable';

/** Also in a batch. */
const IN_ARGUMENTS = /^(?:\/\d+)?\/params\/arguments\//;

const MAX_MESSAGE_CHARS = 1024 * 1024;
/** Nesting that no honest call has, and that would cost a recursion its stack. */
const MAX_DEPTH = 200;

/** Throws where `JSON.parse` does. */
export function readMessage(text: string): unknown {
  const { value, inexact } = readJson(text);
  // what the client says about itself may be as it is
  if (inexact !== undefined && IN_ARGUMENTS.test(inexact.pointer))
    return withNote(value, () => `contain ${inexactWords(inexact)}`);
  if (text.length > MAX_MESSAGE_CHARS)
    return withNote(value, () => `are longer than ${MAX_MESSAGE_CHARS} characters`);
  if (isDeeper(value, MAX_DEPTH))
    return withNote(value, () => `are nested deeper than ${MAX_DEPTH}`);
  return withNote(value, flawOf);
}

/** Finds what the package would refuse as no message at all, or leave out in silence. */
function flawOf(given: unknown): string | undefined {
  if (!isPlainObject(given)) return 'are not an object';
  return Object.hasOwn(given, '__proto__') ? 'have the key __proto__' : undefined;
}

/** Replaces the arguments of a call that something is wrong with. A batch is a list of messages. */
function withNote(message: unknown, noteOn: (given: unknown) => string | undefined): unknown {
  if (Array.isArray(message)) return message.map((each) => withNote(each, noteOn));
  if (!isPlainObject(message) || message['method'] !== 'tools/call') return message;
  const { params } = message;
  if (!isPlainObject(params)) return message;
  const note = Object.hasOwn(params, 'arguments') ? noteOn(params['arguments']) : undefined;
  const state = params['requestState'];
  // a state that is no text is one that nobody has signed
  const isForged = state !== undefined && typeof state !== 'string';
  return {
    ...message,
    params: {
      ...params,
      ...(note === undefined ? {} : { arguments: { [NOTE]: note } }),
      ...(isForged ? { requestState: '' } : {}),
    },
  };
}

/** The refusal of arguments that were replaced. */
export function unreadableIn(given: Readonly<Record<string, unknown>>): ErrandError | undefined {
  const note = Object.hasOwn(given, NOTE) ? String(given[NOTE]) : undefined;
  if (note === undefined) return undefined;
  const kind = note.startsWith('are longer') ? 'request.too_large' : 'request.invalid';
  return new ErrandError({ kind, message: `The arguments ${note}` });
}
