/**
 * Raw HTTP: a failure recorded as `{status, headers, body, transport, stream, …}`, a response, a
 * problem document, and the errors of any client that keeps a status beside the response.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import type { Operation, Phase, TransportFault } from '../provider-failure.ts';
import { readAddress } from './address.ts';
import {
  hasAnyKey,
  hasKey,
  parseBody,
  readMessage,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';
import { keepHeaders } from './headers.ts';
import { describeFault, phaseOfFault, findingOfFault } from './transport.ts';
import { unreadResponse } from './unread-response.ts';

export const http: Extractor = {
  source: 'http',
  extract(link) {
    if (!isPlainObject(link)) return undefined;
    if (isWrittenDown(link)) return writtenDown(link);
    return statusBeside(link) ?? bareBody(link);
  },
};

/** Only a record made on purpose describes the layers below HTTP or a stream. */
function isWrittenDown(link: object): boolean {
  if (hasAnyKey(link, ['stack', 'ok'])) return false;
  return (
    hasAnyKey(link, ['transport', 'stream']) || (hasKey(link, 'status') && hasKey(link, 'body'))
  );
}

function writtenDown(link: object): Extracted | undefined {
  const status = readStatus(link, 'status');
  const stream = readProperty(link, 'stream');
  const body = parseBody(readProperty(link, 'body')) ?? parseBody(isPlainObject(stream) && stream);
  const transport = faultOf(readProperty(link, 'transport'));
  if (status === undefined && body === undefined && transport === undefined) return undefined;
  return {
    provider: readText(link, 'provider'),
    model: readText(link, 'model'),
    api: readText(link, 'api'),
    operation: operationOf(readProperty(link, 'operation')),
    status,
    headers: keepHeaders(readProperty(link, 'headers')),
    body,
    transport,
    finding: transport === undefined ? undefined : findingOfFault(transport),
    phase: phaseIn(status, transport, Boolean(stream)),
  };
}

/** A record may name a fault by its code alone. */
function faultOf(noted: unknown): TransportFault | undefined {
  if (isPlainObject(noted)) return describeFault(noted);
  if (typeof noted !== 'string' || noted === '') return undefined;
  return describeFault(/^[A-Z][A-Z0-9_]+$/.test(noted) ? { code: noted } : { message: noted });
}

function phaseIn(
  status: number | undefined,
  transport: TransportFault | undefined,
  isStream: boolean,
): Phase {
  // a refusal comes before any stream, even when a stream was requested
  if (isStream && (status === undefined || status < 400)) return 'streaming';
  return status !== undefined || transport === undefined ? 'headers' : phaseOfFault(transport);
}

function operationOf(value: unknown): Operation | undefined {
  return value === 'submit' || value === 'generate' ? value : undefined;
}

const STATUS_KEYS = ['status', 'statusCode', 'status_code'] as const;
const BODY_KEYS = ['body', 'data', 'error', 'responseBody'] as const;

/** ofetch, got, ky, gaxios, Cohere, Ollama, fal, Replicate, Hugging Face, a bare `Response`. */
function statusBeside(link: object): Extracted | undefined {
  const response = [readProperty(link, 'response'), readProperty(link, 'httpResponse')].find(
    isPlainObject,
  );
  const status = firstStatus(link) ?? firstStatus(response);
  // outside a record, a status below 400 is no failure, and a number in a foreign error may be
  // anything
  if (status === undefined || status < 400) return undefined;
  const address =
    readText(link, 'url') ??
    readText(response, 'url') ??
    readText(readProperty(link, 'config'), 'url');
  const body = firstBody(link) ?? firstBody(response) ?? problemDocument(link);
  return {
    ...readAddress(address),
    status,
    phase: 'headers',
    headers: headersBeside(link, response),
    message: readMessage(link),
    body,
    isUnread: body === undefined && unreadResponse(link) !== undefined ? true : undefined,
  };
}

function firstStatus(holder: unknown): number | undefined {
  return STATUS_KEYS.map((key) => readStatus(holder, key)).find((status) => status !== undefined);
}

function firstBody(holder: unknown): unknown {
  return BODY_KEYS.map((key) => parseBody(readProperty(holder, key))).find(
    (body) => body !== undefined,
  );
}

function headersBeside(link: object, response: unknown): Readonly<Record<string, string>> {
  return {
    ...keepHeaders(readProperty(response, 'headers')),
    ...keepHeaders(readProperty(link, 'headers')),
  };
}

/** A body that was parsed and thrown: `{error: {message, …}}`. */
function bareBody(link: object): Extracted | undefined {
  const message = readMessage(readProperty(link, 'error'));
  const isData = message !== undefined && !hasKey(link, 'stack');
  return isData ? { phase: 'headers', body: link } : undefined;
}

/** RFC 9457: the object is the body. */
function problemDocument(link: object): unknown {
  return hasAnyKey(link, ['title', 'detail']) && !hasKey(link, 'stack') ? link : undefined;
}
