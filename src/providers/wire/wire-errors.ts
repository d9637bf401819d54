/** Errors inside a stream, in the shape of any host. */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';

/** Places where hosts of any protocol put an error beside a good end. `x_groq` is Groq's. */
const ERROR_PLACES = ['delta', 'message', 'response', 'x_groq'] as const;

/**
 * A host reports an error inside a stream in its own place; the SDK of another host ignores it
 * there. Every event of every reply passes through here, so this allocates nothing.
 */
export function errorIn(event: unknown): unknown {
  const inside = statedIn(event);
  if (inside !== undefined) return inside;
  const status = readProperty(event, 'base_resp');
  // MiniMax reports errors beside a good end
  if (isPlainObject(status) && (readProperty(status, 'status_code') ?? 0) !== 0) return status;
  const exception = exceptionIn(event);
  if (exception !== undefined) return exception;
  return isErrorEvent(event) ? event : undefined;
}

function statedIn(event: unknown): unknown {
  let error = statedError(event);
  for (const key of ERROR_PLACES) error ??= statedError(readProperty(event, key));
  const choices = readProperty(event, 'choices');
  if (isArray(choices)) for (const choice of choices) error ??= statedError(choice);
  return error;
}

function statedError(place: unknown): unknown {
  const error = readProperty(place, 'error');
  return isPlainObject(error) || isFilled(error) ? error : undefined;
}

/** AWS names the exception in the key of its event; the SDK ignores unknown ones. */
const EXCEPTION = /^[a-z]{1,60}exception$/i;
const MIN_EXCEPTION_CHARS = 'exception'.length + 1;

function exceptionIn(event: unknown): unknown {
  if (!isPlainObject(event)) return undefined;
  const name = Object.keys(event).find(
    (key) => key.length >= MIN_EXCEPTION_CHARS && EXCEPTION.test(key),
  );
  if (name === undefined) return undefined;
  const body = readProperty(event, name);
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return { __type: type, ...(isPlainObject(body) ? body : {}) };
}

/** Fields of a part of a reply, in any protocol. */
const PARTS = ['choices', 'candidates', 'content', 'output', 'delta', 'response', 'item', 'part'];
const MESSAGES = ['message', 'msg', 'detail', 'error_message'];
const CODES = ['code', 'status', 'status_code', 'error_code'];

/** Whether the whole event is an error, in the shape of vLLM, DashScope or a proxy in between. */
function isErrorEvent(event: unknown): boolean {
  if (!isPlainObject(event) || PARTS.some((key) => readProperty(event, key) !== undefined))
    return false;
  const isText = (key: string): boolean => isFilled(readProperty(event, key));
  if (!MESSAGES.some(isText)) return false;
  const isNamed = [readProperty(event, 'object'), readProperty(event, 'type')].includes('error');
  return isNamed || CODES.some((key) => isText(key) || Number(readProperty(event, key)) >= 400);
}

/** Whether this is a text that is not empty. */
export function isFilled(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
