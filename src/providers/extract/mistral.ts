/**
 * `@mistralai/mistralai` and other clients made by Speakeasy. They keep a response whole (status,
 * headers, text), and wrap a failure without one, with the reason as its cause.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { Finding } from '../provider-failure.ts';
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

const WITHOUT_RESPONSE: Readonly<Record<string, Finding | null>> = {
  RequestAbortedError: 'aborted',
  RequestTimeoutError: 'timed_out',
  InvalidRequestError: 'invalid_prompt',
  SDKValidationError: 'invalid_prompt',
  // the cause names the fault
  ConnectionError: null,
  UnexpectedClientError: null,
};

export const mistral: Extractor = {
  source: 'mistral',
  extract(link) {
    if (hasKey(link, 'statusCode') && hasKey(link, 'rawResponse')) return fromResponse(link);
    const name = readName(link);
    const finding = Object.hasOwn(WITHOUT_RESPONSE, name) ? WITHOUT_RESPONSE[name] : undefined;
    // other clients have errors of these names, with a status
    if (finding === undefined || !hasKey(link, 'cause') || hasKey(link, 'status')) return undefined;
    return { finding: finding ?? undefined, message: readMessage(link) };
  },
};

function fromResponse(link: unknown): Extracted {
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
