/**
 * The `openai` client, which also speaks to every compatible host. It keeps the inside of the body's
 * `error` and, where there is none, only the text of the answer behind the status in its message.
 */
import { readProperty } from '../../errors/json.ts';
import type { Verdict } from '../envelope.ts';
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
    if (lacksKey) return { verdict: 'api_key_missing', message };
    return className === 'OpenAIError' ? helperComplaint(link, 'openai') : undefined;
  },
};

/**
 * What the readers of streams of this client and of Anthropic's raise themselves: what broke the
 * stream is the cause, and only of a stream that just stopped there is nothing but the sentence.
 */
export function helperComplaint(link: unknown, provider: string): Extracted | undefined {
  const message = readMessage(link) ?? '';
  if (hasKey(link, 'cause')) return { provider, message };
  if (UNPARSABLE.test(message)) return { provider, verdict: 'output_unparsable', message };
  if (!STOPPED.test(message) && !GARBLED.test(message)) return undefined;
  if (SILENT.test(message))
    return { provider, verdict: 'connection_closed', phase: 'sent', delivered: false, message };
  return { provider, status: 200, phase: 'streaming', transport: ENDED_EARLY, message };
}

const STOPPED = /^(?:stream|request) ended without |^missing [\w.[\]]+ for choice \d/;
/** Nothing came at all, so nothing was shown to anyone. */
const SILENT = /^request ended without sending any /;
/** Events that make no answer, as a gateway leaves them that lost some. */
const GARBLED = /^Unexpected event order, |^stream has ended, this shouldn't happen/;
/** The answer came, and is not what was asked for. */
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
    return { ...clientVerdict(link), provider: 'openai', message: text };
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

/** Errors without an answer: the client's own limit, the caller's wish, or the network. */
export function clientVerdict(link: unknown): { readonly verdict: Verdict | undefined } {
  const className = readClassName(link);
  const message = readMessage(link) ?? '';
  if (className === 'APIConnectionTimeoutError' || message.startsWith('Request timed out')) {
    return { verdict: 'timed_out' };
  }
  const isAbort = className === 'APIUserAbortError' || message === 'Request was aborted.';
  return { verdict: isAbort ? 'aborted' : undefined };
}

/** `502 <html>…`: what the server said when it was not JSON. */
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
