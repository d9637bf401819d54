/**
 * Facts from the raw events of a stream that the SDK drops: every finish reason (the SDK keeps the
 * last), whether the reply ended or another choice did, an error or a refusal inside it, a second
 * start, and the original ids of calls. For OpenAI's Responses also the status of the whole and of
 * its items, and each finished item, which counts if a piece of it was lost.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { isBadFinishReason } from '../finish-reasons.ts';
import { DONE, newBounds, noteBounds, type ReplyBounds } from '../reply-bounds.ts';
import { newSeenCalls, noteSeenCall, type SeenCalls } from './distinct-calls.ts';
import { noteGeminiCall } from './gemini-calls.ts';
import { errorIn, isFilled } from './wire-errors.ts';

/** Pieces in order of arrival, by the index of their item. */
type Pieces = Map<number, string[]>;

/** Collected while a stream is read. */
export interface WireRecord extends ReplyBounds {
  /** The provider's own status at the end. */
  finishReason?: string;
  /** All finish reasons, in order. */
  readonly finishReasons: Set<string>;
  /** An error beside a good status. */
  error?: unknown;
  /** Texts of finished messages, by index. */
  readonly texts: Map<number, string>;
  /** The index of each message, by its id if it has one. */
  readonly messages: Map<string | number, number>;
  /** Texts of finished parts of messages, by both indexes. */
  readonly parts: Map<number, Map<unknown, string>>;
  /** The same texts in pieces. */
  readonly pieces: Pieces;
  /** Arguments of finished calls, by index. */
  readonly calls: Map<number, string>;
  readonly callPieces: Pieces;
  /** Name and arguments of finished calls, by id: the end lists them again. */
  readonly finishedCalls: Map<unknown, string>;
  /** Tool calls that began, or that the end lists, and never arrived in full. */
  readonly openCalls: Set<unknown>;
  /** Ids of finished calls. */
  readonly doneCalls: Set<unknown>;
  /** For protocols with choices: state of the requested one. */
  choice?: 'begun' | 'ended';
  /** More than one reply: another choice, a second start, a piece after the end, a call twice. */
  isMixed: boolean;
  /** A part of the reply is in a place that the SDK does not read. */
  isUnread: boolean;
  readonly seenCalls: SeenCalls;
}

export function newWireRecord(): WireRecord {
  return {
    finishReasons: new Set(),
    texts: new Map(),
    messages: new Map(),
    parts: new Map(),
    pieces: new Map(),
    calls: new Map(),
    callPieces: new Map(),
    finishedCalls: new Map(),
    openCalls: new Set(),
    doneCalls: new Set(),
    ...newBounds(),
    isUnread: false,
    seenCalls: newSeenCalls(),
  };
}

const ENDS = /^response\.(completed|incomplete|failed)$/;

const REFUSES = /^response\.refusal\./;

const PART = /^response\.content_part\.(added|done)$/;

export function noteWire(wire: WireRecord, event: unknown): void {
  wire.error ??= errorIn(event);
  noteBounds(wire, event);
  noteFinishReasons(wire, event);
  noteBlocks(wire, event);
  const type = readProperty(event, 'type');
  if (typeof type !== 'string') return;
  if (type === 'response.output_text.delta') notePiece(wire.pieces, event);
  if (type === 'response.function_call_arguments.delta') notePiece(wire.callPieces, event);
  if (type === 'response.output_text.done') noteText(wire, event);
  const part = PART.test(type) ? readProperty(event, 'part') : undefined;
  if (REFUSES.test(type) || readProperty(part, 'type') === 'refusal')
    wire.finishReasons.add('refusal');
  const item = readProperty(event, 'item');
  const index = readProperty(event, 'output_index');
  if (isMessage(item) && typeof index === 'number') wire.messages.set(idOf(item) ?? index, index);
  if (type === 'response.function_call_arguments.done') {
    const written = readProperty(event, 'arguments');
    if (typeof index === 'number' && typeof written === 'string') wire.calls.set(index, written);
  }
  if (type === 'response.output_item.added' && isFunctionCall(item)) wire.openCalls.add(index);
  if (type === 'response.output_item.done') {
    wire.openCalls.delete(index);
    wire.doneCalls.add(readProperty(item, 'call_id'));
    noteItem(wire, item, index);
    noteArguments(wire, item, index);
    return;
  }
  const end = ENDS.exec(type)?.[1];
  if (end === undefined) return;
  const response = readProperty(event, 'response');
  noteEnd(wire, end, response);
  const items = readProperty(response, 'output');
  if (!isArray(items)) return;
  const indexes = listedIndexes(wire, items);
  for (const [at, one] of items.entries()) {
    noteItem(wire, one, indexes[at]);
    noteListedCall(wire, one);
    noteListedStatus(wire, one);
    const id = readProperty(one, 'call_id');
    // the SDK makes a call only of a finished item
    if (isFunctionCall(one) && !wire.doneCalls.has(id)) wire.openCalls.add(id);
  }
}

