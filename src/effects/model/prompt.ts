/** From a call as the machine has it to one as the AI SDK takes it. */
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonObject } from '../../errors/json.ts';
import type { ModelCall, ModelImage, ModelMessage, ToolCall } from '../../machine/model-call.ts';
import type { Sdk, SdkCall } from './sdk.ts';
import { isStrictSchema } from './strict-schema.ts';
import { turnContent } from './turn.ts';

/** What a provider does with a schema for the answer. `words`: JSON yes, a schema only in the prompt. */
export type SchemaSupport = 'schema' | 'words';

export type PreparedCall = Omit<SdkCall, 'model' | 'abortSignal'>;

/** What a call is prepared for. */
export interface Target {
  readonly sdk: Sdk;
  /** By its usual name. */
  readonly provider: string;
  readonly schemas: SchemaSupport;
  /** Takes thoughts back that have no mark of its own. */
  readonly takesThoughts: boolean;
}

export function prepareCall(call: ModelCall, target: Target): PreparedCall {
  const { outputSchema, tools, temperature, maxTokens } = call;
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
    // no provider takes anything but an object here, and then it has to be said in words
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
  // refused with a 400 where it is on and the schema leaves anything open
  const strict = isFormal ? { strictJsonSchema: isStrictSchema(outputSchema) } : {};
  // the conversation is in the log: thoughts come encrypted and go back whole, and no answer
  // depends on what the provider has kept, for how long, and under which key
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
      // without `execute` the SDK has nothing to run
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

/** An empty text is refused by some providers. */
function textPart(text: string): readonly object[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function toImage({ url, base64 = '', mediaType = 'image' }: ModelImage): object {
  if (url === undefined) return { type: 'file', mediaType, data: base64 };
  if (URL.canParse(url)) return { type: 'file', mediaType, data: new URL(url) };
  throw new ErrandError({
    kind: 'provider.invalid_request',
    outcome: 'not_started',
    message: 'The address of an image is not an address',
    action: { kind: 'change_input', detail: 'Give the whole URL of the image, or its data.' },
  });
}

/** Arguments must be an object everywhere, also those that nobody could read. */
function toToolCall({ id, name, arguments: input, unparsable }: ToolCall): object {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: input ?? (unparsable === undefined ? {} : { unparsable }),
  };
}
