/** The interface of a wire protocol: it reads a request, and writes a reply, whole or in frames. */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { Usage } from '../machine/state/events.ts';
import type { ModelCall, ModelTool } from '../machine/conversation/model-message.ts';
import type { Reply } from '../effects/simulator/reply.ts';
import type { Dialect } from '../effects/simulator/wire-failure.ts';

export type ProtocolName = 'chat' | 'responses' | 'messages' | 'gemini';

/** A parsed request. */
export interface ReceivedRequest {
  readonly isStream: boolean;
  readonly call: Omit<ModelCall, 'ordinal'>;
  /** The tool that the reply must call. */
  readonly forcedTool?: string;
  /** False if the protocol sends usage in a stream only on request, and it was not requested. */
  readonly wantsUsage: boolean;
}

/** Why a reply ends. */
export type Stop = 'end' | 'tools' | 'length' | 'filter';

export interface WireReply extends Omit<Reply, 'isCut'> {
  readonly model: string;
  readonly stop: Stop;
  /** Unique among the requests of a server. */
  readonly id: string;
  readonly atSeconds: number;
  readonly wantsUsage: boolean;
}

export interface Frame {
  readonly text: string;
  /** A piece of the reply; other frames belong to the protocol. */
  readonly isContent: boolean;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly dialect: Dialect;
  /** Matches the end of the path, so that any base URL works. */
  claims(path: string): boolean;
  /** A string says why it is not a valid request. */
  read(body: JsonObject, path: string): ReceivedRequest | string;
  whole(reply: WireReply): JsonObject;
  frames(reply: WireReply): readonly Frame[];
  /** An error in the middle of a stream. */
  errorFrame(body: JsonValue): string;
}

/** If any tool may be called, the last one is chosen: clients append their own. */
export function anyOf(tools: readonly ModelTool[], isWanted: boolean): string | undefined {
  return isWanted ? tools.at(-1)?.name : undefined;
}

export function around(...events: readonly string[]): Frame[] {
  return events.map((text) => ({ text, isContent: false }));
}

export function content(text: string): Frame {
  return { text, isContent: true };
}

export function sse(event: JsonValue): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

export function namedSse(event: JsonObject & { readonly type: string }): string {
  return `event: ${event.type}\n${sse(event)}`;
}

/** OpenAI's form: cache writes appear only if there were any. */
export function cacheDetails({ cachedTokens = 0, cacheWriteTokens = 0 }: Usage): JsonObject {
  return {
    cached_tokens: cachedTokens,
    ...(cacheWriteTokens === 0 ? {} : { cache_write_tokens: cacheWriteTokens }),
  };
}
