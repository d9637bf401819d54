/**
 * Messages to and from a model, as data. The machine makes a request and an effect sends it, so the
 * same request goes to a provider or to the simulator.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { ReasoningEffort } from '../../workflow/plan/node-plan.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';

export interface ModelCall {
  /** `provider/model`. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** Tools that the model may ask for; the machine decides about each call and runs it. */
  readonly tools: readonly ModelTool[];
  /** The reply must be JSON that matches this schema. */
  readonly outputSchema?: JsonObject;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly reasoning?: ReasoningEffort;
  /** It asks for a verdict on the output of the agent. */
  readonly judges?: true;
  /** How often this node has called this model before; 0 for the first. */
  readonly ordinal: number;
  /** The reply of a `sim/` model; absent: any that matches the schema. */
  readonly simulated?: SimulatedAnswer;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly turn?: ProviderTurn;
    }
  | {
      readonly role: 'tool';
      /** Id of the tool call. */
      readonly id: string;
      readonly name: string;
      readonly result: JsonValue;
      readonly isError: boolean;
    };

/** The latest user message. */
export function latestWords(messages: readonly ModelMessage[]): string {
  const texts = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  return texts.at(-1) ?? '';
}

/** A picture that a model is shown: by its address, or as data. */
export interface ModelImage {
  /** Its address. */
  readonly url?: string;
  /** Its data in base64. */
  readonly base64?: string;
  /** The media type of the data, such as `image/png`. */
  readonly mediaType?: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /**
   * Absent when the model wrote something that is not JSON, or that JSON would not keep as written.
   */
  readonly arguments?: JsonValue;
  /** The text that the model wrote, when it has no arguments; cut to a readable length. */
  readonly unparsable?: string;
}

/**
 * A reply in its original parts, with what its provider requires back in the next request: signatures
 * of reasoning, encrypted reasoning. Meaningless to any other provider.
 */
export interface ProviderTurn {
  /** Canonical name. */
  readonly provider: string;
  readonly parts: readonly TurnPart[];
}

export type TurnPart =
  | {
      readonly type: 'text' | 'reasoning';
      readonly text: string;
      readonly metadata?: JsonObject;
    }
  /** `call`: its index in the tool calls of the reply. */
  | { readonly type: 'call'; readonly call: number; readonly metadata?: JsonObject };

/** The output of a model effect that succeeded. Bad stop reasons and cut streams are failures. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly reasoning?: string;
  /** Only for a reply with tool calls. */
  readonly turn?: ProviderTurn;
  /** The model that replied, where it differs from the requested one. */
  readonly answeredBy?: string;
}

/** The output of a model effect that failed after its first content. */
export interface PartialReply {
  readonly text: string;
}

/** Ephemeral: content of a running stream, or that the content of an attempt no longer counts. */
export type ModelProgress =
  | { readonly type: 'text' | 'reasoning'; readonly attempt: number; readonly delta: string }
  | { readonly type: 'retracted'; readonly attempt: number };
