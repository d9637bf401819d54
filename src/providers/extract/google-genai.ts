/**
 * `@google/genai`. Its error has a status and a message, and the message is the body as JSON; a response
 * that was not JSON is wrapped in JSON. Headers are lost, and with them `retry-after`.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import {
  hasAnyKey,
  readMessage,
  readName,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { parseJsonText } from '../json-text.ts';

/** The client's announcement of an error event in a stream. */
const IN_STREAM = /^got status: [^.]{0,80}\. /;

export const googleGenai: Extractor = {
  source: 'google-genai',
  extract(link) {
    const message = readMessage(link) ?? '';
    if (message.startsWith('Authentication is not set up.')) {
      return { provider: 'google', finding: 'api_key_missing', message };
    }
    // clients that keep the response beside the message use the same name
    const isNamed =
      readName(link) === 'ApiError' && !hasAnyKey(link, ['body', 'response', 'error']);
    const status = isNamed ? readStatus(link, 'status') : undefined;
    return status === undefined ? undefined : apiError(readText(link, 'message') ?? '', status);
  },
};

function apiError(message: string, status: number): Extracted {
  const announced = IN_STREAM.exec(message);
  const body = parseJsonText(message.slice(announced?.[0].length ?? 0));
  const common = { provider: 'google', message: message.slice(0, 4096) };
  if (announced !== null) return { ...common, status: 200, phase: 'streaming', body };
  return { ...common, status, phase: 'headers', body: undressed(body, status) ?? message };
}

/** Returns the text for `{error: {message: <the text>, code: 502, status: 'Bad Gateway'}}`. */
function undressed(body: unknown, status: number): unknown {
  const error = readProperty(body, 'error');
  const text = readProperty(error, 'message');
  const reason = readProperty(error, 'status');
  const isDressed =
    readProperty(error, 'code') === status &&
    typeof text === 'string' &&
    // the reason phrase of the status line; Google's own codes are in capitals
    (typeof reason !== 'string' || !/^[A-Z_]{2,}$/.test(reason)) &&
    !hasAnyKey(error, ['details', 'errors', 'type', 'param', 'metadata']);
  return isDressed ? (parseJsonText(text) ?? text) : body;
}
