/** Converts a call of the machine into one of the AI SDK. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type {
  ModelCall,
  ModelImage,
  ModelMessage,
  ToolCall,
} from '../../machine/conversation/model-message.ts';
import type { Sdk, SdkCall } from './sdk.ts';
import { isStrictSchema } from './strict-schema.ts';
import { turnContent } from './stream/provider-turn.ts';

/** How a provider supports a schema for its reply. `words`: JSON mode, with the schema in the prompt. */
export type SchemaSupport = 'schema' | 'words';

export type PreparedCall = Omit<SdkCall, 'model' | 'abortSignal'>;

/** The provider that a call is prepared for. */
export interface Target {
  readonly sdk: Sdk;
  /** Canonical name of the provider. */
  readonly provider: string;
  readonly schemas: SchemaSupport;
  /** Accepts reasoning in a request even without provider metadata. */
  readonly takesThoughts: boolean;
}

export function prepareCall(call: ModelCall, target: Target): PreparedCall {
  const { outputSchema, tools, temperature, maxTokens, reasoning } = call;
  const { sdk, schemas } = target;
  const isFormal = outputSchema !== undefined && isObjectSchema(outputSchema);
  const system = systemOf(call, schemas);
  const providerOptions = optionsFor(call, schemas);
  return {
    ...(system === undefined ? {} : { system }),
    messages: call.messages.map((message) => toMessage(message, target)),
    ...(tools.length === 0 ? {} : { tools: toTools(call, sdk) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    // the strongest effort that every provider package knows
    ...(reasoning === undefined ? {} : { reasoning: reasoning === 'max' ? 'xhigh' : reasoning }),
    // providers accept only object schemas; any other goes into the prompt
    ...(isFormal ? { output: sdk.jsonOutput(schemas === 'words' ? undefined : outputSchema) } : {}),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
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

function toTools({ tools }: ModelCall, sdk: Sdk): Record<string, object> {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      // without `execute` the SDK does not run the tool
      {
        ...(description === undefined ? {} : { description }),
        inputSchema: sdk.schema(inputSchema),
      },
    ]),
  );
}

function toMessage(message: ModelMessage, { provider, takesThoughts }: Target): object {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content:
          message.images === undefined || message.images.length === 0
            ? message.text
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
      const output =
        typeof result === 'string'
          ? { type: isError ? 'error-text' : 'text', value: result }
          : { type: isError ? 'error-json' : 'json', value: result };
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }],
      };
    }
  }
}

/** Some providers refuse an empty text. */
function textPart(text: string): readonly object[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toImage({ url, base64 = '', mediaType = 'image' }: ModelImage): object {
  if (url === undefined) return { type: 'file', mediaType, data: base64 };
  if (URL.canParse(url)) return { type: 'file', mediaType, data: new URL(url) };
  throw new ErrandError({
    kind: 'provider.invalid_request',
    outcome: 'not_started',
    message: 'The `url` of an image is not a valid URL',
    action: { kind: 'change_input', detail: 'Use the full URL of the image, or its data.' },
  });
}

/** Every provider requires an object, also for arguments that could not be parsed. */
function toToolCall({ id, name, arguments: input, unparsable }: ToolCall): object {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: input ?? (unparsable === undefined ? {} : { unparsable }),
  };
}
