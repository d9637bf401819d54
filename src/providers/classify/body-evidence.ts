/**
 * Collects evidence from a body of any shape: what servers say about a call, under the names they use.
 * Strings that hold JSON are parsed; what a model wrote is skipped.
 */
import { isArray, isPlainObject } from '../../errors/support/safe-json.ts';
import { MAX_BODY_CHARS } from '../json-text.ts';
import { NO_ROLES, rolesOf, type Roles } from './field-roles.ts';
import { isErrorEvent, isStoredResponse, openText, type Opened } from './embedded-json.ts';
import { readMessage } from './messages/read-message.ts';
import { isCode, normaliseCode, WORDLESS } from './spelled-code.ts';
import { withoutPage } from './web-page.ts';

export interface BodyEvidence {
  readonly codes: Set<string>;
  /** The first code and type as the server spells them. */
  namedCode: string | undefined;
  namedType: string | undefined;
  readonly statuses: number[];
  /** Evidence from the innermost response inside the text of another one: the upstream's own. */
  readonly wrapped: { depth: number; readonly codes: string[]; readonly statuses: number[] };
  readonly params: string[];
  readonly stops: Set<string>;
  readonly quotas: string[];
  readonly messages: string[];
  /** For each message, how many responses it is wrapped in. */
  readonly levels: number[];
  /** Headers of an upstream response that a gateway put into the body. */
  headers: Record<string, string> | undefined;
  retryDelay: string | undefined;
  /** The moment at which a limit resets, as the server wrote it. */
  retryAt: string | undefined;
  /** The body has the form of a reply: choices, candidates, output. */
  isReply: boolean;
  hasContent: boolean;
  /** In a stream: content came, and no error had come before it. */
  deliveredBeforeError: boolean;
  hasErrorEvent: boolean;
  nodes: number;
  /** Texts that were parsed as JSON, and their length together. */
  opened: number;
  openedChars: number;
  /** How many texts the current value is wrapped in. */
  within: number;
}

/** Four responses within one another, each in the message of the one around it. */
const MAX_DEPTH = 16;
const MAX_NODES = 600;
/** Gateways wrap a response in text a few times, not a hundred times. */
const MAX_OPENED = 8;
/** All texts together are parsed no further than a body is read; a short one always is. */
const MAX_SHORT_CHARS = 2048;

export function collect(
  value: unknown,
  isStream: boolean,
  into: BodyEvidence = newBodyEvidence(),
): BodyEvidence {
  if (isStream && isArray(value)) {
    // one line of prose instead of events: the server says why there are none
    if (value.length === 1 && typeof value[0] === 'string') into.hasErrorEvent = true;
    for (const event of value) collectFromEvent(event, into);
  } else visit(value, undefined, 0, into);
  if (into.messages.length === 0 && !into.isReply) unnamed(value, 0, into);
  return into;
}

/** Where no field has the name of a message, a sentence is one whatever its field is called. */
function unnamed(value: unknown, depth: number, into: BodyEvidence): void {
  if (depth > MAX_UNNAMED_DEPTH) return;
  if (isArray(value)) for (const item of value) unnamedItem(item, depth, into);
  else if (isPlainObject(value))
    for (const name of Object.keys(value))
      if (rolesOf(name).passedOver !== true) unnamedItem(value[name], depth, into);
}

function unnamedItem(item: unknown, depth: number, into: BodyEvidence): void {
  if (typeof item !== 'string') unnamed(item, depth + 1, into);
  else if (UNNAMED.test(item)) sentence(item, depth, into);
}

const MAX_UNNAMED_DEPTH = 3;
const UNNAMED = /^\S+(?:\s+\S+){2}/;

/** An error without a word says what it is by the names of its fields: `{unsupported_parameters: […]}`. */
function addNames(error: Record<string, unknown>, into: BodyEvidence): void {
  const names = Object.keys(error);
  if (names.every((name) => rolesOf(name) === NO_ROLES))
    for (const name of names.slice(0, 8)) addCode(name, into);
}

/** A body with JSON in the middle of prose. */
export function collectFromParsed(opened: Opened): BodyEvidence {
  const into = newBodyEvidence();
  visitOpened(opened, 0, into);
  return into;
}

function newBodyEvidence(): BodyEvidence {
  return {
    codes: new Set(),
    namedCode: undefined,
    namedType: undefined,
    statuses: [],
    wrapped: { depth: 0, codes: [], statuses: [] },
    params: [],
    stops: new Set(),
    quotas: [],
    messages: [],
    levels: [],
    headers: undefined,
    retryDelay: undefined,
    retryAt: undefined,
    isReply: false,
    hasContent: false,
    deliveredBeforeError: false,
    hasErrorEvent: false,
    nodes: 0,
    opened: 0,
    openedChars: 0,
    within: 0,
  };
}

