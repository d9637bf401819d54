/**
 * The AWS SDK (smithy), for Bedrock. The exception's name is the code; only the message of the body
 * survives. An exception in an event stream has no status of its own: the response was a 200.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
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
import { transportFault } from './transport.ts';

export const aws: Extractor = {
  source: 'aws',
  extract(link) {
    const name = readName(link);
    if (/^(?:CredentialsProviderError|TokenProviderError)$/.test(name)) {
      return { provider: 'bedrock', finding: 'api_key_missing', message: readMessage(link) };
    }
    if (hasKey(link, '$fault')) return serviceException(link, name);
    if (isUndecodable(link)) return undecodable(link);
    if (/^[A-Za-z]{1,60}Exception$/.test(name)) return unmodeled(link, name);
    return readMessage(link) === 'Region is missing' ? { finding: 'api_key_missing' } : undefined;
  },
};

function serviceException(link: unknown, name: string): Extracted {
  const response = readProperty(link, '$response');
  const status =
    readStatus(readProperty(link, '$metadata'), 'httpStatusCode') ??
    readStatus(response, 'statusCode');
  const isInStream = status === undefined || status < 400;
  const message = readMessage(link);
  return {
    provider: providerOf(link),
    status: status ?? 200,
    phase: isInStream ? 'streaming' : 'headers',
    // the SDK reads the first event before the call returns, so nothing came before it
    delivered: isInStream && response !== undefined ? false : undefined,
    headers: keepHeaders(readProperty(response, 'headers')),
    code: /^(?:Unknown(?:Error)?|Error)?$/.test(name) ? undefined : name,
    message,
    body: bodyOf(message),
  };
}

/** An exception that this version of the client does not know, by name; the body is the message. */
function unmodeled(link: unknown, name: string): Extracted {
  const message = readMessage(link);
  return { status: 200, phase: 'streaming', code: name, message, body: parseBody(message) };
}

function isUndecodable(link: unknown): boolean {
  return hasKey(link, '$metadata') && isPlainObject(readProperty(link, '$response'));
}

/** The response was not JSON or broke off; some versions keep its text. */
function undecodable(link: unknown): Extracted {
  const response = readProperty(link, '$response');
  const status = readStatus(response, 'statusCode');
  return {
    status,
    transport: isOfParser(link, status) ? undefined : transportFault(link),
    headers: keepHeaders(readProperty(response, 'headers')),
    body: parseBody(readProperty(response, 'body')),
  };
}

/** Gateways send a page in place of JSON with a fault, so the parse error adds nothing. */
function isOfParser(link: unknown, status: number | undefined): boolean {
  return readName(link) === 'SyntaxError' && status !== undefined && status >= 400;
}

/** Classes name the service that they belong to. */
function providerOf(link: unknown): string | undefined {
  const shape = readText(readProperty(link, 'constructor'), 'shapeId');
  return shape?.includes('bedrock') === true ? 'bedrock' : undefined;
}

function bodyOf(message: string | undefined): unknown {
  const says = message !== undefined && !/^Unknown(?:Error)?$/.test(message);
  return says ? { message } : undefined;
}