/** At the end the status of a message is final, and only a known status counts as good. */
function noteListedStatus(wire: WireRecord, item: unknown): void {
  const status = readProperty(item, 'status');
  if (!isMessage(item) || typeof status !== 'string' || status === 'completed') return;
  wire.finishReason = status;
}

/** The status of the whole, or its reason; a good status does not replace an earlier bad one. */
function noteEnd(wire: WireRecord, end: string, response: unknown): void {
  const status = readProperty(response, 'status');
  const own = end === 'completed' && typeof status === 'string' ? status : end;
  if (own === 'completed') {
    // an incomplete item makes the whole incomplete
    wire.finishReason ??= own;
    return;
  }
  const reason = readProperty(readProperty(response, 'incomplete_details'), 'reason');
  wire.finishReason = typeof reason === 'string' && reason !== '' ? reason : own;
  wire.finishReasons.add(wire.finishReason);
}

function isFunctionCall(item: unknown): boolean {
  return readProperty(item, 'type') === 'function_call';
}

/** A block of Anthropic's or Bedrock's message; its end completes a call. */
function noteBlocks(wire: WireRecord, event: unknown): void {
  const { openCalls } = wire;
  const type = readProperty(event, 'type');
  const index = readProperty(event, 'index');
  if (type === 'content_block_start') {
    const block = readProperty(event, 'content_block');
    if (readProperty(block, 'type') === 'tool_use') openCalls.add(index);
    // the SDK reads the text of a block only from its deltas
    wire.isUnread ||=
      readProperty(block, 'type') === 'text' && isFilled(readProperty(block, 'text'));
  }
  if (type === 'content_block_stop') openCalls.delete(index);
  const started = readProperty(event, 'contentBlockStart');
  if (isPlainObject(readProperty(readProperty(started, 'start'), 'toolUse')))
    openCalls.add(readProperty(started, 'contentBlockIndex'));
  const piece = readProperty(event, 'contentBlockDelta');
  const isOfCall = isPlainObject(readProperty(readProperty(piece, 'delta'), 'toolUse'));
  // the SDK drops a piece of a call that has not begun
  wire.isUnread ||= isOfCall && !openCalls.has(readProperty(piece, 'contentBlockIndex'));
  const stopped = readProperty(event, 'contentBlockStop');
  if (stopped !== undefined) openCalls.delete(readProperty(stopped, 'contentBlockIndex'));
}

/** Reads OpenAI's chat chunk, Anthropic's message delta, Bedrock's stop, or Gemini's candidate. */
function noteFinishReasons(wire: WireRecord, event: unknown): void {
  const delta = readProperty(event, 'delta');
  noteFinishReason(wire, readProperty(delta, 'stop_reason'));
  noteFinishReason(wire, readProperty(readProperty(event, 'message'), 'stop_reason'));
  // means that the model refused, despite any other reason beside it
  if (readProperty(readProperty(delta, 'stop_details'), 'type') === 'refusal')
    wire.finishReasons.add('refusal');
  noteFinishReason(wire, readProperty(readProperty(event, 'messageStop'), 'stopReason'));
  const choices = readProperty(event, 'choices');
  if (isArray(choices)) for (const [at, one] of choices.entries()) noteChoice(wire, one, at);
  const candidates = readProperty(event, 'candidates');
  if (isArray(candidates))
    for (const [at, one] of candidates.entries()) noteCandidate(wire, one, at);
}

