/** Reads one reply to its end and keeps everything received, however it ends. */
import { readProperty } from '../../../errors/support/safe-json.ts';
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { ToolCall } from '../../../machine/conversation/model-message.ts';
import {
  isFiniteThroughout,
  keepsDigits,
  readJson,
} from '../../../workflow/json-schema/exact-number.ts';
import { isDeeper } from '../../../errors/support/is-deeper.ts';
import { MAX_OUTPUT_DEPTH } from '../../../machine/state/stored-output.ts';
import { MAX_WRITTEN_CHARS, tooLong } from './bounded-response.ts';
import { countedSoFar } from '../usage/early-usage.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import type { SdkFinish, SdkPart, SdkToolCall, SdkUsage, SdkWarning } from '../sdk.ts';
import { newTurnDraft, noteBlock, noteCall, type TurnDraft } from './provider-turn.ts';
import type { CallTimeouts } from '../call-timeouts.ts';
import type { TakeRawEvent } from './raw-events.ts';
import {
  isEmptyEvent,
  newWireRecord,
  noteWire,
  wholeText,
  type WireRecord,
} from '../../../providers/wire/wire-events.ts';

export interface StreamState {
  text: string;
  reasoning: string;
  readonly toolCalls: ToolCall[];
  /** The arguments of calls as the model writes them, by id. */
  readonly inputs: Map<string, string[]>;
  /** All calls, including those that the provider runs itself. */
  calls: number;
  /** Characters of everything that the model wrote. */
  written: number;
  /** Starts, ends and calls: all parts except pieces. */
  parts: number;
  /** A part of the reply came, and may have been shown. */
  isDelivered: boolean;
  /** The provider began to respond. */
  isBegun: boolean;
  warnings: readonly SdkWarning[];
  /** Only with tools: without a tool loop nothing is sent back. */
  readonly turn: TurnDraft | undefined;
  readonly wire: WireRecord;
  finish?: SdkFinish;
  /** The provider's count so far. */
  counted?: SdkUsage | undefined;
  error?: { readonly thrown: unknown };
  /** A part that nothing can keep, because everything that copies it recurses. */
  unusable?: { readonly pointer: string; readonly problem: string };
}

export type OnDelta = (type: 'text' | 'reasoning', delta: string) => void;

export function newStreamState({
  hasTools = false,
}: { readonly hasTools?: boolean } = {}): StreamState {
  return {
    text: '',
    reasoning: '',
    toolCalls: [],
    inputs: new Map(),
    calls: 0,
    written: 0,
    parts: 0,
    isDelivered: false,
    isBegun: false,
    warnings: [],
    turn: hasTools ? newTurnDraft() : undefined,
    wire: newWireRecord(),
  };
}

/** Parts of which at most the text is kept. */
const PIECES: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'raw',
]);

/** One reading of a reply. */
export interface Reading {
  readonly state: StreamState;
  readonly watch: CallTimeouts;
  readonly onDelta: OnDelta;
  readonly modelRef: ModelRef;
}

/** `open` gets the reader of raw events. Never rejects: a thrown error is part of the state. */
export async function readStream(
  open: (takeRaw: TakeRawEvent) => AsyncIterable<SdkPart>,
  reading: Reading,
): Promise<void> {
  let isEnded = false;
  const take = (part: SdkPart): boolean => {
    isEnded ||= !takePart(part, reading);
    return !isEnded;
  };
  try {
    const parts = open((rawValue) => take({ type: 'raw', rawValue }));
    for await (const part of parts) if (isEnded || !take(part)) return;
  } catch (thrown) {
    if (!isStopped(reading.watch)) reading.state.error ??= { thrown };
  }
}

/** False where nothing more is to be read. */
function takePart(part: SdkPart, { state, watch, onDelta, modelRef }: Reading): boolean {
  if (watch.isOver) return false;
  // after a stop the SDK only reports the abort
  if (isStopped(watch)) return true;
  if (!isEmptyPiece(part)) watch.touch();
  if (isTooDeep(part)) {
    const pointer = `/toolCalls/${state.toolCalls.length}/arguments`;
    state.unusable = { pointer, problem: `is deeper than ${MAX_OUTPUT_DEPTH} levels` };
    content(0, state, watch);
    watch.failed();
    return false;
  }
  applyPart(part, state, watch);
  if (!PIECES.has(part.type)) state.parts++;
  if (isLongerThanAny(state)) {
    state.error ??= { thrown: tooLong(modelRef) };
    watch.failed();
    return false;
  }
  if (part.type === 'text-delta' && part.text !== '') onDelta('text', part.text);
  if (part.type === 'reasoning-delta' && part.text !== '') onDelta('reasoning', part.text);
  return true;
}

