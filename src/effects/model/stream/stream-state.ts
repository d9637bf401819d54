/** The state of a reply while it is read. */
import type { ToolCall } from '../../../machine/conversation/model-message.ts';
import type { ReportedUsage } from '../../../providers/pricing/counted-usage.ts';
import { newWireRecord, type WireRecord } from '../../../providers/wire/wire-events.ts';
import type { ModelWarning } from '../language-model.ts';
import { newEnding, type Ending, type Finish } from './finish.ts';
import { OpenBlocks } from './open-blocks.ts';
import { newTurnDraft, type Turn, type TurnDraft } from './provider-turn.ts';

export interface StreamState {
  text: string;
  reasoning: string;
  readonly toolCalls: ToolCall[];
  /** The arguments of calls as the model writes them, by id. */
  readonly inputs: Map<string, string[]>;
  /** Ids of calls whose arguments have begun to come. */
  readonly begunCalls: Set<unknown>;
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
  /** About omitted parts of the request; they count once the reply has begun. */
  announced: readonly ModelWarning[];
  warnings: readonly ModelWarning[];
  /** Only with tools: without a tool loop nothing is sent back. */
  readonly turn: TurnDraft | undefined;
  /** The whole of it, once the stream was read to its end. */
  turnToSend?: Turn;
  readonly wire: WireRecord;
  /** The names of the tools that were offered. */
  readonly tools: ReadonlySet<string>;
  readonly blocks: OpenBlocks;
  readonly ending: Ending;
  /** Set once the stream was read to its end. */
  finish?: Finish;
  /** The provider's count so far. */
  counted?: ReportedUsage | undefined;
  error?: { readonly thrown: unknown };
  /** A part too deep to be kept, because all code that copies it recurses. */
  unusable?: { readonly pointer: string; readonly problem: string };
}

interface RequestedModel {
  readonly tools?: readonly { readonly name: string }[];
  /** The name that the model goes by itself, unless its reply has another. */
  readonly modelId?: string | undefined;
}

export function newStreamState({ tools = [], modelId }: RequestedModel = {}): StreamState {
  return {
    text: '',
    reasoning: '',
    toolCalls: [],
    inputs: new Map(),
    begunCalls: new Set(),
    calls: 0,
    written: 0,
    parts: 0,
    isDelivered: false,
    isBegun: false,
    announced: [],
    warnings: [],
    turn: tools.length === 0 ? undefined : newTurnDraft(),
    wire: newWireRecord(),
    tools: new Set(tools.map(({ name }) => name)),
    blocks: new OpenBlocks(),
    ending: newEnding(modelId),
  };
}
