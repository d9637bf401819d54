/**
 * The reply that a provider requires back in the next request of a tool loop: its original parts,
 * with their signatures. Stored in the form of the AI SDK, and sent only to the same provider.
 */
import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isPlainObject, type JsonObject } from '../../../errors/support/safe-json.ts';
import type {
  ProviderTurn,
  ToolCall,
  TurnPart,
} from '../../../machine/conversation/model-message.ts';
import { providerNamed } from '../../../providers/known-providers.ts';
import type { BlockPart, CallPart, DeltaPart, ModelMetadata } from '../language-model.ts';

/** Encrypted reasoning is long, and the whole turn is stored in the log. */
const MAX_TURN_CHARS = 512 * 1024;

/** Collected while a reply is read. */
export interface TurnDraft {
  readonly parts: DraftPart[];
  /**
   * Unfinished blocks, by type and id; a block that begins while another of its id is open comes
   * before that one.
   */
  readonly open: Map<string, DraftPart[]>;
}

interface DraftPart {
  readonly type: 'text' | 'reasoning' | 'call';
  text: string;
  readonly call: number;
  metadata: ModelMetadata | undefined;
}

export function newTurnDraft(): TurnDraft {
  return { parts: [], open: new Map() };
}

export function noteBlock(draft: TurnDraft | undefined, part: BlockPart | DeltaPart): void {
  if (draft === undefined) return;
  const { parts, open } = draft;
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  const name = `${type} ${part.id}`;
  const blocks = open.get(name);
  let block = blocks?.at(-1);
  if (block === undefined || isStart(part)) {
    block = { type, text: '', call: 0, metadata: undefined };
    parts.push(block);
    if (blocks === undefined) open.set(name, [block]);
    else blocks.push(block);
  }
  if ('delta' in part) block.text += part.delta;
  // the last metadata is complete: signatures come only at the end
  block.metadata = part.providerMetadata ?? block.metadata;
  if (part.type === 'text-end' || part.type === 'reasoning-end') open.get(name)?.pop();
}

function isStart({ type }: BlockPart | DeltaPart): boolean {
  return type === 'text-start' || type === 'reasoning-start';
}

export function noteCall(draft: TurnDraft | undefined, part: CallPart, call: number): void {
  draft?.parts.push({ type: 'call', text: '', call, metadata: part.providerMetadata });
}

export type Turn =
  | { readonly type: 'kept'; readonly turn: ProviderTurn }
  /** The plain reply is enough. */
  | { readonly type: 'plain' }
  | { readonly type: 'too_long'; readonly chars: number };

/** Only a reply with tool calls is followed by a request that must contain it. */
export function turnOf(
  draft: TurnDraft | undefined,
  provider: string,
  toolCalls: readonly ToolCall[],
): Turn {
  const received = draft?.parts ?? [];
  const isSpecial = received.some(
    ({ type, metadata }) => type === 'reasoning' || metadata !== undefined,
  );
  if (toolCalls.length === 0 || !isSpecial) return { type: 'plain' };
  const parts = received.map(toPart).filter(hasContent);
  const turn: ProviderTurn = { provider: providerNamed(provider).name, parts };
  const chars = JSON.stringify(turn).length;
  return chars > MAX_TURN_CHARS ? { type: 'too_long', chars } : { type: 'kept', turn };
}

function toPart({ type, text, call, metadata }: DraftPart): TurnPart {
  const own = metadata === undefined ? {} : { metadata: plain(metadata) };
  return type === 'call' ? { type, call, ...own } : { type, text, ...own };
}

function hasContent(part: TurnPart): boolean {
  return part.type === 'call' || part.text !== '' || part.metadata !== undefined;
}

/** True: metadata is JSON, except for undefined fields. */
function plain(metadata: ModelMetadata): JsonObject {
  return JSON.parse(JSON.stringify(metadata)) as JsonObject;
}

type SentPart =
  | LanguageModelV4TextPart
  | LanguageModelV4ReasoningPart
  | LanguageModelV4ToolCallPart;

/** Converts to the parts of a message to a model. */
export function turnContent(
  { parts }: ProviderTurn,
  calls: readonly LanguageModelV4ToolCallPart[],
  takesThoughts: boolean,
): SentPart[] {
  return parts.flatMap((part): SentPart[] => {
    // true: metadata is kept as its provider sent it
    const metadata = part.metadata as SharedV4ProviderOptions | undefined;
    const options = metadata === undefined ? {} : { providerOptions: metadata };
    if (part.type === 'call') {
      const call = calls[part.call];
      return call === undefined ? [] : [{ ...call, ...options }];
    }
    if (part.type === 'reasoning' && !isReturned(part.metadata, takesThoughts)) return [];
    // some providers refuse an empty text
    if (part.type === 'text' && part.text === '' && metadata === undefined) return [];
    return [{ type: part.type, text: part.text, ...options }];
  });
}

/** Reasoning without provider metadata is sent only to providers that accept it. */
function isReturned(metadata: JsonObject | undefined, takesThoughts: boolean): boolean {
  if (metadata === undefined) return takesThoughts;
  // OpenAI accepts its reasoning back only in encrypted form
  return Object.values(metadata).every(
    (own) =>
      !isPlainObject(own) ||
      !('reasoningEncryptedContent' in own) ||
      own['reasoningEncryptedContent'] !== null,
  );
}