function collectFromEvent(event: unknown, into: BodyEvidence): void {
  const isError = isErrorEvent(event);
  if (isError) into.hasErrorEvent = true;
  visit(isError ? event : withoutType(event), undefined, 0, into);
  if (into.hasContent && !into.hasErrorEvent) into.deliveredBeforeError = true;
}

/** The type of an event that is no error names the event, not a failure. */
function withoutType(event: unknown): unknown {
  if (!isPlainObject(event)) return event;
  const { type: _type, ...rest } = event;
  return rest;
}

function visit(value: unknown, roles: Roles | undefined, depth: number, into: BodyEvidence): void {
  if (into.nodes++ > MAX_NODES || depth > MAX_DEPTH) return;
  if (typeof value === 'string') text(value, roles, depth, into);
  else if (typeof value === 'number') number(value, roles, into);
  else if (isArray(value)) for (const item of value) visit(item, roles, depth + 1, into);
  else if (isPlainObject(value)) object(value, depth, into);
}

function object(value: Record<string, unknown>, depth: number, into: BodyEvidence): void {
  const levels = isStoredResponse(value) ? 1 : 0;
  into.within += levels;
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (item === null || item === undefined) continue;
    const roles = rolesOf(name);
    if (item === true) {
      if (name === 'flagged') into.stops.add('content_filter');
      continue;
    }
    if (roles.passedOver === true) continue;
    if (roles.answer === true) into.isReply = true;
    if (isPlainObject(item) && /^error$/i.test(name)) addNames(item, into);
    if (roles.special === true) special(name, value, depth, into);
    if (roles.header === true)
      keepHeaders({ [name]: typeof item === 'number' ? `${item}` : item }, into);
    if (roles.content === true && isModelContent(name, item)) {
      if (hasText(item, 0)) into.hasContent = true;
    } else if (roles.param === true && isArray(item)) into.params.push(item.map(String).join('.'));
    else if (roles.delay === true && isPlainObject(item)) into.retryDelay ??= delayIn(item);
    else visit(item, roles, depth + 1, into);
  }
  into.within -= levels;
}

function special(
  spelled: string,
  parent: Record<string, unknown>,
  depth: number,
  into: BodyEvidence,
): void {
  const item = parent[spelled];
  const name = spelled.toLowerCase();
  // a command-line agent puts its error where its reply would be
  if (name === 'result' && parent['is_error'] === true && typeof item === 'string')
    sentence(item, depth, into);
  if (name === 'headers' && isPlainObject(item)) keepHeaders(item, into);
  if (name === 'status' && isFailedJob(parent)) into.stops.add('job_failed');
  // OpenAI refuses in a separate field and reports a normal stop
  if (name === 'refusal' && typeof item === 'string' && item !== '') into.stops.add('refusal');
  if (name === 'content' && isArray(item) && item.some(isRefusalItem)) into.stops.add('refusal');
}

/** A job that ended with an error: `status` is no code there. */
function isFailedJob({ status, error }: Record<string, unknown>): boolean {
  return Boolean(error) && typeof status === 'string' && /^(?:failed|error)$/i.test(status);
}

/** The Responses API refuses in an item of the content. */
function isRefusalItem(item: unknown): boolean {
  return isPlainObject(item) && item['type'] === 'refusal';
}

/** A protobuf duration that was not written as one: `{seconds, nanos}`. */
function delayIn(duration: Record<string, unknown>): string {
  const { seconds = duration['Seconds'] ?? 0, nanos = duration['Nanos'] ?? 0 } = duration;
  return `${Number(seconds) + Number(nanos) / 1e9}s`;
}

