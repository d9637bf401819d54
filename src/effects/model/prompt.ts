/** Converts a call of the machine into the options of a language model. */
import type {
  JSONValue,
  LanguageModelV4FilePart,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { copyJson } from '../../errors/support/copy-json.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type {
  ModelCall,
  ModelImage,
  ModelMessage,
  ModelTool,
  ToolCall,
} from '../../machine/conversation/model-message.ts';
import { imageTypeOf } from './image-type.ts';
import type { ModelOptions } from './language-model.ts';
import { isStrictSchema } from './strict-schema.ts';
import { turnContent } from './stream/provider-turn.ts';

/** How a provider supports a schema for its reply. `words`: JSON mode, with the schema in the prompt. */
export type SchemaSupport = 'schema' | 'words';

export type PreparedCall = Omit<ModelOptions, 'abortSignal' | 'includeRawChunks'>;

/** The provider that a call is prepared for. */
export interface Target {
  /** Canonical name of the provider. */
  readonly provider: string;
  readonly schemas: SchemaSupport;
  /** Accepts reasoning in a request even without provider metadata. */
  readonly takesThoughts: boolean;
}

export function prepareCall(asked: ModelCall, target: Target): PreparedCall {
  // a package, or a model of the application, may change its arguments
  const call = copyCall(asked);
  const { outputSchema, tools, temperature, maxTokens, reasoning } = call;
  const { schemas } = target;
  const isFormal = outputSchema !== undefined && isObjectSchema(outputSchema);
  const system = systemOf(call, schemas);
  const providerOptions = optionsFor(call, schemas);
  return {
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    // the strongest effort that every provider package knows
    ...(reasoning === undefined ? {} : { reasoning: reasoning === 'max' ? 'xhigh' : reasoning }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    toolChoice: { type: 'auto' },
    // providers accept only object schemas; any other goes into the prompt
    ...(isFormal ? { responseFormat: jsonFormat(outputSchema, schemas) } : {}),
    prompt: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      ...messagesOf(call.messages, target),
    ],
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

function copyCall(call: ModelCall): ModelCall {
  // true: a call is JSON, and a copy has the form of the original
  return copyJson(call as unknown as JsonValue) as unknown as ModelCall;
}

function jsonFormat(
  schema: JsonObject,
  support: SchemaSupport,
): NonNullable<ModelOptions['responseFormat']> {
  return { type: 'json', ...(support === 'words' ? {} : { schema }) };
}

function optionsFor(
  { outputSchema, tools }: ModelCall,
  schemas: SchemaSupport,
): PreparedCall['providerOptions'] {
  const isFormal =
    schemas === 'schema' && outputSchema !== undefined && isObjectSchema(outputSchema);
  // strict mode is refused with a 400 when the schema is not closed
  const strict = isFormal ? { strictJsonSchema: isStrictSchema(outputSchema) } : {};
  // the conversation is in our log: reasoning comes encrypted and goes back whole, and no reply
  // depends on what the provider has stored
  const stateless = tools.length === 0 ? {} : { store: false };
  if (!isFormal && tools.length === 0) return undefined;
  const own = { ...strict, ...stateless };
  return { openai: own, azure: own, ...(isFormal ? { openaiCompatible: strict } : {}) };
}

function systemOf(call: ModelCall, support: SchemaSupport): string | undefined {
  const { system, outputSchema } = call;
  if (outputSchema === undefined) return system;
  if (support === 'schema' && isObjectSchema(outputSchema)) return system;
  const rule = `Answer with JSON and nothing else. It must fit this JSON Schema:\n${JSON.stringify(outputSchema)}`;
  return system === undefined ? rule : `${system}\n\n${rule}`;
}

function isObjectSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object';
}

function toTool({ name, description, inputSchema }: ModelTool): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    inputSchema,
    ...(description === undefined ? {} : { description }),
  };
}

/** The results of one reply's calls are one message. */
function messagesOf(messages: readonly ModelMessage[], target: Target): LanguageModelV4Message[] {
  const converted: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const own = toMessage(message, target);
    const last = converted.at(-1);
    if (own.role === 'tool' && last?.role === 'tool') last.content.push(...own.content);
    else converted.push(own);
  }
  return converted;
}

function toMessage(
  message: ModelMessage,
  { provider, takesThoughts }: Target,
): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content:
          message.images === undefined || message.images.length === 0
            ? [{ type: 'text', text: message.text }]
            : [...textPart(message.text), ...message.images.map(toImage)],
      };
    case 'assistant': {
      const { text, turn } = message;
      const calls = message.toolCalls.map(toToolCall);
      const content =
        turn?.provider === provider
          ? turnContent(turn, calls, takesThoughts)
          : [...textPart(text), ...calls];
      return { role: 'assistant', content };
    }
    case 'tool': {
      const { id, name, result, isError } = message;
      const output: LanguageModelV4ToolResultOutput =
        typeof result === 'string'
          ? { type: isError ? 'error-text' : 'text', value: result }
          : // true: nothing changes it
            { type: isError ? 'error-json' : 'json', value: result as JSONValue };
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }],
      };
    }
  }
}

/** Some providers refuse an empty text. */
function textPart(text: string): LanguageModelV4TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

/** A URL is passed to the provider: nothing is downloaded here. */
function toImage({ url, base64 = '', mediaType = 'image' }: ModelImage): LanguageModelV4FilePart {
  if (url === undefined) return imageData(base64, mediaType);
  const address = URL.parse(url);
  const inline = address?.protocol === 'data:' ? DATA_URL.exec(address.href)?.groups : undefined;
  const { type, data } = inline ?? {};
  if (type !== undefined && data !== undefined) return imageData(data, type);
  if (address !== null && address.protocol !== 'data:')
    return { type: 'file', mediaType, data: { type: 'url', url: address } };
  throw new ErrandError({
    kind: 'provider.invalid_request',
    outcome: 'not_started',
    message: 'The `url` of an image is not a valid URL',
    action: { kind: 'change_input', detail: 'Use the full URL of the image, or its data.' },
  });
}

const DATA_URL = /^data:(?<type>[^;,]*)[^,]*,(?<data>.*)$/s;

/** Its first bytes show its type more reliably than the sender. */
function imageData(base64: string, mediaType: string): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType: imageTypeOf(base64) ?? mediaType,
    data: { type: 'data', data: base64 },
  };
}

/** Every provider requires an object, also for arguments that could not be parsed. */
function toToolCall({
  id,
  name,
  arguments: input,
  unparsable,
}: ToolCall): LanguageModelV4ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: input ?? (unparsable === undefined ? {} : { unparsable }),
  };
}
