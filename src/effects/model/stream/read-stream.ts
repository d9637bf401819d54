/** Reads one reply to its end and keeps everything received, however it ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { isDeeper } from '../../../errors/support/is-deeper.ts';
import { MAX_OUTPUT_DEPTH } from '../../../machine/state/stored-output.ts';
import { isEmptyEvent, wholeText } from '../../../providers/wire/wire-events.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import type { CallTimeouts } from '../call-timeouts.ts';
import type { ModelPart } from '../language-model.ts';
import { applyPart, noteContent } from './apply-part.ts';
import { MAX_WRITTEN_CHARS, tooLong } from './bounded-response.ts';
import { readArguments, type ReadArguments } from './call-arguments.ts';
import { endedWith } from './finish.ts';
import { turnOf } from './provider-turn.ts';
import type { TakeRawEvent } from './raw-events.ts';
import type { StreamState } from './stream-state.ts';

export type OnDelta = (type: 'text' | 'reasoning', delta: string) => void;

/** One reading of a reply. */
export interface Reading {
  readonly state: StreamState;
  readonly watch: CallTimeouts;
  readonly onDelta: OnDelta;
  readonly modelRef: ModelRef;
}

/** `open` gets the reader of raw events. Never rejects: a thrown error is part of the state. */
export async function readStream(
  open: (takeRaw: TakeRawEvent) => Promise<ReadableStream<ModelPart>>,
  reading: Reading,
): Promise<void> {
  const { state, watch, modelRef } = reading;
  let isLeft = false;
  const take = (part: ModelPart): boolean => {
    isLeft ||= !takePart(part, reading);
    return !isLeft;
  };
  try {
    const stream = await open((rawValue) => take({ type: 'raw', rawValue }));
    await readParts(stream.getReader(), take, watch.signal);
    if (isLeft || watch.stop !== undefined) return;
    const finish = endedWith(state.ending);
    if (finish === undefined) return;
    state.finish = finish;
    state.text = wholeText(state.wire, state.text);
    state.turnToSend = turnOf(state.turn, modelRef.provider, state.toolCalls);
  } catch (thrown) {
    if (!isStopped(watch)) state.error ??= { thrown };
  }
}

/** Reads until nothing more is needed. Leaves a model that ignores its signal at once. */
async function readParts(
  reader: ReadableStreamDefaultReader<ModelPart>,
  take: (part: ModelPart) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const leave = (): void => {
    // a connection that cannot be closed ends by itself
    reader.cancel(signal.reason).catch(() => undefined);
  };
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  let isEnded = false;
  try {
    for (let parts = 1; ; parts++) {
      const { done, value } = await reader.read();
      isEnded = done;
      if (done || !take(value)) return;
      // parts that come without a wait would block every timer and signal
      if (parts % PARTS_A_TURN === 0) await nextTurn();
    }
  } finally {
    signal.removeEventListener('abort', leave);
    if (!isEnded) leave();
  }
}

const PARTS_A_TURN = 1024;

/** False where nothing more is to be read. */
function takePart(part: ModelPart, { state, watch, onDelta, modelRef }: Reading): boolean {
  if (watch.isOver) return false;
  if (isStopped(watch)) return true;
  if (!isEmptyPiece(part, state)) watch.touch();
  if (!state.isBegun && part.type !== 'raw' && part.type !== 'stream-start') {
    state.isBegun = true;
    state.warnings = state.announced;
  }
  const read = part.type === 'tool-call' ? readArguments(part, state.tools) : undefined;
  if (isTooDeep(part, read)) {
    const pointer = `/toolCalls/${state.toolCalls.length}/arguments`;
    state.unusable = { pointer, problem: `is deeper than ${MAX_OUTPUT_DEPTH} levels` };
    noteContent(0, state, watch);
    watch.failed();
    return false;
  }
  applyPart(part, { state, watch, read });
  if (!PIECES.has(part.type)) state.parts++;
  if (isLongerThanAny(state)) {
    state.error ??= { thrown: tooLong(modelRef) };
    watch.failed();
    return false;
  }
  if (part.type === 'text-delta' && part.delta !== '') onDelta('text', part.delta);
  if (part.type === 'reasoning-delta' && part.delta !== '') onDelta('reasoning', part.delta);
  return true;
}

/** Parts of which at most the text is kept. */
const PIECES: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'raw',
  'stream-start',
  'response-metadata',
]);

/** An empty piece adds nothing, so a server cannot hold a call open with them. */
function isEmptyPiece(part: ModelPart, { isBegun }: StreamState): boolean {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return part.delta === '';
    case 'raw':
      return isEmptyEvent(part.rawValue);
    case 'stream-start':
      return true;
    case 'response-metadata':
      return isBegun;
    default:
      return false;
  }
}

/** Levels of an event around the arguments of a call. */
const EVENT_LEVELS = 16;

/** Packages copy and write the arguments of calls by recursion, and so do logs and readers. */
function isTooDeep(part: ModelPart, read: ReadArguments | undefined): boolean {
  // true: both were parsed from JSON
  if (part.type === 'raw')
    return isDeeper(part.rawValue as JsonValue, MAX_OUTPUT_DEPTH + EVENT_LEVELS);
  return read !== undefined && isDeeper(read.value as JsonValue, MAX_OUTPUT_DEPTH);
}

/** More blocks and calls than any reply has. Even empty ones are kept, so they need a limit. */
const MAX_PARTS = 16_384;

function isLongerThanAny({ written, parts }: StreamState): boolean {
  return written > MAX_WRITTEN_CHARS || parts > MAX_PARTS;
}

/** Stopped by the caller or a limit; after a failure the end of the stream is still read. */
function isStopped({ stop }: CallTimeouts): boolean {
  return stop !== undefined && stop.by !== 'failure';
}
