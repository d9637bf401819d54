/** Gemini's generateContent and streamGenerateContent protocol (server-sent events, as all clients use). */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../errors/support/safe-json.ts';
import type { ModelMessage, ModelTool, ToolCall } from '../machine/conversation/model-message.ts';
import {
  anyOf,
  around,
  content,
  sse,
  type ReceivedRequest,
  type Frame,
  type Protocol,
  type WireReply,
} from './protocol.ts';
import { numberAt, objectAt, objectsAt, present, textAt, textIn } from './read-json.ts';

const REASONS = { end: 'STOP', tools: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' };

const METHOD = /:(generateContent|streamGenerateContent)$/;
/** A client may send a name with a slash, without `models` before it. */
const BEFORE_MODEL = /^.*\/models\/|^\/(?:.*\/)?v1[a-z]*\/|^\//;

export const GEMINI: Protocol = {
  name: 'gemini',
  dialect: 'google',
  claims: (path) => METHOD.test(path),
  read,
  whole: (reply) => answer(reply, partsOf(reply), { isLast: true }),
  frames,
  errorFrame: sse,
};

function read(body: JsonObject, path: string): ReceivedRequest | string {
  const model = path.replace(METHOD, '').replace(BEFORE_MODEL, '');
  const method = METHOD.exec(path)?.[1];
  const contents = objectsAt(body, 'contents');
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified';
  const system = textIn(objectAt(body, 'systemInstruction')?.['parts']);
  const config = objectAt(body, 'generationConfig');
  const calling = objectAt(objectAt(body, 'toolConfig'), 'functionCallingConfig');
  const allowed = calling?.['allowedFunctionNames'];
  const [only, ...others] = isArray(allowed) ? allowed : [];
  const isOne = typeof only === 'string' && others.length === 0;
  const tools = objectsAt(body, 'tools').flatMap((tool) =>
    objectsAt(tool, 'functionDeclarations').map(toolOf),
  );
  return present<ReceivedRequest>({
    isStream: method === 'streamGenerateContent',
    wantsUsage: true,
    forcedTool: isOne ? only : anyOf(tools, calling?.['mode'] === 'ANY'),
    call: present<ReceivedRequest['call']>({
      model: decodeURIComponent(model),
      system: system === '' ? undefined : system,
      messages: contents.flatMap(messagesOf),
      tools,
      outputSchema: schemaOf(config),
      temperature: numberAt(config, 'temperature'),
      maxTokens: numberAt(config, 'maxOutputTokens'),
      simulated: undefined,
    }),
  });
}

function messagesOf(turn: JsonObject): ModelMessage[] {
  const parts = objectsAt(turn, 'parts');
  const text = textIn(parts);
  if (turn['role'] === 'model') {
    const calls = parts
      .map((part) => objectAt(part, 'functionCall'))
      .filter((call) => call !== undefined);
    return [{ role: 'assistant', text, toolCalls: calls.map(callOf) }];
  }
  const results = parts
    .map((part) => objectAt(part, 'functionResponse'))
    .filter((message) => message !== undefined);
  return [
    ...results.map(resultOf),
    ...(text === '' && results.length > 0 ? [] : [{ role: 'user', text } as const]),
  ];
}

function callOf(call: JsonObject): ToolCall {
  const name = textAt(call, 'name') ?? '';
  return { id: textAt(call, 'id') ?? name, name, arguments: call['args'] ?? {} };
}

function resultOf(response: JsonObject): ModelMessage {
  const name = textAt(response, 'name') ?? '';
  const result = response['response'] ?? null;
  return { role: 'tool', id: textAt(response, 'id') ?? name, name, result, isError: false };
}

function toolOf(declared: JsonObject): ModelTool {
  const { parametersJsonSchema: own } = declared;
  return present<ModelTool>({
    name: textAt(declared, 'name') ?? '',
    description: textAt(declared, 'description'),
    inputSchema: isJsonObject(own) ? own : plainSchema(objectAt(declared, 'parameters') ?? {}),
  });
}

function schemaOf(config: JsonObject | undefined): JsonObject | undefined {
  const own = objectAt(config, 'responseJsonSchema');
  if (own !== undefined) return own;
  const schema = objectAt(config, 'responseSchema');
  if (schema !== undefined) return plainSchema(schema);
  return textAt(config, 'responseMimeType') === 'application/json' ? { type: 'object' } : undefined;
}

/** Google writes types in capitals, and null as a flag. */
function plainSchema(schema: JsonObject): JsonObject {
  const { type, nullable, ...rest } = schema;
  const nested = Object.entries(rest).map(([key, value]) => [key, plainPart(key, value)] as const);
  const name = typeof type === 'string' ? type.toLowerCase() : type;
  const types = nullable === true && typeof name === 'string' ? [name, 'null'] : name;
  return { ...(types === undefined ? {} : { type: types }), ...Object.fromEntries(nested) };
}

function plainPart(key: string, value: JsonValue): JsonValue {
  if (key === 'properties' && isJsonObject(value)) {
    const fields = Object.entries(value).map(
      ([name, field]) => [name, isJsonObject(field) ? plainSchema(field) : field] as const,
    );
    return Object.fromEntries(fields);
  }
  if (key === 'items' && isJsonObject(value)) return plainSchema(value);
  if (key === 'anyOf' && isArray(value))
    return value.map((each) => (isJsonObject(each) ? plainSchema(each) : each));
  // this protocol writes counts as strings
  const isCount = /^m(?:in|ax)(?:Items|Length|Properties)$/.test(key) && typeof value === 'string';
  return isCount ? Number(value) : value;
}

function partsOf(reply: WireReply): readonly JsonObject[] {
  const text = reply.pieces.join('');
  return [...(text === '' ? [] : [{ text }]), ...reply.toolCalls.map(callPart)];
}

function callPart(call: ToolCall): JsonObject {
  return { functionCall: { id: call.id, name: call.name, args: call.arguments ?? {} } };
}

function frames(reply: WireReply): readonly Frame[] {
  const parts = [...reply.pieces.map((text) => ({ text })), ...reply.toolCalls.map(callPart)];
  return [
    ...parts.map((part) => content(sse(answer(reply, [part], { isLast: false })))),
    ...around(sse(answer(reply, [{ text: '' }], { isLast: true }))),
  ];
}

function answer(
  reply: WireReply,
  parts: readonly JsonObject[],
  { isLast }: { readonly isLast: boolean },
): JsonObject {
  const finish = isLast ? { finishReason: REASONS[reply.stop] } : {};
  return {
    candidates: [{ content: { role: 'model', parts }, ...finish, index: 0 }],
    ...(isLast ? { usageMetadata: usageOf(reply) } : {}),
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

/** This protocol counts reasoning separately from the reply. */
function usageOf({ usage }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - reasoningTokens),
    cachedContentTokenCount: cachedTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
}
