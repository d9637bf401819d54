/**
 * What a provider wants back with the next request of a tool loop: its answer in the parts it came in,
 * with the signatures that it put on them. Kept as the SDK hands it over and sent as the SDK takes it,
 * to the same provider alone.
 */
import { isPlainObject, type JsonObject } from '../../errors/json.ts';
import type { ProviderTurn, ToolCall, TurnPart } from '../../machine/model-call.ts';
import { providerNamed } from '../../providers/names.ts';
import type { SdkBlock, SdkDelta, SdkMetadata, SdkToolCall } from './sdk.ts';

/** Encrypted thoughts are long, and everything that is kept goes into the log. */
const MAX_TURN_CHARS = 512 * 1024;

/** Of a turn while it comes in. */
export interface TurnDraft {
  readonly parts: DraftPart[];
  /** Blocks that are not at their end, by type and id. */
  readonly open: Map<string, DraftPart>;
}

interface DraftPart {
  readonly type: 'text' | 'reasoning' | 'call';
  text: string;
  readonly call: number;
  metadata: SdkMetadata | undefined;
}

export function newTurnDraft(): TurnDraft {
  return { parts: [], open: new Map() };
}

export function noteBlock(draft: TurnDraft | undefined, part: SdkBlock | SdkDelta): void {
  if (draft === undefined) return;
  const { parts, open } = draft;
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  const name = `${type} ${part.id}`;
  let block = open.get(name);
  if (block === undefined) {
    block = { type, text: '', call: 0, metadata: undefined };
    parts.push(block);
    open.set(name, block);
  }
  if ('text' in part) block.text += part.text;
  // what comes last is whole: signatures are known only at the end
  block.metadata = part.providerMetadata ?? block.metadata;
  if (part.type === 'text-end' || part.type === 'reasoning-end') open.delete(name);
}

export function noteCall(draft: TurnDraft | undefined, part: SdkToolCall, call: number): void {
  draft?.parts.push({ type: 'call', text: '', call, metadata: part.providerMetadata });
}

export type Turn =
  | { readonly type: 'kept'; readonly turn: ProviderTurn }
  /** The plain answer is all there is to it. */
  | { readonly type: 'plain' }
  | { readonly type: 'too_long'; readonly chars: number };

/** Only an answer that asks for tools is followed by a request that must hold it. */
export function turnOf(
  draft: TurnDraft | undefined,
  provider: string,
  toolCalls: readonly ToolCall[],
): Turn {
  const heard = draft?.parts ?? [];
  const isSpecial = heard.some(
    ({ type, metadata }) => type === 'reasoning' || metadata !== undefined,
  );
  if (toolCalls.length === 0 || !isSpecial) return { type: 'plain' };
  const parts = heard.map(toPart).filter(isTelling);
  const turn: ProviderTurn = { provider: providerNamed(provider).name, parts };
  const chars = JSON.stringify(turn).length;
  return chars > MAX_TURN_CHARS ? { type: 'too_long', chars } : { type: 'kept', turn };
}

function toPart({ type, text, call, metadata }: DraftPart): TurnPart {
  const own = metadata === undefined ? {} : { metadata: plain(metadata) };
  return type === 'call' ? { type, call, ...own } : { type, text, ...own };
}

function isTelling(part: TurnPart): boolean {
  return part.type === 'call' || part.text !== '' || part.metadata !== undefined;
}

/** JSON by its interface, but for fields that are not set. */
function plain(metadata: SdkMetadata): JsonObject {
  return JSON.parse(JSON.stringify(metadata)) as JsonObject;
}

/** As the SDK takes the parts of a message. */
export function turnContent(
  { parts }: ProviderTurn,
  calls: readonly object[],
  takesThoughts: boolean,
): readonly object[] {
  return parts.flatMap((part) => {
    const options = part.metadata === undefined ? {} : { providerOptions: part.metadata };
    if (part.type === 'call') {
      const call = calls[part.call];
      return call === undefined ? [] : [{ ...call, ...options }];
    }
    if (part.type === 'reasoning' && !isReturned(part.metadata, takesThoughts)) return [];
    return [{ type: part.type, text: part.text, ...options }];
  });
}

/** Thoughts without a mark of their provider go only where they are asked for. */
function isReturned(metadata: JsonObject | undefined, takesThoughts: boolean): boolean {
  if (metadata === undefined) return takesThoughts;
  // OpenAI takes its thoughts back encrypted, or not at all
  return Object.values(metadata).every(
    (own) =>
      !isPlainObject(own) ||
      !('reasoningEncryptedContent' in own) ||
      own['reasoningEncryptedContent'] !== null,
  );
}
