/** OpenAI's chat completions protocol, which most other hosts use too. */
import type { JsonObject } from '../errors/support/safe-json.ts';
import type { ModelMessage, ModelTool, ToolCall } from '../machine/conversation/model-message.ts';
import {
  anyOf,
  around,
  cacheDetails,
  content,
  sse,
  type ReceivedRequest,
  type Frame,
  type Protocol,
  type WireReply,
} from './protocol.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  present,
  textAt,
  textIn,
  toolCallOf,
  valueOf,
} from './read-json.ts';

const FINISH = {
  end: 'stop',
  tools: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
} as const;

export const CHAT: Protocol = {
  name: 'chat',
  dialect: 'openai',
  claims: (path) => path.endsWith('/chat/completions'),
  read,
  whole,
  frames,
  errorFrame: sse,
};

function read(body: JsonObject): ReceivedRequest | string {
  const model = textAt(body, 'model');
  if (model === undefined) return 'you must provide a model parameter';
  const all = objectsAt(body, 'messages');
  if (all.length === 0) return "Missing required parameter: 'messages'.";
  const isSystem = (message: JsonObject): boolean => /^(?:system|developer)$/.test(roleOf(message));
  const system = all.filter(isSystem).map((message) => textIn(message['content']));
  const names = new Map<string, string>();
  const tools = objectsAt(body, 'tools').map(toolOf);
  return present<ReceivedRequest>({
    isStream: body['stream'] === true,
    wantsUsage: objectAt(body, 'stream_options')?.['include_usage'] === true,
    forcedTool:
      textAt(objectAt(objectAt(body, 'tool_choice'), 'function'), 'name') ??
      anyOf(tools, body['tool_choice'] === 'required'),
    call: present<ReceivedRequest['call']>({
      model,
      system: system.length === 0 ? undefined : system.join('\n'),
      messages: all.filter((message) => !isSystem(message)).map((each) => messageOf(each, names)),
      tools,
      outputSchema: schemaOf(objectAt(body, 'response_format')),
      temperature: numberAt(body, 'temperature'),
      maxTokens: numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens'),
      simulated: undefined,
    }),
  });
}

function roleOf(message: JsonObject): string {
  return textAt(message, 'role') ?? 'user';
}

function messageOf(message: JsonObject, names: Map<string, string>): ModelMessage {
  const text = textIn(message['content']);
  switch (roleOf(message)) {
    case 'assistant': {
      const toolCalls = objectsAt(message, 'tool_calls').map(callOf);
      for (const { id, name } of toolCalls) names.set(id, name);
      return { role: 'assistant', text, toolCalls };
    }
    case 'tool': {
      const id = textAt(message, 'tool_call_id') ?? '';
      return { role: 'tool', id, name: names.get(id) ?? '', result: valueOf(text), isError: false };
    }
    default:
      return { role: 'user', text };
  }
}

function callOf(call: JsonObject): ToolCall {
  const received = objectAt(call, 'function');
  return toolCallOf(
    textAt(call, 'id') ?? '',
    textAt(received, 'name') ?? '',
    textAt(received, 'arguments') ?? '{}',
  );
}

function toolOf(tool: JsonObject): ModelTool {
  const declared = objectAt(tool, 'function');
  return present<ModelTool>({
    name: textAt(declared, 'name') ?? '',
    description: textAt(declared, 'description'),
    inputSchema: objectAt(declared, 'parameters') ?? {},
  });
}

function schemaOf(format: JsonObject | undefined): JsonObject | undefined {
  if (textAt(format, 'type') === 'json_object') return { type: 'object' };
  return objectAt(objectAt(format, 'json_schema'), 'schema');
}

function whole(reply: WireReply): JsonObject {
  const text = reply.pieces.join('');
  const calls = reply.toolCalls.map((call) => ({
    ...wireCall(call),
    function: wireFunction(call),
  }));
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...head(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reply.stop] }],
    usage: usageOf(reply),
  };
}

function frames(reply: WireReply): readonly Frame[] {
  const begin = { role: 'assistant', content: '' };
  const usage = { ...head(reply, 'chat.completion.chunk'), choices: [], usage: usageOf(reply) };
  return [
    ...around(chunk(reply, begin)),
    ...reply.pieces.map((piece) => content(chunk(reply, { content: piece }))),
    ...reply.toolCalls.flatMap((call, index) => {
      const first = { index, ...wireCall(call), function: { name: call.name, arguments: '' } };
      const rest = { index, function: { arguments: wireFunction(call).arguments } };
      return [first, rest].map((part) => content(chunk(reply, { tool_calls: [part] })));
    }),
    ...around(chunk(reply, {}, FINISH[reply.stop])),
    ...(reply.wantsUsage ? around(sse(usage)) : []),
    ...around('data: [DONE]\n\n'),
  ];
}

function chunk(reply: WireReply, delta: JsonObject, finish: string | null = null): string {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return sse({ ...head(reply, 'chat.completion.chunk'), choices: [choice] });
}

function head({ id, atSeconds, model }: WireReply, object: string): JsonObject {
  return { id: `chatcmpl-${id}`, object, created: atSeconds, model };
}

function wireCall({ id }: ToolCall): { readonly id: string; readonly type: string } {
  return { id, type: 'function' };
}

function wireFunction(call: ToolCall): { readonly name: string; readonly arguments: string } {
  return { name: call.name, arguments: JSON.stringify(call.arguments ?? {}) };
}

function usageOf({ usage }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: cacheDetails(usage),
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
