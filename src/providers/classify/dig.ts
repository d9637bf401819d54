/**
 * Walks a body of any shape and collects what servers say about a call under the names they use.
 * Strings that hold JSON are opened; what a model wrote is passed over.
 */
import { isArray, isPlainObject } from '../../errors/json.ts';
import { madeOnce } from '../../errors/made-once.ts';
import { MAX_BODY_CHARS } from '../json-text.ts';
import { openText, type Opened } from './embedded.ts';
import { protobufFields } from './protobuf-text.ts';

export interface Findings {
  readonly codes: Set<string>;
  /** The first code and type as the server spells them. */
  namedCode: string | undefined;
  namedType: string | undefined;
  readonly statuses: number[];
  /** What an answer says that stands in the text of another one: the upstream's own words. */
  readonly wrapped: { readonly codes: string[]; readonly statuses: number[] };
  readonly params: string[];
  readonly stops: Set<string>;
  readonly quotas: string[];
  readonly messages: string[];
  /** Headers of an upstream answer that a gateway put into the body. */
  headers: Record<string, string> | undefined;
  retryDelay: string | undefined;
  /** The body has the form of an answer: choices, candidates, output. */
  isAnswer: boolean;
  hasContent: boolean;
  /** In a stream: content came, and no error had come before it. */
  deliveredBeforeError: boolean;
  hasErrorEvent: boolean;
  nodes: number;
  /** Texts that were opened as JSON, and how long they were together. */
  opened: number;
  openedChars: number;
  /** How many texts the current value is wrapped in. */
  within: number;
}

const MAX_DEPTH = 10;
const MAX_NODES = 600;
/** Gateways wrap an answer in text a few times, not a hundred times. */
const MAX_OPENED = 8;
/** Of all texts together no more is opened than is read of a body; a short one always is. */
const MAX_SHORT_CHARS = 2048;
const MAX_CODE_CHARS = 80;

/** What a field of that name may say. */
interface Roles {
  readonly code?: true;
  readonly namedCode?: true;
  readonly namedType?: true;
  readonly message?: true;
  readonly status?: true;
  readonly param?: true;
  readonly stop?: true;
  /** A prompt that was turned away, whatever reason is given. */
  readonly block?: true;
  readonly quota?: true;
  readonly quotaValue?: true;
  readonly delay?: true;
  readonly delaySeconds?: true;
  readonly delayMs?: true;
  /** The body has the form of an answer. */
  readonly answer?: true;
  /** What a model wrote. */
  readonly content?: true;
  /** What the caller sent, and what says nothing about the failure. */
  readonly passedOver?: true;
}

const NAMES: Readonly<Record<keyof Roles, string>> = {
  code: 'code type status reason error_type errortype error_code errorcode __type :exception-type exception-type error kind name',
  namedCode: 'code error_code errorcode',
  namedType: 'type error_type errortype status __type :exception-type',
  message:
    'message msg error_msg errormsg errmsg detail error error_message errormessage title description error_description raw body reason status_msg reasons raimediafilteredreasons',
  status: 'status code status_code statuscode http_status httpstatus upstreamstatus',
  param: 'param loc field parameter',
  stop: 'finish_reason finishreason stop_reason stopreason blockreason block_reason done_reason action',
  block: 'blockreason block_reason',
  quota: 'quotaid quota_id quotametric quota_metric quotalimit quota_limit quotaunit quota_unit',
  quotaValue: 'quotavalue quota_value quotalimitvalue quota_limit_value',
  delay: 'retrydelay retry_delay quotaresetdelay quota_reset_delay',
  delaySeconds: 'estimated_time retry_after retryafter retry_after_seconds resets_in_seconds',
  delayMs: 'retry_after_ms retryafterms',
  answer: 'choices candidates output content completion',
  content:
    'content text parts output_text delta reasoning_content refusal tool_calls partial_json thinking completion response',
  passedOver:
    'usage usagemetadata input messages arguments safetyratings safety_ratings content_filter_result content_filter_results logprobs links request model id object system_fingerprint instructions tools extendedhelp help_url previous_errors',
};

const rolesByName = madeOnce(() => {
  const roles = new Map<string, Roles>();
  for (const [role, names] of Object.entries(NAMES))
    for (const name of names.split(' ')) roles.set(name, { ...roles.get(name), [role]: true });
  return roles;
});
const NO_ROLES: Roles = {};

/** By the spelling as it came; servers use few, and the first use of each is looked up. */
const ROLES_BY_SPELLING = new Map<string, Roles>();
const MAX_REMEMBERED = 4096;

function rolesOf(name: string): Roles {
  const known = ROLES_BY_SPELLING.get(name);
  if (known !== undefined) return known;
  const roles = rolesByName().get(name.toLowerCase()) ?? NO_ROLES;
  if (ROLES_BY_SPELLING.size < MAX_REMEMBERED && name.length <= 40)
    ROLES_BY_SPELLING.set(name, roles);
  return roles;
}