/** Errand requests one choice, with index 0 or none; the SDK reads whichever comes first. */
function noteChoice(wire: WireRecord, choice: unknown, at: number): void {
  const index = readProperty(choice, 'index');
  const isOther = typeof index === 'number' && index !== 0;
  const isEnd = noteFinishReason(wire, readProperty(choice, 'finish_reason'));
  const delta = readProperty(choice, 'delta');
  // the reason of the host behind a router; the good ones are not all known
  const native = readProperty(choice, 'native_finish_reason');
  if (typeof native === 'string' && isBadFinishReason(native)) wire.finishReasons.add(native);
  if (isFilled(readProperty(delta, 'refusal'))) wire.finishReasons.add('refusal');
  const calls = readProperty(delta, 'tool_calls');
  const hasCalls = isArray(calls) && calls.length > 0;
  const hasContent = hasCalls || isFilled(readProperty(delta, 'content'));
  if (isOther) {
    wire.isMixed ||= at === 0 && hasContent;
    wire.choice ??= 'begun';
    return;
  }
  noteProgress(wire, { isEnd, hasContent });
  if (isArray(calls)) for (const call of calls) noteSeenCall(wire.seenCalls, call);
  // the form before `tool_calls`, which the SDK does not read
  if (isPlainObject(readProperty(delta, 'function_call'))) wire.openCalls.add('function_call');
}

/** Errand requests one candidate, with index 0 or none; the SDK reads whichever comes first. */
function noteCandidate(wire: WireRecord, candidate: unknown, at: number): void {
  const index = readProperty(candidate, 'index');
  const isEnd = noteFinishReason(wire, readProperty(candidate, 'finishReason'));
  const parts = readProperty(readProperty(candidate, 'content'), 'parts');
  const isOther = typeof index === 'number' && index !== 0;
  if (isOther) wire.isMixed ||= at === 0 && isArray(parts) && parts.length > 0;
  const hasContent = isArray(parts) && parts.some(isContentPart);
  if (isOther) wire.choice ??= 'begun';
  else noteProgress(wire, { isEnd, hasContent });
  if (!isArray(parts)) return;
  for (const part of parts) if (!noteGeminiCall(wire.openCalls, part)) wire.isUnread = true;
}

/** Content after the end needs an end of its own. */
function noteProgress(
  wire: WireRecord,
  { isEnd, hasContent }: { readonly isEnd: boolean; readonly hasContent: boolean },
): void {
  wire.isMixed ||= wire.isOver && hasContent;
  if (isEnd) wire.choice = 'ended';
  else if (hasContent || wire.choice === undefined) wire.choice = 'begun';
}

/** A signature may follow with an empty text. */
function isContentPart(part: unknown): boolean {
  return isFilled(readProperty(part, 'text')) || isPlainObject(readProperty(part, 'functionCall'));
}

/** Some hosts send the text `null` until the reply ends. */
function noteFinishReason(wire: WireRecord, finishReason: unknown): boolean {
  const isReason =
    typeof finishReason === 'string' && finishReason !== '' && finishReason !== 'null';
  if (isReason) wire.finishReasons.add(finishReason);
  return isReason;
}

function notePiece(pieces: Pieces, event: unknown): void {
  const piece = readProperty(event, 'delta');
  const index = readProperty(event, 'output_index');
  if (typeof piece !== 'string' || typeof index !== 'number') return;
  const before = pieces.get(index);
  if (before === undefined) pieces.set(index, [piece]);
  else before.push(piece);
}

function noteArguments(wire: WireRecord, item: unknown, index: unknown): void {
  const written = readProperty(item, 'arguments');
  if (!isFunctionCall(item) || typeof written !== 'string') return;
  wire.finishedCalls.set(readProperty(item, 'call_id'), callWords(item, written));
  if (typeof index !== 'number') return;
  const before = wire.calls.get(index);
  wire.isMixed ||= before !== undefined && asValue(before) !== asValue(written);
  wire.calls.set(index, written);
}

/** The end repeats every call. */
function noteListedCall(wire: WireRecord, item: unknown): void {
  const written = readProperty(item, 'arguments');
  const made = wire.finishedCalls.get(readProperty(item, 'call_id'));
  if (made === undefined || !isFunctionCall(item) || typeof written !== 'string') return;
  wire.isMixed ||= made !== callWords(item, written);
}

function callWords(item: unknown, written: string): string {
  return JSON.stringify([readProperty(item, 'name'), asValue(written)]);
}

/** The JSON without blanks between tokens, in which two versions of one value may differ. */
function asValue(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    // not JSON: compared as text
    return json;
  }
}

