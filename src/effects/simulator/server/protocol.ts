/** What every wire protocol of the simulator does: read a request, write an answer, whole or in frames. */
import type { JsonObject, JsonValue } from '../../../errors/json.ts';
import type { Usage } from '../../../machine/events.ts';
import type { ModelCall, ModelTool } from '../../../machine/model-call.ts';
import type { Reply } from '../reply.ts';
import type { Dialect } from '../wire-failure.ts';

export type ProtocolName = 'chat' | 'responses' | 'messages' | 'gemini';

/** A request, understood. */
export interface Asked {
  readonly isStream: boolean;
  readonly call: Omit<ModelCall, 'ordinal'>;
  /** The one tool that the answer has to be a call of. */
  readonly forcedTool?: string;
  /** False where a stream tells its usage only when asked to. */
  readonly wantsUsage: boolean;
}

/** Why an answer ends. */
export type Stop = 'end' | 'tools' | 'length' | 'filter';

export interface Said extends Omit<Reply, 'isCut'> {
  readonly model: string;
  readonly stop: Stop;
  /** Different for each request of a server. */
  readonly id: string;
  readonly atSeconds: number;
  readonly wantsUsage: boolean;
}

export interface Frame {
  readonly text: string;
  /** A piece of the answer; the rest is what the protocol puts around it. */
  readonly isContent: boolean;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly dialect: Dialect;
  /** By the end of the path, so that any base URL will do. */
  claims(path: string): boolean;
  /** Text: why it is no request of this protocol. */
  read(body: JsonObject, path: string): Asked | string;
  whole(said: Said): JsonObject;
  frames(said: Said): readonly Frame[];
  /** An error in the middle of a stream. */
  errorFrame(body: JsonValue): string;
}

/** A client that leaves the choice and wants a call of some tool puts its own last. */
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

/** As OpenAI counts: writing is told only where it was done. */
export function cacheDetails({ cachedTokens = 0, cacheWriteTokens = 0 }: Usage): JsonObject {
  return {
    cached_tokens: cachedTokens,
    ...(cacheWriteTokens === 0 ? {} : { cache_write_tokens: cacheWriteTokens }),
  };
}
