/**
 * Failures below HTTP, from any runtime: Node and undici, Bun, Deno, browsers. Decides whether a value
 * is one, and how far the request can have got by then.
 */
import { causeChain } from '../../errors/cause-chain.ts';
import { isArray, readProperty } from '../../errors/json.ts';
import type { Phase, TransportFault, Verdict } from '../envelope.ts';
import { readMessage, readName, readText } from './extractor.ts';

const MAX_CAUSES = 8;

/** Nothing reached the server: no address, no connection, no trust, or nothing valid to send. */
const UNSENT_CODES =
  /^(?:ENOTFOUND|EAI_[A-Z]+|ECONNREFUSED|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG|ERR_INVALID_(?:URL|CHAR|PROTOCOL)|ERR_(?:TLS|SSL|OSSL)_[A-Z0-9_]+|CERT_[A-Z_]+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_[A-Z_]+|HOSTNAME_MISMATCH|ConnectionRefused|FailedToOpenSocket)$/;

/** The connection was there. Whether the server acted on what it got is another question. */
const SENT_CODES =
  /^(?:ECONNRESET|ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EPROTO|ENOTCONN|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|ERR_HTTP2_[A-Z_]+|ERR_NETWORK|ERR_SOCKET_[A-Z_]+|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED)|ConnectionClosed|ConnectionReset)$/;

const BROKEN_ANSWER_CODES =
  /^(?:UND_ERR_BODY_TIMEOUT|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_RES_[A-Z_]+)$/;

const NAMES =
  /^(?:AbortError|TimeoutError|FetchError|ConnectTimeoutError|SocketError|HeadersTimeoutError|BodyTimeoutError|HTTPParserError|ResponseAborted|RequestAbortedError|NetworkError)$/;

/** As the runtimes word it where they give no code. */
const UNSENT_WORDS =
  /before secure TLS connection|\bconnect ETIMEDOUT|client error \(Connect\)|convert argument to a ByteString|(?:parse|Invalid) URL|typo in (?:the )?url or port|did not establish a connection|^bad port$/i;
const SENT_WORDS =
  /^(?:fetch failed|failed to fetch|load failed|network error|networkerror when attempting|socket hang up|other side closed|error sending request)|socket connection was closed unexpectedly/i;
const BROKEN_ANSWER_WORDS =
  /^(?:(?:terminated|aborted)$|premature close|incomplete json segment at the end|truncated event message|expected a completed response|did not receive done or success|incomplete amazon bedrock event-stream frame|error reading response)/i;

const JSON_WORDS = /JSON|Unexpected (?:token|end)|Unterminated string|end of (?:data|input)/i;
const CUT_JSON_WORDS = /Unexpected end|Unterminated|end of (?:data|input)/i;

/** Of a stream that was over before its end marker, without any fault of the connection. */
export const ENDED_EARLY: TransportFault = {
  name: 'Error',
  message: 'The stream ended without its end marker',
};

/** The fault and what lies under it; undefined when the value has nothing to do with a transport. */
export function transportFault(value: unknown): TransportFault | undefined {
  return isTransport(value) ? describeFault(value) : undefined;
}

/** For a value of which the caller knows that it is one. */
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
  if (all.some(isUnsent)) return 'before_send';
  if (all.some(breaksAnswer)) return 'streaming';
  if (!isJsonFault(fault)) return 'sent';
  return CUT_JSON_WORDS.test(fault.message ?? '') ? 'streaming' : 'headers';
}

/** An abort is somebody's wish, a timeout somebody's limit; neither is the server's doing. */
export function verdictOfFault(fault: TransportFault): Verdict | undefined {
  if (fault.name === 'AbortError') return 'aborted';
  return fault.name === 'TimeoutError' && fault.code === undefined ? 'timed_out' : undefined;
}

/** An answer that ended early or was never JSON. */
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

function isUnsent({ code = '', message = '', syscall = '' }: TransportFault): boolean {
  return (
    UNSENT_CODES.test(code) ||
    UNSENT_WORDS.test(message) ||
    /^(?:connect|getaddrinfo)$/.test(syscall)
  );
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

/** node-fetch 2 has it in `errno`; a DOMException has a number that means nothing. */
function codeOf(value: unknown): string | undefined {
  const code = readText(value, 'code') ?? readText(value, 'errno');
  // undici in Node 24 loses the parser's code on the way
  return code ?? (readName(value) === 'HTTPParserError' ? 'HPE_INVALID_CONSTANT' : undefined);
}

/** smithy calls every broken socket a TimeoutError; the code is what happened. */
function nameBesideCode(value: unknown): string {
  const name = readName(value);
  return name === 'TimeoutError' ? 'Error' : name;
}
