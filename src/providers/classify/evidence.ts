/**
 * Evidence for the rules, collected from a failure once: codes, statuses, stop reasons, quota names and
 * messages at any depth, and the word stems that occur in the messages. Only what a server says about
 * the call is evidence, never what a model wrote.
 */
import type { ProviderFailure, TransportFault } from '../provider-failure.ts';
import { MAX_BODY_CHARS } from '../json-text.ts';
import { providerNamed } from '../known-providers.ts';
import { once } from '../../errors/support/once.ts';
import { onceForEach } from '../../errors/support/recent-texts.ts';
import { readCode } from './concepts/read-concepts.ts';
import { saidIn, type Said } from './concepts/sentence.ts';
import { addCode, collect, collectFromParsed, type BodyEvidence } from './body-evidence.ts';
import { withReason } from './others-words.ts';
import { addCodedParam, paramsIn } from './named-params.ts';
import { openText, pairsIn, parseEventStream, type Opened } from './embedded-json.ts';
import type { MatchedFamilies } from './phrases.ts';
import { readProse, triedOnFault, type Prose } from './prose.ts';
import { elementsOf, isPage, pageTitle } from './web-page.ts';

/** The form of the body, before it is parsed. */
export type BodyForm = 'none' | 'empty' | 'html' | 'text' | 'cut_json' | 'json' | 'events';

