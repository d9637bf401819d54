/** OpenAI's responses protocol. */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { ModelMessage, ModelTool, ToolCall } from '../machine/conversation/model-message.ts';
import {
  anyOf,
  around,
  cacheDetails,
  content,
  namedSse,
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

export const RESPONSES: Protocol = {
  name: 'responses',
  dialect: 'openai',
  claims: (path) => path.endsWith('/responses'),
  read,
  whole: (reply) => response(reply, itemsOf(reply)),
  frames,
  errorFrame,
};

function read(body: JsonObject): ReceivedRequest | string {
  const model = textAt(body, 'model');
  if (model === undefined) return "Missing required parameter: 'model'.";
  const { input } = body;
  const items =
    typeof input === 'string' ? [{ role: 'user', content: input }] : objectsAt(body, 'input');
  if (items.length === 0) return "Missing required parameter: 'input'.";
  const isSystem = (item: JsonObject): boolean =>
    /^(?:system|developer)$/.test(textAt(item, 'role') ?? '');
  const system = [
    ...(textAt(body, 'instructions') === undefined ? [] : [textAt(body, 'instructions')]),
    ...items.filter(isSystem).map((item) => textIn(item['content'])),
  ];
  const names = new Map<string, string>();
  const tools = objectsAt(body, 'tools').map(toolOf);
  return present<ReceivedRequest>({
    isStream: body['stream'] === true,
    wantsUsage: true,
    forcedTool:
      textAt(objectAt(body, 'tool_choice'), 'name') ??
      anyOf(tools, body['tool_choice'] === 'required'),
    call: present<ReceivedRequest['call']>({
      model,
      system: system.length === 0 ? undefined : system.join('\n'),
      messages: items.filter((item) => !isSystem(item)).map((item) => messageOf(item, names)),
      tools,
      outputSchema: schemaOf(objectAt(objectAt(body, 'text'), 'format')),
      temperature: numberAt(body, 'temperature'),
      maxTokens: numberAt(body, 'max_output_tokens'),
      simulated: undefined,
    }),
  });
}

function messageOf(item: JsonObject, names: Map<string, string>): ModelMessage {
  const id = textAt(item, 'call_id') ?? '';
  if (item['type'] === 'function_call') {
    const name = textAt(item, 'name') ?? '';
    names.set(id, name);
    const call = toolCallOf(id, name, textAt(item, 'arguments') ?? '{}');
    return { role: 'assistant', text: '', toolCalls: [call] };
  }
  if (item['type'] === 'function_call_output') {
    const result = valueOf(textIn(item['output']));
    return { role: 'tool', id, name: names.get(id) ?? '', result, isError: false };
  }
  const text = textIn(item['content']);
  return item['role'] === 'assistant'
    ? { role: 'assistant', text, toolCalls: [] }
    : { role: 'user', text };
}

function toolOf(tool: JsonObject): ModelTool {
  return present<ModelTool>({
    name: textAt(tool, 'name') ?? textAt(tool, 'type') ?? '',
    description: textAt(tool, 'description'),
    inputSchema: objectAt(tool, 'parameters') ?? {},
  });
}

function schemaOf(format: JsonObject | undefined): JsonObject | undefined {
  return textAt(format, 'type') === 'json_object' ? { type: 'object' } : objectAt(format, 'schema');
}

function itemsOf(reply: WireReply): readonly JsonObject[] {
  const text = reply.pieces.join('');
  const calls = reply.toolCalls.map((call, index) => callItem(reply, call, index));
  return text === '' && calls.length > 0 ? calls : [messageItem(reply, text), ...calls];
}

function messageItem(reply: WireReply, text: string | undefined): JsonObject {
  const isDone = text !== undefined;
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    status: isDone ? 'completed' : 'in_progress',
    content: isDone ? [{ type: 'output_text', text, annotations: [], logprobs: [] }] : [],
  };
}

