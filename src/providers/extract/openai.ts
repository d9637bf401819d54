/**
 * The `openai` client, also for every compatible host. It keeps the inside of the body's `error`.
 * Without an `error` it keeps only the text of the response, after the status in its message.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { Finding } from '../provider-failure.ts';
import {
  hasKey,
  readClassName,
  readMessage,
  readStatus,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { keepHeaders } from './headers.ts';
import { ENDED_EARLY } from './transport.ts';

export const openai: Extractor = {
  source: 'openai',
  extract(link) {
    if (isApiError(link)) return apiError(link);
    const className = readClassName(link);
    const message = readMessage(link) ?? '';
    if (className === 'LengthFinishReasonError') return finished('length');
    if (className === 'ContentFilterFinishReasonError') return finished('content_filter');
    // thrown as plain errors by this client and by Anthropic's, which is generated the same way
    const lacksKey =
      message.startsWith('Could not resolve authentication method') ||
      (className === 'OpenAIError' && message.startsWith('Missing credentials'));
    if (lacksKey) return { finding: 'api_key_missing', message };
    return className === 'OpenAIError' ? helperError(link, 'openai') : undefined;
  },
};

/**
 * Errors that the stream readers of this client and of Anthropic's raise themselves. The fault that
 * broke the stream is the cause; a stream that stopped without a fault leaves only the sentence.
 */
export function helperError(link: unknown, provider: string): Extracted | undefined {
  const message = readMessage(link) ?? '';
  if (hasKey(link, 'cause')) return { provider, message };
  if (UNPARSABLE.test(message)) return { provider, finding: 'output_unparsable', message };
  if (!STOPPED.test(message) && !GARBLED.test(message)) return undefined;
  if (SILENT.test(message))
    return { provider, finding: 'connection_closed', phase: 'sent', delivered: false, message };
  return { provider, status: 200, phase: 'streaming', transport: ENDED_EARLY, message };
}

const STOPPED = /^(?:stream|request) ended without |^missing [\w.[\]]+ for choice \d/;
/** Nothing was received, so nothing was delivered. */
const SILENT = /^request ended without sending any /;
/** Events that do not add up to a reply, because a gateway lost some. */
const GARBLED = /^Unexpected event order, |^stream has ended, this shouldn't happen/;
/** The reply is complete, but not in the requested form. */
const UNPARSABLE = /^Failed to parse structured output|^Unable to parse tool parameter JSON/;

/** The constructor sets these even when they are undefined; Anthropic's client has no `param`. */
function isApiError(link: unknown): boolean {
  return ['status', 'headers', 'error', 'param'].every((key) => hasKey(link, key));
}

function apiError(link: unknown): Extracted {
  const status = readStatus(link, 'status');
  const headers = readProperty(link, 'headers');
  const error = readProperty(link, 'error');
  const text = readMessage(link);
  if (status === undefined && headers === undefined) {
    return { ...clientFinding(link), provider: 'openai', message: text };
  }
  const isInStream = status === undefined;
  return {
    provider: 'openai',
    status: status ?? 200,
    phase: isInStream ? 'streaming' : 'headers',
    headers: keepHeaders(headers),
    message: text,
    body: error === undefined || error === null ? textBehindStatus(text, status) : { error },
  };
}

/** Errors without a response: the client's own timeout, an abort by the caller, or the network. */
export function clientFinding(link: unknown): { readonly finding: Finding | undefined } {
  const className = readClassName(link);
  const message = readMessage(link) ?? '';
  if (className === 'APIConnectionTimeoutError' || message.startsWith('Request timed out')) {
    return { finding: 'timed_out' };
  }
  const isAbort = className === 'APIUserAbortError' || message === 'Request was aborted.';
  return { finding: isAbort ? 'aborted' : undefined };
}

/** `502 <html>…`: the server's text that was not JSON. */
export function textBehindStatus(
  message: string | undefined,
  status: number | undefined,
): string | undefined {
  if (message === undefined || message.endsWith('status code (no body)')) return undefined;
  const prefix = `${status ?? ''} `;
  return message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

function finished(reason: string): Extracted {
  return { provider: 'openai', status: 200, phase: 'headers', body: { finish_reason: reason } };
}