/** An empty piece brings nothing, so a server cannot hold a call open with them. */
function isEmptyPiece(part: SdkPart): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return part.text === '';
    case 'tool-input-delta':
      return part.delta === '';
    case 'raw':
      return isEmptyEvent(part.rawValue);
    default:
      return false;
  }
}

/** Levels of an event around the arguments of a call. */
const EVENT_LEVELS = 16;

/** The SDK copies and writes the arguments of calls by recursion, and so do logs and readers. */
function isTooDeep(part: SdkPart): boolean {
  // true: the SDK parsed both from JSON
  if (part.type === 'raw')
    return isDeeper(part.rawValue as JsonValue, MAX_OUTPUT_DEPTH + EVENT_LEVELS);
  return part.type === 'tool-call' && isDeeper(part.input as JsonValue, MAX_OUTPUT_DEPTH);
}

/** More blocks and calls than any reply has. Each is kept, even an empty one, so they need a limit. */
const MAX_PARTS = 16_384;

function isLongerThanAny({ written, parts }: StreamState): boolean {
  return written > MAX_WRITTEN_CHARS || parts > MAX_PARTS;
}

/** Stopped by the caller or a limit; after a failure the end of the stream is still read. */
function isStopped({ stop }: CallTimeouts): boolean {
  return stop !== undefined && stop.by !== 'failure';
}

function applyPart(part: SdkPart, state: StreamState, watch: CallTimeouts): void {
  switch (part.type) {
    case 'start-step':
      state.isBegun = true;
      state.warnings = part.warnings ?? [];
      return;
    case 'text-start':
    case 'text-end':
      noteBlock(state.turn, part);
      return;
    case 'text-delta':
      noteBlock(state.turn, part);
      if (part.text === '') return;
      state.text += part.text;
      content(part.text.length, state, watch);
      return;
    case 'reasoning-delta':
      noteBlock(state.turn, part);
      state.reasoning += part.text;
      state.written += part.text.length;
      state.isDelivered ||= part.text !== '';
      watch.content(true);
      return;
    case 'reasoning-start':
      noteBlock(state.turn, part);
      watch.content(true);
      return;
    case 'reasoning-end':
      noteBlock(state.turn, part);
      watch.content(false);
      return;
    case 'tool-input-start':
      content(0, state, watch);
      return;
    case 'tool-input-delta':
      noteInput(part, state, watch);
      return;
    case 'tool-call':
      content(0, state, watch);
      state.calls++;
      // the provider runs this call itself
      if (part.providerExecuted === true) return;
      noteCall(state.turn, part, state.toolCalls.length);
      state.toolCalls.push(toToolCall(part, state.inputs.get(part.toolCallId)?.join('')));
      return;
    case 'finish-step':
      state.finish = part;
      state.text = wholeText(state.wire, state.text);
      return;
    case 'error':
      if (state.error === undefined) watch.failed();
      state.error ??= { thrown: part.error };
      return;
    case 'raw':
      noteRaw(part.rawValue, state);
      return;
    case 'abort':
      return;
  }
}

function noteRaw(event: unknown, state: StreamState): void {
  state.counted = countedSoFar(state.counted, event);
  noteWire(state.wire, event);
  // a call came, though the SDK passes nothing of it on
  state.isDelivered ||= state.wire.seenCalls.hasOddArguments;
}

function content(chars: number, state: StreamState, watch: CallTimeouts): void {
  state.written += chars;
  state.isDelivered = true;
  watch.content(false);
}

function noteInput(
  { id = '', delta }: Extract<SdkPart, { type: 'tool-input-delta' }>,
  state: StreamState,
  watch: CallTimeouts,
): void {
  const before = state.inputs.get(id);
  if (before === undefined) state.inputs.set(id, [delta]);
  else before.push(delta);
  content(delta.length, state, watch);
}

/** `written` is the text of the arguments, if it came in pieces. */
function toToolCall(part: SdkToolCall, written: string | undefined): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  if (part.invalid === true && typeof input === 'string') {
    return { id, name, unparsable: input };
  }
  if (readProperty(part, 'input') === undefined) return { id, name, arguments: {} };
  if (written !== undefined && isInexact(written)) return { id, name, unparsable: written };
  // true: the SDK parsed it from JSON
  const provided = input as JsonValue;
  if (isFiniteThroughout(provided)) return { id, name, arguments: provided };
  // an infinite number would be null in the log: the model is asked to correct it
  const asWords = (_: string, value: unknown): unknown =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  return { id, name, unparsable: JSON.stringify(provided, asWords) };
}

/** It has a number that would lose digits, or a key twice. */
function isInexact(written: string): boolean {
  try {
    return readJson(written, keepsDigits).inexact !== undefined;
  } catch {
    // a piece was lost: the provider sent the whole at the end
    return false;
  }
}