export function dig(value: unknown, isStream: boolean, into: Findings = newFindings()): Findings {
  if (isStream && isArray(value)) {
    for (const event of value) digEvent(event, into);
  } else visit(value, undefined, 0, into);
  return into;
}

/** A body that is JSON in the midst of prose. */
export function digOpened(opened: Opened): Findings {
  const into = newFindings();
  visitOpened(opened, 0, into);
  return into;
}

function newFindings(): Findings {
  return {
    codes: new Set(),
    namedCode: undefined,
    namedType: undefined,
    statuses: [],
    wrapped: { codes: [], statuses: [] },
    params: [],
    stops: new Set(),
    quotas: [],
    messages: [],
    headers: undefined,
    retryDelay: undefined,
    isAnswer: false,
    hasContent: false,
    deliveredBeforeError: false,
    hasErrorEvent: false,
    nodes: 0,
    opened: 0,
    openedChars: 0,
    within: 0,
  };
}

function digEvent(event: unknown, into: Findings): void {
  const isError = isErrorEvent(event);
  if (isError) into.hasErrorEvent = true;
  visit(isError ? event : withoutType(event), undefined, 0, into);
  if (into.hasContent && !into.hasErrorEvent) into.deliveredBeforeError = true;
}

function isErrorEvent(event: unknown): boolean {
  if (!isPlainObject(event)) return false;
  const type = event['type'];
  const saysSo = typeof type === 'string' && /(?:^|[._])(?:error|failed|exception)$/.test(type);
  return saysSo || (event['error'] !== undefined && event['error'] !== null);
}

/** The type of an event that is no error names the event, not a failure. */
function withoutType(event: unknown): unknown {
  if (!isPlainObject(event)) return event;
  const { type: _type, ...rest } = event;
  return rest;
}

function visit(value: unknown, roles: Roles | undefined, depth: number, into: Findings): void {
  if (into.nodes++ > MAX_NODES || depth > MAX_DEPTH) return;
  if (typeof value === 'string') text(value, roles, depth, into);
  else if (typeof value === 'number') number(value, roles, into);
  else if (isArray(value)) for (const item of value) visit(item, roles, depth + 1, into);
  else if (isPlainObject(value)) object(value, depth, into);
}

function object(value: Record<string, unknown>, depth: number, into: Findings): void {
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (item === null || item === undefined) continue;
    const roles = rolesOf(name);
    if (roles.passedOver === true) continue;
    if (roles.answer === true) into.isAnswer = true;
    if (name === 'headers' && isPlainObject(item)) keepHeaders(item, into);
    // OpenAI refuses in a field of its own and calls the stop a normal one
    if (name === 'refusal' && typeof item === 'string' && item !== '') into.stops.add('refusal');
    if (roles.content === true && isModelContent(name, item)) {
      if (hasText(item, 0)) into.hasContent = true;
    } else if (roles.param === true && isArray(item)) into.params.push(item.map(String).join('.'));
    else if (roles.delay === true && isPlainObject(item)) into.retryDelay ??= delayIn(item);
    else visit(item, roles, depth + 1, into);
  }
}

/** A protobuf duration that was not written as one: `{seconds, nanos}`. */
function delayIn({ seconds = 0, nanos = 0 }: Record<string, unknown>): string {
  return `${Number(seconds) + Number(nanos) / 1e9}s`;
}

function keepHeaders(headers: Record<string, unknown>, into: Findings): void {
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && value.length <= 200)
      (into.headers ??= {})[name.toLowerCase()] = value;
}

/** `response` and `delta` also wrap whole events, which have more to say than content. */
function isModelContent(name: string, item: unknown): boolean {
  // Tencent wraps its errors in a `Response`
  if (name.toLowerCase() === 'response') return typeof item === 'string';
  if (name === 'delta' && isPlainObject(item)) return !Object.hasOwn(item, 'stop_reason');
  return true;
}

function hasText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (depth > 4) return false;
  if (isArray(value)) return value.some((item) => hasText(item, depth + 1));
  if (!isPlainObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => key !== 'role' && key !== 'type' && hasText(item, depth + 1),
  );
}

function text(value: string, roles: Roles | undefined, depth: number, into: Findings): void {
  if (roles === undefined) return sentence(value, depth, into);
  if (roles === NO_ROLES) return;
  if (roles.param === true) into.params.push(value);
  if (roles.quota === true) into.quotas.push(value);
  if (roles.quotaValue === true && value === '0') into.quotas.push('limit:0');
  if (roles.delay === true) into.retryDelay ??= value;
  if (roles.stop === true) into.stops.add(normaliseCode(value));
  if (roles.block === true) into.stops.add('blocked');
  const isWord = isCode(value);
  if (roles.status === true && /^\d{3}$/.test(value)) addStatus(Number(value), into);
  else if (roles.code === true && isWord) {
    addCode(value, into);
    if (roles.namedCode === true) into.namedCode ??= value;
    if (roles.namedType === true) into.namedType ??= value;
  }
  // a code is no sentence, except where only a message could stand
  if (roles.message === true && (!isWord || roles.code !== true)) sentence(value, depth, into);
}

