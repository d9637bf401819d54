/** Adds a part of a reply to the state of its stream. */
import { isArray, isPlainObject } from '../../../errors/support/safe-json.ts';
import { errorOfPart } from '../../../providers/extract/ai-sdk.ts';
import { INTERRUPTED } from '../../../providers/wire/bad-sign.ts';
import { noteWire } from '../../../providers/wire/wire-events.ts';
import type { CallTimeouts } from '../call-timeouts.ts';
import type { BlockPart, CallPart, DeltaPart, ModelPart, ModelWarning } from '../language-model.ts';
import { countedSoFar } from '../../../providers/pricing/early-usage.ts';
import { toToolCall, type ReadArguments } from './call-arguments.ts';
import { noteFinish } from './finish.ts';
import { noteBlock, noteCall } from './provider-turn.ts';
import type { StreamState } from './stream-state.ts';

interface Applying {
  readonly state: StreamState;
  readonly watch: CallTimeouts;
  /** The arguments of a call. */
  readonly read: ReadArguments | undefined;
}

/** Throws for a part that no version of the interface has. */
export function applyPart(part: ModelPart, { state, watch, read }: Applying): void {
  // it would belong to another reply
  if (state.ending.finish !== undefined && isContent(part))
    return noteError(INTERRUPTED, state, watch);
  switch (part.type) {
    case 'stream-start':
      state.announced = warningsIn(part.warnings);
      return;
    case 'response-metadata':
      state.ending.id = textOf(part.id) ?? state.ending.id;
      state.ending.modelId = textOf(part.modelId) ?? state.ending.modelId;
      return;
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      applyBlock(part, state, watch);
      return;
    case 'text-delta':
    case 'reasoning-delta':
      applyDelta(part, state, watch);
      return;
    case 'tool-input-start':
      // the provider makes its own calls itself
      if (part.providerExecuted !== true) state.begunCalls.add(part.id);
      noteContent(0, state, watch);
      return;
    case 'tool-input-delta':
      noteInput(part, state, watch);
      return;
    case 'tool-call':
      noteContent(0, state, watch);
      if (read !== undefined) applyCall(part, read, state);
      return;
    case 'file':
    case 'reasoning-file':
      state.ending.hasContent = true;
      return;
    case 'finish':
      noteFinish(state.ending, part);
      return;
    case 'error':
      noteError(errorOfPart(part.error), state, watch);
      return;
    case 'raw':
      noteRaw(part.rawValue, state);
      return;
    case 'custom':
    case 'ping':
    case 'source':
    case 'tool-approval-request':
    case 'tool-input-end':
    case 'tool-result':
      return;
    default:
      // nobody knows what a reply is without it
      throw unknownPart(part);
  }
}

/** Whole parts that a reply consists of, or begins. */
const CONTENT: ReadonlySet<string> = new Set([
  'tool-input-start',
  'tool-call',
  'file',
  'reasoning-file',
]);

function isContent(part: ModelPart): boolean {
  return 'delta' in part ? part.delta !== '' : CONTENT.has(part.type);
}

function warningsIn(warnings: unknown): readonly ModelWarning[] {
  return isArray(warnings) ? warnings.filter(isWarning) : [];
}

/** Its fields are read as what they are. */
function isWarning(value: unknown): value is ModelWarning {
  return isPlainObject(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A part of the reply came, and may have been shown. */
export function noteContent(chars: number, state: StreamState, watch: CallTimeouts): void {
  state.written += chars;
  state.isDelivered = true;
  watch.content();
}

function applyBlock(part: BlockPart, state: StreamState, watch: CallTimeouts): void {
  noteBlock(state.turn, part);
  if (part.type === 'reasoning-start') watch.thinking();
  if (part.type === 'reasoning-end') watch.content();
  noteStray(part, state, watch);
}

function applyDelta(part: DeltaPart, state: StreamState, watch: CallTimeouts): void {
  const { type, delta } = part;
  if (typeof delta !== 'string') throw new TypeError(`A ${type} part of the reply has no text`);
  state.ending.hasContent ||= delta !== '';
  if (type === 'text-delta') {
    if (delta === '' && part.providerMetadata === undefined) return;
    noteBlock(state.turn, part);
    state.text += delta;
    if (delta !== '') noteContent(delta.length, state, watch);
  } else {
    noteBlock(state.turn, part);
    state.reasoning += delta;
    state.written += delta.length;
    state.isDelivered ||= delta !== '';
    watch.thinking();
  }
  noteStray(part, state, watch);
}

function noteStray(part: BlockPart | DeltaPart, state: StreamState, watch: CallTimeouts): void {
  const problem = state.blocks.note(part);
  if (problem !== undefined) noteError(problem, state, watch);
}

function noteInput(
  { id = '', delta, type }: Extract<ModelPart, { type: 'tool-input-delta' }>,
  state: StreamState,
  watch: CallTimeouts,
): void {
  if (typeof delta !== 'string') throw new TypeError(`A ${type} part of the reply has no text`);
  const before = state.inputs.get(id);
  if (before === undefined) state.inputs.set(id, [delta]);
  else before.push(delta);
  state.ending.hasContent ||= delta !== '';
  noteContent(delta.length, state, watch);
}

function applyCall(part: CallPart, read: ReadArguments, state: StreamState): void {
  if (textOf(part.toolCallId) === undefined || textOf(part.toolName) === undefined)
    throw new TypeError('A tool call of the reply has no id, or no name');
  state.ending.hasContent = true;
  state.calls++;
  // the provider runs this call itself
  if (part.providerExecuted === true) return;
  noteCall(state.turn, part, state.toolCalls.length);
  state.toolCalls.push(toToolCall(part, read, state.inputs.get(part.toolCallId)?.join('')));
}

/** The first one counts. */
function noteError(thrown: unknown, state: StreamState, watch: CallTimeouts): void {
  if (state.error === undefined) watch.failed();
  state.error ??= { thrown };
}

function noteRaw(event: unknown, state: StreamState): void {
  state.counted = countedSoFar(state.counted, event);
  noteWire(state.wire, event);
  // a call came, though the package does not pass it on
  state.isDelivered ||= state.wire.seenCalls.hasOdd;
}

function unknownPart(part: never): Error {
  const { type } = part as { readonly type: unknown };
  return new Error(`The model sent a part of the type ${String(type)}, which is not known`);
}
