/**
 * Calls in the parts of a reply of Gemini. Their arguments can arrive in pieces, one after the
 * other. The package skips a call that it cannot read, so a reply that should act would end as if
 * it had nothing to do.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';

const STREAMED = 'streamed';

/** Notes the call of a part. False if the package skips it. */
export function noteGeminiCall(openCalls: Set<unknown>, part: unknown): boolean {
  const call = readProperty(part, 'functionCall');
  // the other spelling that protobuf allows in JSON
  if (call === undefined) return readProperty(part, 'function_call') === undefined;
  const isRead = isReadable(call, openCalls.has(STREAMED));
  if (isContinued(call)) openCalls.add(STREAMED);
  else openCalls.delete(STREAMED);
  return isRead;
}

/** Whether this is a call, a piece of the open call, or empty: an empty one ends a call. */
function isReadable(call: unknown, isOpen: boolean): boolean {
  if (!isPlainObject(call)) return call === null;
  const { id, name, args, partialArgs } = call;
  if (!isTextOrNothing(id) || !isTextOrNothing(name)) return false;
  if (typeof name === 'string') return true;
  return isNothing(args) && (isNothing(partialArgs) || isOpen);
}

/** A piece without `willContinue` ends the call. */
function isContinued(call: unknown): boolean {
  const pieces = readProperty(call, 'partialArgs');
  return (
    readProperty(call, 'willContinue') === true ||
    (isArray(pieces) && pieces.some((piece) => readProperty(piece, 'willContinue') === true))
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

function isTextOrNothing(value: unknown): boolean {
  return isNothing(value) || typeof value === 'string';
}