export interface Evidence {
  readonly failure: ProviderFailure;
  /** Faults of the way with their causes; a text without any status may be the print of one. */
  readonly faults: readonly TransportFault[];
  /** The words of each fault; none where a status of gRPC names the reason, which they only surround. */
  readonly faultMentions: readonly Prose['mentions'][];
  readonly provider: string | undefined;
  /** The status that counts: the inner one where the outer one only means that a gateway passed it on. */
  readonly status: number | undefined;
  readonly codes: ReadonlySet<string>;
  /** As the server spells them. */
  readonly namedCode: string | undefined;
  readonly namedType: string | undefined;
  readonly params: readonly string[];
  readonly stops: ReadonlySet<string>;
  readonly quotas: readonly string[];
  readonly retryDelay: string | undefined;
  readonly retryAt: string | undefined;
  readonly text: string;
  readonly prose: Prose;
  readonly matchedFamilies: MatchedFamilies;
  /** The text read by concepts, when a rule asks for it. */
  readonly said: () => Said;
  readonly form: BodyForm;
  /** A reply without any content. */
  readonly isEmptyReply: boolean;
  /** A stream that stops without a stop reason or an end marker. */
  readonly isUnfinished: boolean;
  /** Headers of the response, and of the upstream response that a gateway put into the body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly delivered: boolean;
}

const MAX_TEXT_CHARS = 8192;

export function gatherEvidence(observed: ProviderFailure): Evidence {
  const failure = withReason(observed);
  const { form, value, isEnded, opened } = readBody(failure.body);
  const inBody =
    opened === undefined ? collect(value, form === 'events') : collectFromParsed(opened);
  addSingledOut(inBody, failure);

  const all = inBody.messages.join('\n\n');
  const decisive = decisiveMessages(inBody);
  const said = decisive === inBody.messages ? all : decisive.join('\n\n');
  const text = said.length > MAX_TEXT_CHARS ? said.slice(0, MAX_TEXT_CHARS) : said;
  const status = registered(decisiveStatus(failure, inBody, all));
  if (mayNameParam(status)) {
    for (const message of inBody.messages) inBody.params.push(...paramsIn(message));
    if (inBody.params.length === 0)
      for (const code of inBody.codes) addCodedParam(code, inBody.params);
  }
  const prose = readProse(text);
  const faulty = withFault(failure, inBody.namedCode);
  const faults = faultsOf(faulty, status, text);
  return {
    failure: faulty,
    faults,
    faultMentions:
      faults === NO_FAULTS || namesReason(inBody.codes)
        ? NO_WORDS
        : faults.map((fault) => mentionsOf(fault, text, prose)),
    provider: failure.provider === undefined ? undefined : providerNamed(failure.provider).name,
    status,
    codes: inBody.codes,
    namedCode: failure.code ?? inBody.namedCode,
    namedType: failure.type ?? inBody.namedType,
    params: inBody.params,
    stops: inBody.stops,
    quotas: inBody.quotas,
    retryDelay: inBody.retryDelay,
    retryAt: inBody.retryAt,
    text,
    prose,
    matchedFamilies: prose.families,
    said: saidBy(failure.transport, text, prose),
    form,
    isEmptyReply: !isRefusal(status) && isEmptyReply(form, inBody),
    isUnfinished: form === 'events' && !isEnded && !inBody.hasErrorEvent && inBody.stops.size === 0,
    headers:
      inBody.headers === undefined ? failure.headers : { ...inBody.headers, ...failure.headers },
    delivered: form === 'events' ? inBody.deliveredBeforeError : failure.delivered,
  };
}

/** Two words, one that tells something, or some signs of a script without spaces. */
const SENTENCE =
  /\S\s+\S|[^\x00-\x7f]{6}|^(?!errors?$|failed$|failure$|unknown$|exception$)[A-Za-z]{6,}$/i;

/** The innermost response speaks for itself; the words of its wrappers count where it says nothing. */
function decisiveMessages({ messages, levels }: BodyEvidence): readonly string[] {
  let innermost = 0;
  for (const level of levels) if (level > innermost) innermost = level;
  if (innermost === 0) return messages;
  const own = messages.filter((message, at) => levels[at] === innermost);
  return own.some((message) => SENTENCE.test(message)) ? own : messages;
}

function faultsOf(
  { transport, phase }: ProviderFailure,
  status: number | undefined,
  text: string,
): readonly TransportFault[] {
  if (transport !== undefined) return [transport, ...(transport.causes ?? [])];
  const isOfFault = status === undefined || CURL.test(text);
  const mayBePrint = isOfFault && phase !== 'streaming' && text !== '';
  return mayBePrint ? [{ message: text }] : NO_FAULTS;
}

/** curl numbers the faults of the way; a status behind it is that of a proxy. */
const CURL = /^curl: \(\d{1,2}\)/;

const NO_FAULTS: readonly TransportFault[] = [];
const NO_WORDS: readonly Prose['mentions'][] = [];
const MAX_FAULT_CHARS = 1024;

/** The words of a fault are often all there is, and a pattern is tried on those once. */
function mentionsOf(
  { message = '' }: TransportFault,
  text: string,
  prose: Prose,
): Prose['mentions'] {
  const words = message.slice(0, MAX_FAULT_CHARS);
  return words === text ? prose.mentions : triedOnFault(words);
}

/** Statuses of gRPC that say why a call failed, however its stream was ended. */
const GRPC_REASONS = [
  'deadline_exceeded',
  'failed_precondition',
  'invalid_argument',
  'not_found',
  'permission_denied',
  'resource_exhausted',
  'unauthenticated',
  'unimplemented',
];

function namesReason(codes: ReadonlySet<string>): boolean {
  return codes.size > 0 && GRPC_REASONS.some((reason) => codes.has(reason));
}

/** Every fault is named an error. */
const NAME_ENDING = /(?:Error|Exception)$/;

/** Names of faults are few and recur, so each is read once. */
const faultNamed = onceForEach(256, (name) => readCode(name.replace(NAME_ENDING, '')));

/** A fault speaks by its name too: `JobCancellationException`. */
function saidBy(fault: TransportFault | undefined, text: string, prose: Prose): () => Said {
  if (fault === undefined) return prose.said;
  return once(() => {
    const more = [fault, ...(fault.causes ?? [])].flatMap(({ name = '', message = '' }) => [
      faultNamed(name),
      ...(text.includes(message) ? [] : readProse(message.slice(0, 1024)).said().sentences),
    ]);
    return saidIn([...prose.said().sentences, ...more]);
  });
}

interface ReadBody {
  readonly form: BodyForm;
  readonly value: unknown;
  readonly isEnded?: boolean;
  /** JSON within prose. */
  readonly opened?: Opened | undefined;
}

/** Refusals of a request; limits, keys and faults of a server are about no parameter. */
function mayNameParam(status: number | undefined): boolean {
  return status === undefined || status === 400 || status === 404 || status === 422;
}

/** A server that responds with its own exception: the code in the body is one of the transport's. */
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
  const elements = elementsOf(text);
  if (elements !== undefined) return { form: 'json', value: elements };
  if (isPage(text)) return { form: 'html', value: pageTitle(text) };
  const stream = parseEventStream(text);
  if (stream !== undefined)
    return { form: 'events', value: stream.events, isEnded: stream.isEnded };
  // a body that we cut ourselves did not break off, and is not JSON either
  if (isCut) return { form: 'text', value: text };
  const opened = openText(text);
  if (opened?.prose === '') return { form: 'json', value: opened.values };
  if (opened !== undefined) return { form: 'json', value: undefined, opened };
  if (CUT_JSON.test(text)) return { form: 'cut_json', value: pairsIn(text) ?? text };
  return { form: 'text', value: text, opened: cutWithin(text) };
}

