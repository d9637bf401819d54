/**
 * `@mistralai/mistralai` and other clients made by Speakeasy. An answer is kept whole (status, headers,
 * text); what failed without one is wrapped with the reason as its cause.
 */
import { readProperty } from '../../errors/json.ts';
import type { Verdict } from '../envelope.ts';
import { readAddress } from './address.ts';
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

const WITHOUT_ANSWER: Readonly<Record<string, Verdict | null>> = {
  RequestAbortedError: 'aborted',
  RequestTimeoutError: 'timed_out',
  InvalidRequestError: 'invalid_prompt',
  SDKValidationError: 'invalid_prompt',
  // the cause tells
  ConnectionError: null,
  UnexpectedClientError: null,
};

export const mistral: Extractor = {
  source: 'mistral',
  extract(link) {
    if (hasKey(link, 'statusCode') && hasKey(link, 'rawResponse')) return answer(link);
    const name = readName(link);
    const verdict = Object.hasOwn(WITHOUT_ANSWER, name) ? WITHOUT_ANSWER[name] : undefined;
    // other clients have errors of these names, with a status
    if (verdict === undefined || !hasKey(link, 'cause') || hasKey(link, 'status')) return undefined;
    return { verdict: verdict ?? undefined, message: readMessage(link) };
  },
};

function answer(link: unknown): Extracted {
  const address = readAddress(readText(readProperty(link, 'rawResponse'), 'url'));
  return {
    ...address,
    provider: address.provider ?? 'mistral',
    status: readStatus(link, 'statusCode'),
    phase: 'headers',
    headers: keepHeaders(readProperty(link, 'headers')),
    message: readMessage(link),
    body: parseBody(readProperty(link, 'body')),
  };
}