function callItem(reply: WireReply, call: ToolCall, index: number): JsonObject {
  return {
    id: `fc_${reply.id}_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.arguments ?? {}),
  };
}

const STATUSES = {
  end: 'completed',
  tools: 'completed',
  length: 'incomplete',
  filter: 'incomplete',
};
const REASONS = { end: null, tools: null, length: 'max_output_tokens', filter: 'content_filter' };

function response(reply: WireReply, output: readonly JsonObject[] | undefined): JsonObject {
  const isDone = output !== undefined;
  const reason = isDone ? REASONS[reply.stop] : null;
  return {
    id: `resp_${reply.id}`,
    object: 'response',
    created_at: reply.atSeconds,
    status: isDone ? STATUSES[reply.stop] : 'in_progress',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    metadata: {},
    model: reply.model,
    output: output ?? [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isDone ? usageOf(reply) : null,
  };
}

type Event = JsonObject & { readonly type: string };

function frames(reply: WireReply): readonly Frame[] {
  let number = 0;
  const event = (type: string, fields: JsonObject): string =>
    namedSse({ type, sequence_number: number++, ...fields } satisfies Event);
  const output = itemsOf(reply);
  const hasText = output.some((item) => item['type'] === 'message');
  const opening = { response: response(reply, undefined) };
  const isComplete = STATUSES[reply.stop] === 'completed';
  return [
    ...around(event('response.created', opening), event('response.in_progress', opening)),
    ...(hasText ? textFrames(reply, event) : []),
    ...reply.toolCalls.flatMap((call, index) =>
      callFrames(callItem(reply, call, index), index + (hasText ? 1 : 0), event),
    ),
    ...around(
      event(isComplete ? 'response.completed' : 'response.incomplete', {
        response: response(reply, output),
      }),
    ),
  ];
}

type Write = (type: string, fields: JsonObject) => string;

function textFrames(reply: WireReply, event: Write): Frame[] {
  const text = reply.pieces.join('');
  const position = { item_id: `msg_${reply.id}`, output_index: 0, content_index: 0 };
  const part = (written: string): JsonObject => ({
    type: 'output_text',
    text: written,
    annotations: [],
    logprobs: [],
  });
  const item = messageItem(reply, undefined);
  return [
    ...around(
      event('response.output_item.added', { output_index: 0, item }),
      event('response.content_part.added', { ...position, part: part('') }),
    ),
    ...reply.pieces.map((delta) =>
      content(event('response.output_text.delta', { ...position, delta, logprobs: [] })),
    ),
    ...around(
      event('response.output_text.done', { ...position, text, logprobs: [] }),
      event('response.content_part.done', { ...position, part: part(text) }),
      event('response.output_item.done', { output_index: 0, item: messageItem(reply, text) }),
    ),
  ];
}

function callFrames(item: JsonObject, index: number, event: Write): Frame[] {
  const position = { item_id: item['id'] ?? null, output_index: index };
  const written = item['arguments'] ?? '{}';
  const begun = { ...item, arguments: '', status: 'in_progress' };
  return [
    ...around(event('response.output_item.added', { output_index: index, item: begun })),
    content(event('response.function_call_arguments.delta', { ...position, delta: written })),
    ...around(
      event('response.function_call_arguments.done', { ...position, arguments: written }),
      event('response.output_item.done', { output_index: index, item }),
    ),
  ];
}

/** A body with a type is already an event; any other is wrapped in one. */
function errorFrame(body: JsonValue): string {
  const type = textAt(body, 'type');
  if (type !== undefined && type !== 'error') return namedSse({ ...(body as JsonObject), type });
  const error = objectAt(body, 'error');
  if (error === undefined) return sse(body);
  const { code = null, message = '', param = null } = error;
  return namedSse({ type: 'error', sequence_number: 0, code, message, param, error });
}

function usageOf({ usage }: WireReply): JsonObject {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: cacheDetails(usage),
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