/** A log line that ends in the middle of the response that it quotes. */
function cutWithin(text: string): Opened | undefined {
  const start = text.indexOf('{"');
  const values = start < 0 ? undefined : pairsIn(text.slice(start));
  return values === undefined ? undefined : { values, prose: text.slice(0, start).trim() };
}

const CUT_JSON = /^(?:\{\s{0,80}(?:"|$)|\[\s{0,80}(?:[[{"\d]|$))/;

function addSingledOut(inBody: BodyEvidence, failure: ProviderFailure): void {
  const { code, type, message, headers } = failure;
  // AWS names the exception in a header, of the response or of one frame in a stream
  const named = headers['x-amzn-errortype']?.split(':')[0] ?? headers[':exception-type'];
  for (const word of [code, type, named]) {
    if (word !== undefined) addCode(word, inBody);
  }
  if (failure.transport?.message !== undefined) addGrpcStatus(failure.transport.message, inBody);
  // an SDK's own sentence repeats the body, or replaces a body that is gone
  const words = message ?? failure.transport?.message?.replace(CLOSE_CODE, ' ');
  if (inBody.messages.length === 0 && words !== undefined) collect(words, false, inBody);
}

/** `received 1008 (policy violation) …`: the name of a close code says nothing about the content. */
const CLOSE_CODE = /\b1\d{3} \([a-z ]{4,30}\)/g;