function number(value: number, roles: Roles | undefined, into: Findings): void {
  if (roles?.status === true && value >= 100 && value < 600) addStatus(value, into);
  if (roles?.delaySeconds === true) into.retryDelay ??= `${value}s`;
  if (roles?.delayMs === true) into.retryDelay ??= `${value}ms`;
}

function sentence(value: string, depth: number, into: Findings): void {
  if (value.trim() === '' || into.messages.includes(value)) return;
  const opened = mayOpen(value, into) ? openText(value) : undefined;
  if (opened === undefined || !opened.values.every(isPlainObject)) prose(value, into);
  else visitOpened(opened, depth, into);
}

function mayOpen(value: string, into: Findings): boolean {
  if (!value.includes('{') || into.opened >= MAX_OPENED) return false;
  if (value.length > MAX_SHORT_CHARS && into.openedChars + value.length > MAX_BODY_CHARS)
    return false;
  into.opened++;
  into.openedChars += value.length;
  return true;
}

function visitOpened({ values, prose: around }: Opened, depth: number, into: Findings): void {
  if (around !== '') prose(around, into);
  for (const value of values) {
    const levels = isAnswerOfError(value) ? 1 : 0;
    into.within += levels;
    visit(value, undefined, depth + 1, into);
    into.within -= levels;
  }
}

/** A sentence may also quote what was sent; only an answer speaks for the one who gave it. */
function isAnswerOfError(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).some((name) => SAYS_WHY.test(name));
}

const SAYS_WHY =
  /^(?:errors?|message|msg|detail|__type|(?:error_?|err_?|status_)(?:msg|message|code))$/i;

const MAX_NAMED = 4;
/** Python's own words for a fault in the server itself, which refuses nothing. */
const PYTHON_FAULTS = new Set(['ValidationError', 'PermissionError']);

/** Text that names an exception, as `(ThrottlingException)` or `litellm.RateLimitError:`, has a code. */
function prose(value: string, into: Findings): void {
  into.messages.push(value);
  if (value.includes(' {')) for (const field of protobufFields(value)) dumped(field, into);
  if (!value.includes('Exception') && !value.includes('Error')) return;
  const names =
    value.slice(0, 2048).match(/\b[A-Z][A-Za-z]{2,40}(?:Exception|Error)\b(?!\.[A-Z])/g) ?? [];
  for (const name of names.slice(0, MAX_NAMED)) {
    const levels = PYTHON_FAULTS.has(name) ? 0 : 1;
    into.within += levels;
    addCode(name, into);
    into.within -= levels;
  }
}

/** A field of a printed message counts where only structure has such a name, not for its prose. */
function dumped([name, value]: readonly [string, string], into: Findings): void {
  const { quota, quotaValue, delay, code } = rolesOf(name);
  if (quota === true) into.quotas.push(value);
  if (quotaValue === true && value === '0') into.quotas.push('limit:0');
  if (delay === true) into.retryDelay ??= value;
  if (code === true && /^[A-Z][A-Z0-9_]{3,79}$/.test(value)) addCode(value, into);
}

/** One word, whatever joins its parts; a sentence is not a code. */
function isCode(value: string): boolean {
  return value.length <= MAX_CODE_CHARS && /^[\w.:*#-]+$/.test(value);
}

/** Words that say only that there is an error. */
const WORDLESS = new Set([
  '',
  'error',
  'none',
  'null',
  'undefined',
  'unknown',
  'failed',
  'failure',
]);

export function addCode(value: string, into: Findings): void {
  const code = normaliseCode(value);
  if (WORDLESS.has(code)) return;
  into.codes.add(code);
  if (into.within > 0) into.wrapped.codes.push(code);
}

function addStatus(status: number, into: Findings): void {
  into.statuses.push(status);
  if (into.within > 0) into.wrapped.statuses.push(status);
}

/** Codes are few and come again and again; what is not a known code yet is spelled out. */
const SPELLED = new Map<string, string>();

/** `ThrottlingException`, `THROTTLING` and `throttling_error` are one code: `throttling`. */
export function normaliseCode(value: string): string {
  const known = SPELLED.get(value);
  if (known !== undefined) return known;
  const snake = value
    .slice(0, MAX_CODE_CHARS)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const code = snake.replace(/(?:_(?:exception|error|err)){1,2}$/, '');
  if (SPELLED.size < MAX_REMEMBERED) SPELLED.set(value, code);
  return code;
}
