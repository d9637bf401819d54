/**
 * Reads a message as strictly as `--input` is read. If the arguments of a call cannot be used
 * exactly as written, a note replaces them, and the tool refuses the call: then the model can act
 * on it.
 */
import { isDeeper } from '../errors/support/is-deeper.ts';
import { isPlainObject } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { inexactWords, readJson } from '../workflow/json-schema/exact-number.ts';

/** No argument has this name. */
const NOTE = '\u0000unreadable';

/** Also inside a batch. */
const IN_ARGUMENTS = /^(?:\/\d+)?\/params\/arguments\//;

const MAX_MESSAGE_CHARS = 1024 * 1024;
/** No honest call nests deeper, and deeper nesting would exhaust the stack of a recursion. */
const MAX_DEPTH = 200;

/** Throws if `JSON.parse` throws. */
export function readMessage(text: string): unknown {
  const { value, inexact } = readJson(text);
  // inexact numbers in the client's description of itself do no harm
  if (inexact !== undefined && IN_ARGUMENTS.test(inexact.pointer))
    return withNote(value, () => `contain ${inexactWords(inexact)}`);
  if (text.length > MAX_MESSAGE_CHARS)
    return withNote(value, () => `are longer than ${MAX_MESSAGE_CHARS} characters`);
  if (isDeeper(value, MAX_DEPTH))
    return withNote(value, () => `are nested deeper than ${MAX_DEPTH}`);
  return withNote(value, flawOf);
}

/** Finds arguments that the package would not accept as a message, or would silently drop. */
function flawOf(given: unknown): string | undefined {
  if (!isPlainObject(given)) return 'are not an object';
  return Object.hasOwn(given, '__proto__') ? 'have the key __proto__' : undefined;
}

/** Replaces the arguments of a call if they have a flaw. A batch is a list of messages. */
function withNote(message: unknown, noteOn: (given: unknown) => string | undefined): unknown {
  if (Array.isArray(message)) return message.map((each) => withNote(each, noteOn));
  if (!isPlainObject(message) || message['method'] !== 'tools/call') return message;
  const { params } = message;
  if (!isPlainObject(params)) return message;
  const note = Object.hasOwn(params, 'arguments') ? noteOn(params['arguments']) : undefined;
  const state = params['requestState'];
  // nobody has signed a state that is no text
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

/** The refusal of replaced arguments. */
export function unreadableIn(given: Readonly<Record<string, unknown>>): ErrandError | undefined {
  const note = Object.hasOwn(given, NOTE) ? String(given[NOTE]) : undefined;
  if (note === undefined) return undefined;
  const kind = note.startsWith('are longer') ? 'request.too_large' : 'request.invalid';
  return new ErrandError({ kind, message: `The arguments ${note}` });
}