function keepHeaders(headers: Record<string, unknown>, into: BodyEvidence): void {
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

function text(value: string, roles: Roles | undefined, depth: number, into: BodyEvidence): void {
  if (roles === undefined) return sentence(value, depth, into);
  if (roles === NO_ROLES) return;
  if (roles.param === true && !NO_VALUE.test(value)) param(value, depth, into);
  if (roles.quota === true) into.quotas.push(value);
  if (roles.quotaValue === true && value === '0') into.quotas.push('limit:0');
  if (roles.delay === true) into.retryDelay ??= value;
  if (roles.delaySeconds === true) into.retryDelay ??= withUnit(value, 's');
  if (roles.delayMs === true) into.retryDelay ??= withUnit(value, 'ms');
  if (roles.moment === true) into.retryAt ??= value;
  if (roles.stop === true) into.stops.add(normaliseCode(value));
  if (roles.block === true) into.stops.add('blocked');
  const isWord = isCode(value);
  if (roles.status === true && /^\d{3}$/.test(value)) addStatus(Number(value), into);
  else if (roles.status === true && value.includes(' ')) sentence(value, depth, into);
  else if (roles.code === true && isWord) {
    addCode(value, into);
    if (roles.namedCode === true) into.namedCode ??= value;
    if (roles.namedType === true) into.namedType ??= value;
  }
  // a code is not a sentence, except in a field that only holds messages
  if (roles.message === true && (!isWord || roles.code !== true)) sentence(value, depth, into);
}

/** Where a server puts a sentence, it begins with the field: `messages[2] has no content`. */
function param(value: string, depth: number, into: BodyEvidence): void {
  const end = value.indexOf(' ');
  into.params.push(end > 0 ? value.slice(0, end) : value);
  if (end > 0) sentence(value, depth, into);
}

/** Nothing, as other languages print it into a string. */
const NO_VALUE = /^(?:none|null|nil|undefined)?$/i;

function withUnit(value: string, unit: string): string {
  return /^\d{1,12}(?:\.\d{1,9})?$/.test(value) ? `${value}${unit}` : value;
}

function number(value: number, roles: Roles | undefined, into: BodyEvidence): void {
  if (roles?.status === true && value >= 100 && value < 600) addStatus(value, into);
  // vendors that number their failures, also in a field that is named after a status
  else if (roles?.namedCode === true || roles?.status === true) addCode(String(value), into);
  if (roles?.moment === true) into.retryAt ??= String(value);
  if (roles?.delaySeconds === true) into.retryDelay ??= `${value}s`;
  if (roles?.delayMs === true) into.retryDelay ??= `${value}ms`;
}

function sentence(value: string, depth: number, into: BodyEvidence): void {
  if (value.trim() === '' || into.messages.includes(value)) return;
  const opened = mayOpen(value, into) ? openText(value) : undefined;
  if (opened === undefined || !opened.values.every(isPlainObject)) prose(withoutPage(value), into);
  else visitOpened(opened, depth, into);
}

function mayOpen(value: string, into: BodyEvidence): boolean {
  if (!value.includes('{') || into.opened >= MAX_OPENED) return false;
  if (value.length > MAX_SHORT_CHARS && into.openedChars + value.length > MAX_BODY_CHARS)
    return false;
  into.opened++;
  into.openedChars += value.length;
  return true;
}

function visitOpened({ values, prose: around }: Opened, depth: number, into: BodyEvidence): void {
  if (around !== '') prose(around, into);
  for (const value of values) {
    const levels = isAnswerOfError(value) ? 1 : 0;
    into.within += levels;
    const { length } = into.messages;
    visit(value, undefined, depth + 1, into);
    if (into.messages.length === length && !into.isReply) unnamed(value, 0, into);
    into.within -= levels;
  }
}

/** A sentence may quote the request; only a response speaks for its server. */
function isAnswerOfError(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { status } = value;
  const names = isPlainObject(status) ? Object.keys(status) : [];
  return [...Object.keys(value), ...names].some((name) => SAYS_WHY.test(name));
}

const SAYS_WHY =
  /^(?:errors?|message|msg|detail|__type|(?:error_?|err_?|status_)(?:msg|message|code))$/i;

/** Python's exceptions for a fault in the server itself, which are no refusals. */
const PYTHON_FAULTS = new Set(['ValidationError', 'PermissionError']);

function prose(message: string, into: BodyEvidence): void {
  const { words, quotas, codes, fields, exceptions, isOfWrapper } = readMessage(message);
  into.messages.push(words);
  into.levels.push(into.within);
  into.quotas.push(...quotas);
  for (const code of codes) addCode(code, into);
  for (const field of fields) dumped(field, into);
  for (const name of exceptions) {
    const levels = PYTHON_FAULTS.has(name) ? 0 : 1;
    into.within += levels;
    // LiteLLM's class for any 503; what it wraps says why
    if (isOfWrapper && name === 'ServiceUnavailableError') addStatus(503, into);
    else addCode(name, into);
    into.within -= levels;
  }
}

/** Counts a field of a printed message where only structured data has such a name, not for its prose. */
function dumped([name, value]: readonly [string, string], into: BodyEvidence): void {
  const { quota, quotaValue, delay, code } = rolesOf(name);
  if (quota === true) into.quotas.push(value);
  if (quotaValue === true && value === '0') into.quotas.push('limit:0');
  if (delay === true) into.retryDelay ??= value;
  if (code === true && /^[A-Z][A-Z0-9_]{3,79}$/.test(value)) addCode(value, into);
}

export function addCode(value: string, into: BodyEvidence): void {
  const code = normaliseCode(value);
  if (WORDLESS.has(code)) return;
  into.codes.add(code);
  if (isInnermost(into)) into.wrapped.codes.push(code);
}

function addStatus(status: number, into: BodyEvidence): void {
  into.statuses.push(status);
  if (isInnermost(into)) into.wrapped.statuses.push(status);
}

/** The innermost of wrapped responses counts; its wrappers are forgotten. */
function isInnermost({ within, wrapped }: BodyEvidence): boolean {
  if (within > wrapped.depth) {
    wrapped.depth = within;
    wrapped.codes.length = 0;
    wrapped.statuses.length = 0;
  }
  return within > 0 && within === wrapped.depth;
}
