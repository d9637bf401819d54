/** Reads one answer to its end and keeps what came, whatever the end is. */
import { readProperty } from '../../errors/json.ts';
import type { JsonValue } from '../../errors/json.ts';
import type { ToolCall } from '../../machine/model-call.ts';
import { countedSoFar } from './early-usage.ts';
import type { SdkFinish, SdkPart, SdkToolCall, SdkUsage, SdkWarning } from './sdk.ts';
import { newTurnDraft, noteBlock, noteCall, type TurnDraft } from './turn.ts';
import type { Watch } from './watch.ts';
import { newWire, noteWire, wholeText, type Wire } from './wire.ts';

export interface Heard {
  text: string;
  reasoning: string;
  readonly toolCalls: ToolCall[];
  /** Calls of all kinds, also those that the provider runs by itself. */
  calls: number;
  /** Characters of all that the model wrote. */
  written: number;
  /** A part of the answer came, and may have been shown. */
  isDelivered: boolean;
  /** The provider answered at all. */
  isBegun: boolean;
  warnings: readonly SdkWarning[];
  /** Only where tools were offered: without a tool loop nothing goes back. */
  readonly turn: TurnDraft | undefined;
  readonly wire: Wire;
  finish?: SdkFinish;
  /** What the provider had counted by then. */
  counted?: SdkUsage | undefined;
  error?: { readonly thrown: unknown };
}

export type OnDelta = (type: 'text' | 'reasoning', delta: string) => void;

/** What is longer is of no use to the model that has to correct it. */
const MAX_UNPARSABLE_CHARS = 2_000;

export function newHeard({ hasTools = false }: { readonly hasTools?: boolean } = {}): Heard {
  return {
    text: '',
    reasoning: '',
    toolCalls: [],
    calls: 0,
    written: 0,
    isDelivered: false,
    isBegun: false,
    warnings: [],
    turn: hasTools ? newTurnDraft() : undefined,
    wire: newWire(),
  };
}

/** Never rejects: what is thrown is heard too. */
export async function listen(
  open: () => AsyncIterable<SdkPart>,
  { heard, watch, onDelta }: { heard: Heard; watch: Watch; onDelta: OnDelta },
): Promise<void> {
  try {
    for await (const part of open()) {
      if (watch.isOver) return;
      // what follows is only how the SDK tells of the stop
      if (isStopped(watch)) continue;
      watch.sign();
      hear(part, heard, watch);
      if (part.type === 'text-delta' && part.text !== '') onDelta('text', part.text);
      if (part.type === 'reasoning-delta' && part.text !== '') onDelta('reasoning', part.text);
    }
  } catch (thrown) {
    if (!isStopped(watch)) heard.error ??= { thrown };
  }
}

/** By the caller or a limit; after a failure the end of the stream is still of interest. */
function isStopped({ stop }: Watch): boolean {
  return stop !== undefined && stop.by !== 'failure';
}

function hear(part: SdkPart, heard: Heard, watch: Watch): void {
  switch (part.type) {
    case 'start-step':
      heard.isBegun = true;
      heard.warnings = part.warnings ?? [];
      return;
    case 'text-start':
    case 'text-end':
      noteBlock(heard.turn, part);
      return;
    case 'text-delta':
      noteBlock(heard.turn, part);
      if (part.text === '') return;
      heard.text += part.text;
      content(part.text.length, heard, watch);
      return;
    case 'reasoning-delta':
      noteBlock(heard.turn, part);
      heard.reasoning += part.text;
      heard.written += part.text.length;
      heard.isDelivered ||= part.text !== '';
      watch.content(true);
      return;
    case 'reasoning-start':
      noteBlock(heard.turn, part);
      watch.content(true);
      return;
    case 'reasoning-end':
      noteBlock(heard.turn, part);
      watch.content(false);
      return;
    case 'tool-input-start':
      content(0, heard, watch);
      return;
    case 'tool-input-delta':
      content(part.delta.length, heard, watch);
      return;
    case 'tool-call':
      content(0, heard, watch);
      heard.calls++;
      // what the provider runs by itself is no business of the caller
      if (part.providerExecuted === true) return;
      noteCall(heard.turn, part, heard.toolCalls.length);
      heard.toolCalls.push(toToolCall(part));
      return;
    case 'finish-step':
      heard.finish = part;
      heard.text = wholeText(heard.wire, heard.text);
      return;
    case 'error':
      if (heard.error === undefined) watch.failed();
      heard.error ??= { thrown: part.error };
      return;
    case 'raw':
      heard.counted = countedSoFar(heard.counted, part.rawValue);
      noteWire(heard.wire, part.rawValue);
      return;
    case 'abort':
      return;
  }
}

function content(chars: number, heard: Heard, watch: Watch): void {
  heard.written += chars;
  heard.isDelivered = true;
  watch.content(false);
}

function toToolCall(part: SdkToolCall): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  if (part.invalid === true && typeof input === 'string') {
    return { id, name, unparsable: input.slice(0, MAX_UNPARSABLE_CHARS) };
  }
  if (readProperty(part, 'input') === undefined) return { id, name, arguments: {} };
  // parsed from JSON by the SDK
  return { id, name, arguments: input as JsonValue };
}