/** Counts if no finished item follows. */
function noteText(wire: WireRecord, event: unknown): void {
  const index = readProperty(event, 'output_index');
  const text = readProperty(event, 'text');
  if (typeof index !== 'number' || typeof text !== 'string') return;
  const parts = wire.parts.get(index) ?? new Map<unknown, string>();
  wire.parts.set(index, parts.set(readProperty(event, 'content_index'), text));
  wire.texts.set(index, [...parts.values()].join(''));
}

/**
 * The indexes at which the items of the list at the end were sent. Some hosts omit items from the
 * list, or change their ids, and a message that counts twice would be a reply with its text twice.
 */
function listedIndexes({ messages }: WireRecord, items: readonly unknown[]): readonly number[] {
  const sent = [...messages.values()].toSorted((one, other) => one - other);
  const listed = items.filter(isMessage);
  return items.map((item, at) => {
    if (!isMessage(item)) return at;
    const isWhole = listed.length <= sent.length;
    const known = messages.get(idOf(item) ?? '');
    return known ?? (isWhole ? sent[listed.indexOf(item)] : undefined) ?? at;
  });
}

function isMessage(item: unknown): boolean {
  return readProperty(item, 'type') === 'message';
}

function idOf(item: unknown): string | undefined {
  const id = readProperty(item, 'id');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function noteItem(wire: WireRecord, item: unknown, index: unknown): void {
  const status = readProperty(item, 'status');
  if (status === 'incomplete') wire.finishReason = 'incomplete';
  const content = readProperty(item, 'content');
  // a provider's own search may fail while the reply is good
  if (readProperty(item, 'type') !== 'message') return;
  if (status === 'failed' || status === 'cancelled') wire.finishReasons.add(status);
  if (!isArray(content)) return;
  if (content.some((part) => readProperty(part, 'type') === 'refusal'))
    wire.finishReasons.add('refusal');
  const texts = content.map((part) => readProperty(part, 'text'));
  const text = texts.filter((one) => typeof one === 'string').join('');
  if (typeof index === 'number') wire.texts.set(index, text);
}

/** Whether an event has pieces of a reply, all empty. A ping has none, but is a sign of life. */
export function isEmptyEvent(event: unknown): boolean {
  if (event === DONE) return true;
  const choices = readProperty(event, 'choices');
  if (!isArray(choices)) return isEmptyPiece(event);
  return choices.length > 0 && choices.every(isEmptyPiece);
}

function isEmptyPiece(piece: unknown): boolean {
  const isEnd = (readProperty(piece, 'finish_reason') ?? null) !== null;
  return !isEnd && isEmptyDelta(readProperty(piece, 'delta'));
}

function isEmptyDelta(delta: unknown): boolean {
  if (delta === '') return true;
  if (!isPlainObject(delta)) return false;
  const isNothing = ([key, value]: [string, unknown]): boolean =>
    value === '' || value === null || key === 'type' || key === 'role';
  return Object.entries(delta).every(isNothing);
}

/** The text from its pieces, unless the finished item has more of it. */
export function wholeText({ texts }: WireRecord, received: string): string {
  const done = [...texts].toSorted(([one], [other]) => one - other).map(([, text]) => text);
  const whole = done.join('');
  return whole.length > received.length ? whole : received;
}

/** Whether the stream was one complete reply: it ended, and nothing contradicts that. */
export function isOneReply(wire: WireRecord): boolean {
  const isComplete = wire.choice !== 'begun' && wire.openCalls.size === 0 && !wire.isUnread;
  return isComplete && !wire.isMixed && !isContradicted(wire);
}

/** Whether an item has pieces that its finished form does not contain. */
function isContradicted({ texts, pieces, calls, callPieces }: WireRecord): boolean {
  return (
    [...texts].some(([index, text]) => !isLeftOf(pieces.get(index) ?? [], text)) ||
    [...calls].some(([index, written]) => !isLeftOf(callPieces.get(index) ?? [], written))
  );
}

/** Whether the pieces are the whole, or the whole without some pieces. No piece is lost in part. */
function isLeftOf(pieces: readonly string[], whole: string): boolean {
  // some hosts omit trailing blanks from the whole
  const last = pieces.findLastIndex((piece) => piece.trim() !== '');
  let at = 0;
  for (const [index, piece] of pieces.slice(0, last + 1).entries()) {
    const own = index === last ? piece.trimEnd() : piece;
    const found = whole.indexOf(own, at);
    if (found === -1) return false;
    at = found + own.length;
  }
  return true;
}
