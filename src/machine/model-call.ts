/**
 * One request to one model, as data, and what comes back. The machine makes the request, an effect
 * sends it, and neither knows the other: the same request goes to a provider or to the simulator.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { SimulatedAnswer } from '../workflow/model.ts';

export interface ModelCall {
  /** `provider/model`. */
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** What the model may ask for; asking is all it does, the machine decides and runs. */
  readonly tools: readonly ModelTool[];
  /** The answer must be JSON of this form. */
  readonly outputSchema?: JsonObject;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** How often this node had asked this model before; 0 for the first. */
  readonly ordinal: number;
  /** What a `sim/` model says to this request; absent: whatever fits. */
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
      /** Of the call that this is the result of. */
      readonly id: string;
      readonly name: string;
      readonly result: JsonValue;
      readonly isError: boolean;
    };

/** What the model was told last that was not the result of a tool. */
export function latestWords(messages: readonly ModelMessage[]): string {
  const texts = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
  return texts.at(-1) ?? '';
}

export interface ModelImage {
  /** A URL, or the data in base64. */
  readonly url?: string;
  readonly base64?: string;
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
  /** Absent when what the model wrote is not JSON. */
  readonly arguments?: JsonValue;
  /** What the model wrote, when it is not JSON; cut to a readable length. */
  readonly unparsable?: string;
}

/**
 * An answer in the parts it came in, with what its provider wants back in a conversation that goes
 * on: signatures of thoughts, encrypted thoughts. It means nothing to any other provider.
 */
export interface ProviderTurn {
  /** By its usual name. */
  readonly provider: string;
  readonly parts: readonly TurnPart[];
}

export type TurnPart =
  | {
      readonly type: 'text' | 'reasoning';
      readonly text: string;
      readonly metadata?: JsonObject;
    }
  /** `call`: its index in the tool calls of the answer. */
  | { readonly type: 'call'; readonly call: number; readonly metadata?: JsonObject };

/** The output of a model effect that succeeded. Bad stop reasons and cut streams are failures. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly reasoning?: string;
  /** Of an answer that asks for tools. */
  readonly turn?: ProviderTurn;
  /** The model that answered, where the provider says another than was asked. */
  readonly answeredBy?: string;
}

/** The output of a model effect that failed after its first content. */
export interface PartialAnswer {
  readonly text: string;
}

/** Ephemeral: what a stream brings while it runs, and that an attempt's content no longer counts. */
export type ModelProgress =
  | { readonly type: 'text' | 'reasoning'; readonly attempt: number; readonly delta: string }
  | { readonly type: 'retracted'; readonly attempt: number };
