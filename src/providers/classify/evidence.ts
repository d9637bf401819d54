/**
 * Everything the rules look at, dug out of one failure once: codes, statuses, stop reasons, quota
 * names and messages at whatever depth they lie, and the word stems that occur in the messages.
 * What a model wrote is never evidence; only what a server says about the call is.
 */
import type { ProviderFailure } from '../envelope.ts';
import { MAX_BODY_CHARS } from '../json-text.ts';
import { providerNamed } from '../names.ts';
import { addCode, dig, digOpened, type Findings } from './dig.ts';
import { openText, parseEventStream, type Opened } from './embedded.ts';
import { findFamilies, type Spoken } from './phrases.ts';

/** What the body is, before anyone looks into it. */
export type BodyForm = 'none' | 'empty' | 'html' | 'text' | 'cut_json' | 'json' | 'events';

export interface Evidence {
  readonly failure: ProviderFailure;
  readonly provider: string | undefined;
  /** The status that speaks: the inner one where the outer only says that a gateway passed it on. */
  readonly status: number | undefined;
  readonly codes: ReadonlySet<string>;
  /** As the server spells them. */
  readonly namedCode: string | undefined;
  readonly namedType: string | undefined;
  readonly params: readonly string[];
  readonly stops: ReadonlySet<string>;
  readonly quotas: readonly string[];
  readonly retryDelay: string | undefined;
  readonly text: string;
  readonly spoken: Spoken;
  readonly form: BodyForm;
  /** An answer that holds nothing at all. */
  readonly isEmptyAnswer: boolean;
  /** A stream that stops without a stop reason or an end marker. */
  readonly isUnfinished: boolean;
  /** Of the answer, and of the upstream answer that a gateway put into the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly delivered: boolean;
}

const MAX_TEXT_CHARS = 8192;

export function gatherEvidence(failure: ProviderFailure): Evidence {
  const { form, value, isEnded, opened } = readBody(failure.body);
  const findings = opened === undefined ? dig(value, form === 'events') : digOpened(opened);
  addSingledOut(findings, failure);

  const text = findings.messages.join('\n').slice(0, MAX_TEXT_CHARS);
  const said = text === '' ? (failure.transport?.message ?? '') : text;
  const status = speakingStatus(failure.status, findings, said.slice(0, 1024));
  return {
    failure: withFault(failure, findings.namedCode),
    provider: failure.provider === undefined ? undefined : providerNamed(failure.provider).name,
    status,
    codes: findings.codes,
    namedCode: failure.code ?? findings.namedCode,
    namedType: failure.type ?? findings.namedType,
    params: findings.params,
    stops: findings.stops,
    quotas: findings.quotas,
    retryDelay: findings.retryDelay,
    text,
    spoken: findFamilies(text),
    form,
    isEmptyAnswer: !isRefusal(status) && isEmptyAnswer(form, findings),
    isUnfinished:
      form === 'events' && !isEnded && !findings.hasErrorEvent && findings.stops.size === 0,
    headers:
      findings.headers === undefined
        ? failure.headers
        : { ...findings.headers, ...failure.headers },
    delivered: form === 'events' ? findings.deliveredBeforeError : failure.delivered,
  };
}

interface ReadBody {
  readonly form: BodyForm;
  readonly value: unknown;
  readonly isEnded?: boolean;
  /** JSON that stands in prose. */
  readonly opened?: Opened;
}

/** A server that answers with its own exception: the code in the body is one of the transport's. */
function withFault(failure: ProviderFailure, code: string | undefined): ProviderFailure {
  const isFault = code !== undefined && /^(?:E[A-Z]{4,14}|EAI_[A-Z]+|UND_ERR_[A-Z_]+)$/.test(code);
  return isFault && failure.transport === undefined ? { ...failure, transport: { code } } : failure;
}

function readBody(body: unknown): ReadBody {
  if (body === undefined || body === null) return { form: 'none', value: undefined };
  if (typeof body !== 'string') return { form: 'json', value: body };
  const isCut = body.length >= MAX_BODY_CHARS;
  const text = (isCut ? body.slice(0, MAX_BODY_CHARS) : body).trim();
  if (text === '') return { form: 'empty', value: undefined };
  if (/^<(?:!doctype|html|head|\?xml)/i.test(text)) return { form: 'html', value: pageTitle(text) };
  const stream = parseEventStream(text);
  if (stream !== undefined)
    return { form: 'events', value: stream.events, isEnded: stream.isEnded };
  // what we cut ourselves is no answer that broke off, and no JSON either
  if (isCut) return { form: 'text', value: text };
  const opened = openText(text);
  if (opened?.prose === '') return { form: 'json', value: opened.values };
  if (opened !== undefined) return { form: 'json', value: undefined, opened };
  return { form: CUT_JSON.test(text) ? 'cut_json' : 'text', value: text };
}