/** gRPC prints `14 UNAVAILABLE: …`, Java `UNAVAILABLE: …`, Go `rpc error: code = Unavailable`, Python `StatusCode.UNAVAILABLE`. */
const GRPC_STATUS =
  /^\d{1,3} ([A-Z_]{2,40}): |\brpc error: code = ([A-Za-z]{2,40})|\bStatusCode(?:\.|=")([A-Za-z_]{2,40})|^(?:[\w.]{1,80}: )?(CANCELLED|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|UNAUTHENTICATED)(?=:|$)/;

function addGrpcStatus(message: string, inBody: BodyEvidence): void {
  const status = GRPC_STATUS.exec(message.slice(0, 1024));
  if (status !== null) collect({ code: status.slice(1).find(Boolean), message }, false, inBody);
}

const MAX_STATUS_CHARS = 1024;

function decisiveStatus(
  { status: outer, transport }: ProviderFailure,
  inBody: BodyEvidence,
  messages: string,
): number | undefined {
  const said = messages === '' ? (transport?.message ?? '') : messages;
  const text = said.length > MAX_STATUS_CHARS ? said.slice(0, MAX_STATUS_CHARS) : said;
  const inner = inBody.statuses.find(isFailing);
  if (outer !== undefined && outer >= 400) return behindGateway(outer, inBody, text);
  const printed = inner ?? leadingStatus(text) ?? outer;
  return printed === undefined || printed < 400 ? printed : behindGateway(printed, inBody, text);
}

/** Gateways use 400, 424 and 5xx when they pass on an upstream refusal. */
function behindGateway(outer: number, inBody: BodyEvidence, text: string): number {
  if (outer < 500 && outer !== 400 && outer !== FAILED_DEPENDENCY) return outer;
  const { statuses, codes } = inBody.wrapped;
  const printed = outer === 400 ? undefined : upstreamStatus(text);
  const other = inBody.statuses.find((it) => isFailing(it) && (outer === 400 || it !== outer));
  const stated = printed ?? other;
  // a status says more than a code that only means a status
  const isRefused = stated !== undefined && stated > 400 && stated < 500;
  const wrapped = statuses.find(isFailing) ?? (isRefused ? stated : statusOfCodes(codes));
  if (isRefused && stated === printed && wrapped !== undefined && wrapped >= 500) return stated;
  return wrapped ?? stated ?? outer;
}

/** Statuses with a meaning of their own, of RFC 9110, nginx, Cloudflare and a few vendors. */
function isRegistered(status: number): boolean {
  if (status >= 500) return status <= 511 || (status >= 520 && status <= 530) || status === 598;
  return status <= 418 || REGISTERED.has(status);
}

const REGISTERED: ReadonlySet<number> = new Set([
  421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 498, 499,
]);

/** Statuses of single vendors and servers that mean one of the registered. */
const MEANT: ReadonlyMap<number, number> = new Map([
  [419, 401],
  [420, 429],
  [430, 429],
  [440, 401],
  [460, 499],
  [494, 431],
  [561, 401],
]);

/** RFC 9110 has a client treat a status that it does not know as the first of its class. */
function registered(status: number | undefined): number | undefined {
  if (status === undefined || !isFailing(status) || isRegistered(status)) return status;
  return MEANT.get(status) ?? (status < 500 ? 400 : 500);
}

function isFailing(status: number): boolean {
  return status >= 400 && status <= 599;
}

/** Codes that mean no more than a status, for a response whose own status its wrapper has lost. */
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

/**
 * A status by what stands before it (`server response: 401`, `HTTP 503`, `Server error '504 …'`, `returned 500`) or
 * behind it (`429: {…}`, `400 Bad Request`).
 */
const STATUS_IN_TEXT =
  /^([45]\d\d)\b|\b(?:response|status|(?:with|response|status|error)[ _]?code|http(?:\/\d(?:\.\d)?|[ _]status)?|\w{0,40}error|\w{0,40}exception|request|rejected|refused|failed|returned|responded|provider|server|gateway|unavailable|unauthorized|forbidden|(?:client|server) error ')(?: of)?(?:[:=]| -)?[ (]{0,2}([45]\d\d)\b(?![.,]?\d)|\b([45]\d\d)(?=:\s|: ?["{]|:$|,? body\b| (?:bad request|unauthorized|payment required|forbidden|not found|method not|not acceptable|request timeout|conflict|gone|payload|request entity|content too|unsupported media|unprocessable|too many|internal server|not implemented|bad gateway|service unavail|gateway time)\b)/i;

/** Names the work, and after a colon nothing but the status: `Failed to list models: 403`. */
const STATUS_AT_END =
  /\b(?:fail(?:ed|ure)?|error|unable|could not|cannot)\b(?![^:]*\b(?:limit|max|length|size|tokens?|count)\b)[^:\n]{0,80}: ([45]\d\d)\.?$/i;

function leadingStatus(text: string): number | undefined {
  if (!/[45]\d\d/.test(text)) return undefined;
  const match = STATUS_IN_TEXT.exec(text) ?? STATUS_AT_END.exec(text);
  return match === null ? undefined : Number(match[1] ?? match[2] ?? match[3]);
}

const FAILED_DEPENDENCY = 424;

/** A gateway says what its upstream refused: `upstream returned 401: …`, `client error (400) from`. */
const UPSTREAM_STATUS =
  /(?:\bclient error \(|\b(?:returned|responded with|replied with|answered with|failed with|error code:|status(?:[ _]code)?)(?: (?:status|http|code)){0,3}:? |\bHTTP )([45]\d\d)\b/gi;

/** `Chat failed, 429`: the status ends the sentence. */
const FAILED_WITH =
  /\b(?:[Ff]ail(?:ed|ure)?|FAIL(?:ED|URE)?|[Ee]rrors?|ERRORS?)[,:]? \(?([45]\d\d)\b\)?(?= ?[([]|[.;]?(?: [A-Z]|\n|$))/;

/** A refusal counts before what the gateway says of itself. */
function upstreamStatus(text: string): number | undefined {
  if (!/[45]\d\d/.test(text)) return undefined;
  const last = FAILED_WITH.exec(text);
  const printed = [...text.matchAll(UPSTREAM_STATUS)].map((match) => Number(match[1]));
  if (last !== null) printed.push(Number(last[1]));
  return printed.find((status) => status < 500) ?? printed[0];
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300;
}

/** A reply that ended like this says why it is empty. */
const BROKEN_ENDS = ['error', 'timeout', 'failed', 'network_error', 'aborted', 'cancelled'];

function isEmptyReply(form: BodyForm, inBody: BodyEvidence): boolean {
  if (form === 'empty') return true;
  if (BROKEN_ENDS.some((end) => inBody.stops.has(end))) return false;
  const isReply = inBody.isReply && inBody.codes.size === 0;
  return isReply && !inBody.hasContent && inBody.messages.length === 0;
}
