/**
 * Failures below HTTP, from any runtime: Node and undici, Bun, Deno, browsers. Decides whether a
 * value is one, and how far the request can have got.
 */
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { isArray, readProperty } from '../../errors/support/safe-json.ts';
import { isOfOpenConnection } from '../../errors/thrown/open-connection.ts';
import type { Phase, TransportFault, Finding } from '../provider-failure.ts';
import { readMessage, readName, readText } from './extractor.ts';

const MAX_CAUSES = 8;

/** Nothing reached the server: no address, no connection, no trust, or nothing valid to send. */
const UNSENT_CODES =
  /^(?:ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|ERR_INVALID_(?:URL|CHAR|PROTOCOL)|ERR_(?:TLS|SSL|OSSL)_[A-Z0-9_]+|CERT_[A-Z_]+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|HOSTNAME_MISMATCH|ConnectionRefused|FailedToOpenSocket)$/;

/** Those of them that can also break an open connection. */
const WAY_CODES = /^E(?:HOST|NET)(?:UNREACH|DOWN)$/;

/** The connection was open; whether the server acted on the request is unknown. */
const SENT_CODES =
  /^(?:ECONNRESET|ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EPROTO|ENOTCONN|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|ERR_HTTP2_[A-Z_]+|ERR_NETWORK|ERR_SOCKET_[A-Z_]+|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED)|ConnectionClosed|ConnectionReset)$/;

/** Those of them that a client never reports for a connection that was not open. */
const BROKEN_CODES = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ConnectionClosed|ConnectionReset)$/;

const BROKEN_ANSWER_CODES =
  /^(?:UND_ERR_BODY_TIMEOUT|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_[A-Z_]+)$/;

const NAMES =
  /^(?:AbortError|TimeoutError|FetchError|ConnectTimeoutError|SocketError|HeadersTimeoutError|BodyTimeoutError|HTTPParserError|ResponseAborted|RequestAbortedError|NetworkError)$/;

/** Messages of runtimes that set no code. */
const UNSENT_WORDS =
  /before secure TLS connection|\bconnect ETIMEDOUT|client error \(Connect\)|convert argument to a ByteString|(?:parse|Invalid) URL|typo in (?:the )?url or port|did not establish a connection|^bad port$/i;
const SENT_WORDS =
  /^(?:fetch failed|failed to fetch|load failed|network error|networkerror when attempting|socket hang up|other side closed|error sending request)|socket connection was closed unexpectedly/i;
const BROKEN_ANSWER_WORDS =
  /^(?:(?:terminated|aborted)$|premature close|incomplete json segment at the end|truncated event message|expected a completed response|did not receive done or success|incomplete amazon bedrock event-stream frame|error reading response)/i;

const JSON_WORDS = /JSON|Unexpected (?:token|end)|Unterminated string|end of (?:data|input)/i;
const CUT_JSON_WORDS = /Unexpected end|Unterminated|end of (?:data|input)/i;

/** The fault of a stream that ended before its end marker, without a fault of the connection. */
export const ENDED_EARLY: TransportFault = {
  name: 'Error',
  message: 'The stream ended without its end marker',
};

/** The fault and its causes; undefined when the value is not a transport fault. */
export function transportFault(value: unknown): TransportFault | undefined {
  return isTransport(value) ? describeFault(value) : undefined;
}

/** Describes a value that the caller knows to be a transport fault. */
export function describeFault(value: unknown): TransportFault {
  const [outer = {}, ...causes] = linksBelow(value).map(link);
  const all = [outer, ...causes];
  const code = all.find((fault) => fault.code !== undefined)?.code;
  const syscall = all.find((fault) => fault.syscall !== undefined)?.syscall;
  return {
    ...outer,
    ...(code === undefined ? {} : { code }),
    ...(syscall === undefined ? {} : { syscall }),
    ...(causes.length === 0 ? {} : { causes }),
  };
}

export function phaseOfFault(fault: TransportFault): Phase {
  const all = [fault, ...(fault.causes ?? [])];
  if (all.some(isUnsent) && !all.some((each) => brokeOpen(each, all))) return 'before_send';
  if (all.some(breaksAnswer)) return 'streaming';
  if (!isJsonFault(fault)) return 'sent';
  return CUT_JSON_WORDS.test(fault.message ?? '') ? 'streaming' : 'headers';
}

/** An abort comes from the caller, a timeout from a limit; neither comes from the server. */
export function findingOfFault(fault: TransportFault): Finding | undefined {
  if (fault.name === 'AbortError') return 'aborted';
  return fault.name === 'TimeoutError' && fault.code === undefined ? 'timed_out' : undefined;
}

/** A response that ended early or was never JSON. */
export function isJsonFault({ name, message }: TransportFault): boolean {
  return name === 'SyntaxError' && JSON_WORDS.test(message ?? '');
}

function isTransport(value: unknown): boolean {
  const fault = link(value);
  const { name = '', message = '', code = '' } = fault;
  return (
    NAMES.test(name) ||
    UNSENT_CODES.test(code) ||
    SENT_CODES.test(code) ||
    isJsonFault(fault) ||
    (/^(?:TypeError|Error|SyntaxError)$/.test(name) &&
      [UNSENT_WORDS, SENT_WORDS, BROKEN_ANSWER_WORDS].some((words) => words.test(message)))
  );
}