const CUT_JSON = /^(?:\{\s{0,80}(?:"|$)|\[\s{0,80}(?:[[{"\d]|$))/;

function pageTitle(html: string): string {
  const head = html.slice(0, MAX_PAGE_CHARS);
  const title =
    /<title[^>]{0,80}>([^<]{0,200})/i.exec(head) ?? /<h1[^>]{0,80}>([^<]{0,200})/i.exec(head);
  return title?.[1] ?? '';
}

const MAX_PAGE_CHARS = 4096;

function addSingledOut(findings: Findings, failure: ProviderFailure): void {
  const { code, type, message, headers } = failure;
  // AWS names the exception in a header, of the answer or of one frame in a stream
  const named = headers['x-amzn-errortype']?.split(':')[0] ?? headers[':exception-type'];
  for (const word of [code, type, named]) {
    if (word !== undefined) addCode(word, findings);
  }
  if (failure.transport?.message !== undefined) addGrpcStatus(failure.transport.message, findings);
  // an SDK's own sentence repeats the body, or stands for a body that is gone
  const words = message ?? failure.transport?.message;
  if (findings.messages.length === 0 && words !== undefined) dig(words, false, findings);
}

/** gRPC prints `14 UNAVAILABLE: …`. */
function addGrpcStatus(message: string, findings: Findings): void {
  const status = /^\d{1,2} ([A-Z_]{2,40}): /.exec(message);
  if (status !== null) dig({ code: status[1], message }, false, findings);
}

function speakingStatus(
  outer: number | undefined,
  findings: Findings,
  text: string,
): number | undefined {
  const inner = findings.statuses.find(isFailing);
  if (outer === undefined || outer < 400) return inner ?? leadingStatus(text) ?? outer;
  // 400 and 5xx are what gateways say when they pass on another's refusal
  if (outer < 500 && outer !== 400) return outer;
  const { statuses, codes } = findings.wrapped;
  return statuses.find(isFailing) ?? statusOfCodes(codes) ?? inner ?? outer;
}

function isFailing(status: number): boolean {
  return status >= 400 && status <= 599;
}

/** Codes that say no more than a status does, for an answer whose own status its wrapper swallowed. */
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map([
  ['invalid_request', 400],
  ['bad_request', 400],
  ['invalid_argument', 400],
  ['validation', 400],
  ['failed_precondition', 400],
  ['unprocessable_entity', 422],
  ['authentication', 401],
  ['unauthenticated', 401],
  ['permission', 403],
  ['permission_denied', 403],
  ['forbidden', 403],
  ['not_found', 404],
  ['api', 500],
  ['internal', 500],
  ['server', 500],
  ['internal_server', 500],
  ['service_unavailable', 503],
]);

function statusOfCodes(codes: readonly string[]): number | undefined {
  for (const code of codes) {
    const status = STATUS_OF_CODE.get(code);
    if (status !== undefined) return status;
  }
  return undefined;
}

/** `429 Rate limit reached`, `[400 Bad Request]`, `server response: 401`, `HTTP 503`, `Error (429)`. */
const STATUS_IN_TEXT =
  /^([45]\d\d)\b|\[([45]\d\d) [A-Z]|\b(?:response|status|(?:status|error)[ _]?code|http(?:\/\d(?:\.\d)?|[ _]status)?|error)(?: of)?[:=]?[ (]{0,2}([45]\d\d)\b/i;

function leadingStatus(text: string): number | undefined {
  const match = STATUS_IN_TEXT.exec(text);
  return match === null ? undefined : Number(match[1] ?? match[2] ?? match[3]);
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300;
}

function isEmptyAnswer(form: BodyForm, findings: Findings): boolean {
  if (form === 'empty') return true;
  const isAnswer = findings.isAnswer && findings.codes.size === 0;
  return isAnswer && !findings.hasContent && findings.messages.length === 0;
}
