/** Anthropic's messages protocol. */
import { isArray, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { ModelMessage, ModelTool, ToolCall } from '../machine/conversation/model-message.ts';
import {
  anyOf,
  around,
  content,
  namedSse,
  sse,
  type ReceivedRequest,
  type Frame,
  type Protocol,
  type WireReply,
} from './protocol.ts';
import { numberAt, objectAt, objectsAt, present, textAt, textIn, valueOf } from './read-json.ts';

const REASONS = { end: 'end_turn', tools: 'tool_use', length: 'max_tokens', filter: 'refusal' };

export const MESSAGES: Protocol = {
  name: 'messages',
  dialect: 'anthropic',
  claims: (path) => path.endsWith('/messages'),
  read,
  whole,
  frames,
  errorFrame,
};

function read(body: JsonObject): ReceivedRequest | string {
  const model = textAt(body, 'model');
  if (model === undefined) return 'model: Field required';
  const messages = objectsAt(body, 'messages');
  if (messages.length === 0) return 'messages: at least one message is required';
  const system = textIn(body['system']);
  const names = new Map<string, string>();
  const tools = objectsAt(body, 'tools').map(toolOf);
  const choice = objectAt(body, 'tool_choice');
  return present<ReceivedRequest>({
    isStream: body['stream'] === true,
    wantsUsage: true,
    forcedTool: textAt(choice, 'name') ?? anyOf(tools, choice?.['type'] === 'any'),
    call: present<ReceivedRequest['call']>({
      model,
      system: system === '' ? undefined : system,
      messages: messages.flatMap((message) => messagesOf(message, names)),
      tools,
      outputSchema: schemaOf(body),
      temperature: numberAt(body, 'temperature'),
      maxTokens: numberAt(body, 'max_tokens'),
      simulated: undefined,
    }),
  });
}

/** Splits tool results, which are parts of a user message, into messages of their own. */
function messagesOf(message: JsonObject, names: Map<string, string>): ModelMessage[] {
  const parts = isArray(message['content']) ? objectsAt(message, 'content') : [];
  const text = textIn(message['content']);
  if (message['role'] === 'assistant') {
    const toolCalls = parts.filter((part) => part['type'] === 'tool_use').map(callOf);
    for (const { id, name } of toolCalls) names.set(id, name);
    return [{ role: 'assistant', text, toolCalls }];
  }
  const results = parts.filter((part) => part['type'] === 'tool_result');
  return [
    ...results.map((part): ModelMessage => {
      const id = textAt(part, 'tool_use_id') ?? '';
      const result = valueOf(textIn(part['content']));
      const isError = part['is_error'] === true;
      return { role: 'tool', id, name: names.get(id) ?? '', result, isError };
    }),
    ...(text === '' && results.length > 0 ? [] : [{ role: 'user', text } as const]),
  ];
}

function callOf(part: JsonObject): ToolCall {
  return {
    id: textAt(part, 'id') ?? '',
    name: textAt(part, 'name') ?? '',
    arguments: part['input'] ?? {},
  };
}

function toolOf(tool: JsonObject): ModelTool {
  return present<ModelTool>({
    name: textAt(tool, 'name') ?? '',
    description: textAt(tool, 'description'),
    inputSchema: objectAt(tool, 'input_schema') ?? {},
  });
}

function schemaOf(body: JsonObject): JsonObject | undefined {
  const format =
    objectAt(objectAt(body, 'output_config'), 'format') ?? objectAt(body, 'output_format');
  return objectAt(format, 'schema');
}

function whole(reply: WireReply): JsonObject {
  const text = reply.pieces.join('');
  return {
    ...head(reply),
    content: [
      ...(text === '' && reply.toolCalls.length > 0 ? [] : [{ type: 'text', text }]),
      ...reply.toolCalls.map((call) => toolUse(call, call.arguments ?? {})),
    ],
    stop_reason: REASONS[reply.stop],
    usage: usageOf(reply),
  };
}

function frames(reply: WireReply): readonly Frame[] {
  const hasText = reply.pieces.length > 0 || reply.toolCalls.length === 0;
  const start = { ...head(reply), usage: { ...usageOf(reply), output_tokens: 1 } };
  const { output_tokens } = usageOf(reply);
  const delta = { stop_reason: REASONS[reply.stop], stop_sequence: null };
  return [
    ...around(namedSse({ type: 'message_start', message: start }), namedSse({ type: 'ping' })),
    ...(hasText ? textFrames(reply) : []),
    ...reply.toolCalls.flatMap((call, index) => callFrames(call, index + (hasText ? 1 : 0))),
    ...around(
      namedSse({ type: 'message_delta', delta, usage: { output_tokens: output_tokens ?? 0 } }),
      namedSse({ type: 'message_stop' }),
    ),
  ];
}

function textFrames({ pieces }: WireReply): Frame[] {
  const block = { type: 'text', text: '' };
  return [
    ...around(namedSse({ type: 'content_block_start', index: 0, content_block: block })),
    ...pieces.map((text) => content(blockDelta(0, { type: 'text_delta', text }))),
    ...around(namedSse({ type: 'content_block_stop', index: 0 })),
  ];
}

function callFrames(call: ToolCall, index: number): Frame[] {
  const partial = JSON.stringify(call.arguments ?? {});
  return [
    ...around(namedSse({ type: 'content_block_start', index, content_block: toolUse(call, {}) })),
    content(blockDelta(index, { type: 'input_json_delta', partial_json: partial })),
    ...around(namedSse({ type: 'content_block_stop', index })),
  ];
}

function blockDelta(index: number, delta: JsonObject): string {
  return namedSse({ type: 'content_block_delta', index, delta });
}

function toolUse({ id, name }: ToolCall, input: JsonValue): JsonObject {
  return { type: 'tool_use', id, name, input };
}

function head({ id, model }: WireReply): JsonObject {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function errorFrame(body: JsonValue): string {
  const type = textAt(body, 'type');
  return type === undefined ? sse(body) : namedSse({ ...(body as JsonObject), type });
}

/** This protocol counts cached tokens separately, and reasoning as output. */
function usageOf({ usage }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
}