function isUnsent(fault: TransportFault): boolean {
  const { code = '', message = '', syscall = '' } = fault;
  return (
    (UNSENT_CODES.test(code) && !(WAY_CODES.test(code) && isOfOpenConnection(fault))) ||
    UNSENT_WORDS.test(message) ||
    /^(?:connect|getaddrinfo)$/.test(syscall)
  );
}

/**
 * One of several requests was sent, whatever the others say. A wrapper's copy of a code proves
 * nothing.
 */
function brokeOpen(fault: TransportFault, all: readonly TransportFault[]): boolean {
  if (isUnsent(fault)) return false;
  const isCopy = all.some((other) => isUnsent(other) && other.code === fault.code);
  return !isCopy && (BROKEN_CODES.test(fault.code ?? '') || isOfOpenConnection(fault));
}

function breaksAnswer({ code = '', message = '' }: TransportFault): boolean {
  return BROKEN_ANSWER_CODES.test(code) || BROKEN_ANSWER_WORDS.test(message);
}

/** The chain of causes, then the attempts that an `AggregateError` holds (one per address tried). */
function linksBelow(value: unknown): readonly unknown[] {
  const links: unknown[] = [];
  for (const part of causeChain(value)) {
    if (links.push(part) > MAX_CAUSES) break;
    const errors = readProperty(part, 'errors');
    if (isArray(errors)) links.push(...[0, 1, 2, 3].map((index) => readProperty(errors, index)));
  }
  return links.filter((part) => typeof part === 'object' && part !== null).slice(0, MAX_CAUSES);
}

function link(value: unknown): TransportFault {
  const code = codeOf(value);
  const name = code === undefined ? readName(value) : nameBesideCode(value);
  const message = readMessage(value);
  const syscall = readText(value, 'syscall');
  return {
    ...(name === '' ? {} : { name }),
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
    ...(syscall === undefined ? {} : { syscall }),
  };
}

/** node-fetch 2 keeps the code in `errno`; a DOMException has a number without a meaning. */
function codeOf(value: unknown): string | undefined {
  const code =
    readText(value, 'code') ?? readText(value, 'errno') ?? printedCode(readMessage(value) ?? '');
  // undici in Node 24 loses the parser's code
  return code ?? (readName(value) === 'HTTPParserError' ? 'HPE_INVALID_CONSTANT' : undefined);
}

/** curl numbers its failures, and PHP and shells print the number; each has a name in Node. */
const CURL_CODES: Readonly<Record<string, string>> = {
  1: 'ERR_UNSUPPORTED_PROTOCOL',
  3: 'ERR_INVALID_URL',
  5: 'ENOTFOUND',
  6: 'ENOTFOUND',
  7: 'ECONNREFUSED',
  18: 'ERR_STREAM_PREMATURE_CLOSE',
  28: 'ETIMEDOUT',
  42: 'ABORT_ERR',
  47: 'ERR_FR_TOO_MANY_REDIRECTS',
  51: 'CERT_UNTRUSTED',
  52: 'ECONNRESET',
  55: 'EPIPE',
  56: 'ECONNRESET',
  58: 'CERT_UNTRUSTED',
  60: 'CERT_UNTRUSTED',
  77: 'CERT_UNTRUSTED',
  92: 'ERR_HTTP2_STREAM_ERROR',
};

/** Apple numbers its failures too, and prints the number into the message. */
const APPLE_CODES: Readonly<Record<string, string>> = {
  999: 'ABORT_ERR',
  1000: 'ERR_INVALID_URL',
  1001: 'ETIMEDOUT',
  1002: 'ERR_UNSUPPORTED_PROTOCOL',
  1003: 'ENOTFOUND',
  1004: 'ECONNREFUSED',
  1005: 'ECONNRESET',
  1006: 'ENOTFOUND',
  1007: 'ERR_FR_TOO_MANY_REDIRECTS',
  1009: 'ENETDOWN',
  1018: 'ENETDOWN',
  1019: 'ENETDOWN',
  1020: 'ENETDOWN',
  1022: 'ERR_TLS_REQUIRED',
  1201: 'CERT_UNTRUSTED',
  1202: 'CERT_UNTRUSTED',
  1203: 'CERT_UNTRUSTED',
  1204: 'CERT_UNTRUSTED',
  1205: 'CERT_UNTRUSTED',
  1206: 'CERT_UNTRUSTED',
};

function printedCode(message: string): string | undefined {
  const curl = /^curl(?: error|:) \(?(\d{1,2})\b/i.exec(message)?.[1];
  if (curl !== undefined) return CURL_CODES[curl];
  const apple = /\bNSURLErrorDomain\b.{0,12}?-(\d{3,4})\b/.exec(message)?.[1];
  return apple === undefined ? ERRNO.exec(message)?.[1] : APPLE_CODES[apple];
}

/** Other programs print the code of the system behind the call that failed: `write EPIPE`. */
const ERRNO = /^(?:connect|read|write|getaddrinfo|queryA|send) (E[A-Z]{3,12}|EAI_[A-Z]{2,10})\b/;

/** smithy calls every broken socket a TimeoutError; the code names the real fault. */
function nameBesideCode(value: unknown): string {
  const name = readName(value);
  return name === 'TimeoutError' ? 'Error' : name;
}
