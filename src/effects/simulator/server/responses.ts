/** OpenAI's responses. */
import type { JsonObject, JsonValue } from '../../../errors/json.ts';
import type { ModelMessage, ModelTool, ToolCall } from '../../../machine/model-call.ts';
import {
  anyOf,
  around,
  cacheDetails,
  content,
  namedSse,
  sse,
  type Asked,
  type Frame,
  type Protocol,
  type Said,
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
  whole: (said) => response(said, itemsOf(said)),
  frames,
  errorFrame,
};

function read(body: JsonObject): Asked | string {
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
  return present<Asked>({
    isStream: body['stream'] === true,
    wantsUsage: true,
    forcedTool:
      textAt(objectAt(body, 'tool_choice'), 'name') ??
      anyOf(tools, body['tool_choice'] === 'required'),
    call: present<Asked['call']>({
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

function itemsOf(said: Said): readonly JsonObject[] {
  const text = said.pieces.join('');
  const calls = said.toolCalls.map((call, index) => callItem(said, call, index));
  return text === '' && calls.length > 0 ? calls : [messageItem(said, text), ...calls];
}

function messageItem(said: Said, text: string | undefined): JsonObject {
  const isDone = text !== undefined;
  return {
    id: `msg_${said.id}`,
    type: 'message',
    role: 'assistant',
    status: isDone ? 'completed' : 'in_progress',
    content: isDone ? [{ type: 'output_text', text, annotations: [], logprobs: [] }] : [],
  };
}

function callItem(said: Said, call: ToolCall, index: number): JsonObject {
  return {
    id: `fc_${said.id}_${index}`,
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

function response(said: Said, output: readonly JsonObject[] | undefined): JsonObject {
  const isDone = output !== undefined;
  const reason = isDone ? REASONS[said.stop] : null;
  return {
    id: `resp_${said.id}`,
    object: 'response',
    created_at: said.atSeconds,
    status: isDone ? STATUSES[said.stop] : 'in_progress',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    metadata: {},
    model: said.model,
    output: output ?? [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isDone ? usageOf(said) : null,
  };
}

type Event = JsonObject & { readonly type: string };

function frames(said: Said): readonly Frame[] {
  let number = 0;
  const event = (type: string, fields: JsonObject): string =>
    namedSse({ type, sequence_number: number++, ...fields } satisfies Event);
  const output = itemsOf(said);
  const isTold = output.some((item) => item['type'] === 'message');
  const opening = { response: response(said, undefined) };
  const isComplete = STATUSES[said.stop] === 'completed';
  return [
    ...around(event('response.created', opening), event('response.in_progress', opening)),
    ...(isTold ? textFrames(said, event) : []),
    ...said.toolCalls.flatMap((call, index) =>
      callFrames(callItem(said, call, index), index + (isTold ? 1 : 0), event),
    ),
    ...around(
      event(isComplete ? 'response.completed' : 'response.incomplete', {
        response: response(said, output),
      }),
    ),
  ];
}

type Write = (type: string, fields: JsonObject) => string;

function textFrames(said: Said, event: Write): Frame[] {
  const text = said.pieces.join('');
  const place = { item_id: `msg_${said.id}`, output_index: 0, content_index: 0 };
  const part = (written: string): JsonObject => ({
    type: 'output_text',
    text: written,
    annotations: [],
    logprobs: [],
  });
  const item = messageItem(said, undefined);
  return [
    ...around(
      event('response.output_item.added', { output_index: 0, item }),
      event('response.content_part.added', { ...place, part: part('') }),
    ),
    ...said.pieces.map((delta) =>
      content(event('response.output_text.delta', { ...place, delta, logprobs: [] })),
    ),
    ...around(
      event('response.output_text.done', { ...place, text, logprobs: [] }),
      event('response.content_part.done', { ...place, part: part(text) }),
      event('response.output_item.done', { output_index: 0, item: messageItem(said, text) }),
    ),
  ];
}

function callFrames(item: JsonObject, index: number, event: Write): Frame[] {
  const place = { item_id: item['id'] ?? null, output_index: index };
  const written = item['arguments'] ?? '{}';
  const begun = { ...item, arguments: '', status: 'in_progress' };
  return [
    ...around(event('response.output_item.added', { output_index: index, item: begun })),
    content(event('response.function_call_arguments.delta', { ...place, delta: written })),
    ...around(
      event('response.function_call_arguments.done', { ...place, arguments: written }),
      event('response.output_item.done', { output_index: index, item }),
    ),
  ];
}

/** An event of its own has a type; an error's body is put into one. */
function errorFrame(body: JsonValue): string {
  const type = textAt(body, 'type');
  if (type !== undefined && type !== 'error') return namedSse({ ...(body as JsonObject), type });
  const error = objectAt(body, 'error');
  if (error === undefined) return sse(body);
  const { code = null, message = '', param = null } = error;
  return namedSse({ type: 'error', sequence_number: 0, code, message, param, error });
}

function usageOf({ usage }: Said): JsonObject {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: cacheDetails(usage),
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
