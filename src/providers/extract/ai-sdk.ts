/**
 * Vercel's AI SDK 5 to 7. Its errors carry registered symbols, so copies of the package do not
 * matter. Two traps: it invents a status for errors inside a 200; and its errors hold the whole
 * request with the prompt, of which only the model's name is read.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { readAddress } from './address.ts';
import { aiSdkEnding, ENDLESS } from './ai-sdk-ending.ts';
import { aiSdkFinding } from './ai-sdk-findings.ts';
import {
  hasKey,
  parseBody,
  readMessage,
  readName,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { keepHeaders } from './headers.ts';

const ERROR = Symbol.for('vercel.ai.error');
const GATEWAY_ERROR = Symbol.for('vercel.ai.gateway.error');
const STREAM_ERROR = Symbol.for('vercel.ai.providerStreamError');

export const aiSdk: Extractor = {
  source: 'ai-sdk',
  extract(link) {
    if (readProperty(link, STREAM_ERROR) === true) return streamError(link);
    if (readProperty(link, GATEWAY_ERROR) === true) return gatewayError(link);
    const name = readName(link);
    if (readProperty(link, ERROR) !== true && !name.startsWith('AI_')) {
      return errorPart(link) ?? aiSdkEnding(link);
    }
    switch (name) {
      case 'AI_APICallError':
        return fromResponse(link);
      case 'AI_StreamProviderError':
        return streamError(link);
      case 'GatewayError':
        // how a missing gateway key looks in production
        return { provider: 'gateway', finding: 'api_key_missing', message: readMessage(link) };
      case 'AI_TypeValidationError':
        return offSchema(link);
      case 'AI_InvalidResponseDataError':
      case 'AI_InvalidStreamPartError':
        return unreadable(link, name);
      case 'AI_NoObjectGeneratedError':
        return aiSdkEnding(link) ?? aiSdkFinding(link, name);
      default:
        return aiSdkFinding(link, name);
    }
  },
};

function fromResponse(link: unknown): Extracted {
  const status = readStatus(link, 'statusCode');
  const headers = keepHeaders(readProperty(link, 'responseHeaders'));
  const rawBody = readProperty(link, 'responseBody');
  const address = readAddress(readText(link, 'url'));
  const common: Extracted = {
    ...address,
    model: readText(readProperty(link, 'requestBodyValues'), 'model') ?? address.model,
    headers,
    message: readMessage(link),
    body: parseBody(rawBody ?? readProperty(link, 'data')),
  };
  if (isPlainObject(rawBody)) {
    // the Responses API sent "failed" or "incomplete" in a 200, and the SDK guesses 400 or 500
    return { ...common, status: 200, phase: 'headers' };
  }
  if (status !== undefined && status >= 400 && isFirstFrame(headers, common.body)) {
    return { ...common, status: 200, phase: 'streaming', delivered: false };
  }
  return { ...common, status };
}

/** The SDK throws an error in the first event of a 200 stream with a status that no server sent. */
function isFirstFrame(headers: Readonly<Record<string, string>>, body: unknown): boolean {
  const contentType = headers['content-type'] ?? '';
  return /^text\/event-stream|^application\/vnd\.amazon\.eventstream/.test(contentType)
    ? isPlainObject(body)
    : false;
}

/** An error event after the stream began. The SDK infers its status; the server sent 200. */
function streamError(link: unknown): Extracted {
  const code = readProperty(link, 'code');
  return {
    status: 200,
    phase: 'streaming',
    type: readText(link, 'type'),
    code: typeof code === 'number' ? String(code) : readText(link, 'code'),
    message: readMessage(link),
    body: parseBody(readProperty(link, 'data')),
  };
}

/**
 * The error of an `error` part in the form that `aiSdk` reads: a provider's data is no thrown
 * value.
 */
export function errorOfPart(error: unknown): unknown {
  return isThrown(error) || isErrorEvent(error) ? error : { type: 'error', error };
}

/** Some packages pass on the provider's whole event. */
function isErrorEvent(error: unknown): boolean {
  return readProperty(error, 'type') === 'error' && isPlainObject(readProperty(error, 'error'));
}

function isThrown(error: unknown): boolean {
  return hasKey(error, 'stack') || hasKey(error, STREAM_ERROR);
}

/** Before version 7 an error part holds the provider's data: an object, or only its sentence. */
function errorPart(link: unknown): Extracted | undefined {
  const error = readProperty(link, 'error');
  if (readProperty(link, 'type') !== 'error' || error === undefined) return undefined;
  // a thrown value is a link by itself
  if (isThrown(error)) return undefined;
  const body = typeof error === 'string' ? error : parseBody({ error });
  return { status: 200, phase: 'streaming', body };
}

/** A reply that its package cannot use: the error in it, a stream without its end, or neither. */
function unreadable(link: unknown, name: string): Extracted {
  const data = readProperty(link, 'data');
  if (data === undefined && !hasKey(link, 'chunk')) return ENDLESS;
  if (isPlainObject(data) && isPlainObject(readProperty(data, 'error'))) {
    return { status: 200, phase: 'headers', body: data };
  }
  return { finding: 'connection_closed', phase: 'headers', type: name, message: readMessage(link) };
}

/** A chunk that fits no schema is often an error in a shape that the SDK does not know. */
function offSchema(link: unknown): Extracted {
  const value = readProperty(link, 'value');
  // OpenAI's Responses put the error inside the failed response of the event
  for (const body of [value, readProperty(value, 'response')])
    if (isPlainObject(body) && hasKey(body, 'error') && body['error'] !== null)
      return { status: 200, phase: 'streaming', body };
  return { ...aiSdkFinding(link, 'AI_TypeValidationError'), body: parseBody(value) };
}

function gatewayError(link: unknown): Extracted {
  const response = readProperty(link, 'response');
  return {
    provider: 'gateway',
    status: readStatus(link, 'statusCode'),
    type: readText(link, 'type'),
    message: readMessage(link),
    body: parseBody(response),
  };
}
