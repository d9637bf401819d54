/** The same answer in four wire protocols, as the providers stream it. */
import { omitUndefined } from '../../src/workflow/plan/omit-undefined.ts';
import { events } from './upstream.ts';

export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  /** The mark that the provider puts on its thoughts and expects back. */
  readonly signature?: string;
  /** Arguments as the model wrote them. */
  readonly tool?: { readonly id: string; readonly name: string; readonly arguments: string };
  /** In the protocol's own words; undefined: the end marker does not arrive. */
  readonly stop?: string | undefined;
}

export interface Protocol {
  readonly name: string;
  /** `provider/model`. */
  readonly model: string;
  readonly key: string;
  /** The end of the base URL in the settings. */
  readonly base: string;
  readonly stops: { readonly good: string; readonly tool: string; readonly length: string };
  /** Undefined if the protocol has no form for it. */
  readonly refusal: string | undefined;
  readonly stream: (answer: Answer) => string;
  /** The first words, and nothing after them. */
  readonly beginning: string;
  readonly usage: object;
  /** Whether the SDK names the model that answered. */
  readonly isNamed: boolean;
}

const chunk = (delta: object, more: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm-2026',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

function chatStream({ text, reasoning, tool, stop }: Answer): string {
  const parts: object[] = [];
  if (reasoning !== undefined)
    parts.push(chunk({ role: 'assistant', reasoning_content: reasoning }));
  if (text !== undefined) parts.push(chunk({ role: 'assistant', content: text }));
  if (tool !== undefined) {
    const { id, name, arguments: written } = tool;
    const call = { index: 0, id, type: 'function', function: { name, arguments: written } };
    parts.push(chunk({ tool_calls: [call] }));
  }
  if (stop === undefined) return events(...parts);
  const usage = {
    prompt_tokens: 120,
    completion_tokens: 30,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 20 },
  };
  parts.push(chunk({}, { finish_reason: stop }), { ...chunk({}), choices: [], usage });
  return `${events(...parts)}data: [DONE]\n\n`;
}

/** Its count is in the chunk that has the stop reason. */
function mistralStream({ text, tool, stop }: Answer): string {
  if (stop === undefined) return chatStream({ ...omitUndefined({ text, tool }) });
  const begun = chatStream({ ...omitUndefined({ text, tool }) });
  const usage = { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 };
  return `${begun}${events({ ...chunk({ content: '' }, { finish_reason: stop }), usage })}data: [DONE]\n\n`;
}

function messagesStream({ text, reasoning, signature, tool, stop }: Answer): string {
  const parts: object[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm-2026',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 20,
          cache_read_input_tokens: 90,
          cache_creation_input_tokens: 10,
          output_tokens: 1,
        },
      },
    },
  ];
  const blocks: { block: object; delta: object }[] = [];
  if (reasoning !== undefined) {
    blocks.push({
      block: { type: 'thinking', thinking: '', signature: '' },
      delta: { type: 'thinking_delta', thinking: reasoning },
    });
  }
  if (text !== undefined) {
    blocks.push({ block: { type: 'text', text: '' }, delta: { type: 'text_delta', text } });
  }
  if (tool !== undefined) {
    blocks.push({
      block: { type: 'tool_use', id: tool.id, name: tool.name, input: {} },
      delta: { type: 'input_json_delta', partial_json: tool.arguments },
    });
  }
  blocks.forEach(({ block, delta }, index) => {
    parts.push({ type: 'content_block_start', index, content_block: block });
    parts.push({ type: 'content_block_delta', index, delta });
    if (signature !== undefined && 'thinking' in delta)
      parts.push({
        type: 'content_block_delta',
        index,
        delta: { type: 'signature_delta', signature },
      });
    if (stop !== undefined) parts.push({ type: 'content_block_stop', index });
  });
  if (stop === undefined) return events(...parts);
  parts.push(
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: 30 },
    },
    { type: 'message_stop' },
  );
  return events(...parts);
}

function geminiStream({ text, reasoning, signature, tool, stop }: Answer): string {
  const candidate = (parts: readonly object[], more: object = {}): object => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'm-2026',
  });
  const list: object[] = [];
  if (reasoning !== undefined) list.push(candidate([{ text: reasoning, thought: true }]));
  if (text !== undefined) list.push(candidate([{ text }]));
  if (tool !== undefined) {
    const call = { name: tool.name, args: JSON.parse(tool.arguments) };
    list.push(candidate([omitUndefined({ functionCall: call, thoughtSignature: signature })]));
  }
  if (stop === undefined) return events(...list);
  list.push({
    ...candidate([], { finishReason: stop }),
    usageMetadata: {
      promptTokenCount: 120,
      cachedContentTokenCount: 90,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 20,
      totalTokenCount: 150,
    },
  });
  return events(...list);
}

function responsesStream({ text, reasoning, signature, tool, stop }: Answer): string {
  const list: object[] = [
    {
      type: 'response.created',
      response: { id: 'resp_1', created_at: 1_750_000_000, model: 'm-2026', service_tier: null },
    },
  ];
  if (reasoning !== undefined) {
    list.push(
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { id: 'rs_1', type: 'reasoning', summary: [] },
      },
      {
        type: 'response.reasoning_summary_part.added',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
      },
      {
        type: 'response.reasoning_summary_text.delta',
        item_id: 'rs_1',
        output_index: 0,
        summary_index: 0,
        delta: reasoning,
      },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: {
          id: 'rs_1',
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: reasoning }],
          ...(signature === undefined ? {} : { encrypted_content: signature }),
        },
      },
    );
  }
  if (text !== undefined) {
    list.push(
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'in_progress',
          content: [],
        },
      },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: text,
      },
    );
  }
  if (tool !== undefined) {
    const item = { id: 'fc_1', type: 'function_call', call_id: tool.id, name: tool.name };
    list.push(
      {
        type: 'response.output_item.added',
        output_index: 2,
        item: { ...item, arguments: '', status: 'in_progress' },
      },
      {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 2,
        delta: tool.arguments,
      },
      {
        type: 'response.output_item.done',
        output_index: 2,
        item: { ...item, arguments: tool.arguments, status: 'completed' },
      },
    );
  }
  if (stop === undefined) return events(...list);
  const usage = {
    input_tokens: 120,
    input_tokens_details: { cached_tokens: 90, cache_write_tokens: 10 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 20 },
  };
  const isWhole = stop === 'completed' || stop === 'tool';
  list.push({
    type: isWhole ? 'response.completed' : 'response.incomplete',
    response: {
      id: 'resp_1',
      created_at: 1_750_000_000,
      model: 'm-2026',
      usage,
      service_tier: null,
      incomplete_details: isWhole ? null : { reason: stop },
    },
  });
  return events(...list);
}

const ALL_USED = { inputTokens: 120, outputTokens: 30, cachedTokens: 90, reasoningTokens: 20 };
/** Gemini keeps a cache by the hour and counts no tokens for writing it. */
const WRITTEN = { cacheWriteTokens: 10 };

export const PROTOCOLS: readonly Protocol[] = [
  {
    name: 'responses',
    model: 'openai/m',
    key: 'OPENAI_API_KEY',
    base: '/v1',
    stops: { good: 'completed', tool: 'tool', length: 'max_output_tokens' },
    refusal: 'content_filter',
    stream: responsesStream,
    beginning: responsesStream({ text: 'Once' }),
    usage: { ...ALL_USED, ...WRITTEN },
    isNamed: true,
  },
  {
    name: 'chat',
    model: 'groq/m',
    key: 'GROQ_API_KEY',
    base: '/v1',
    stops: { good: 'stop', tool: 'tool_calls', length: 'length' },
    refusal: 'content_filter',
    stream: chatStream,
    beginning: chatStream({ text: 'Once' }),
    usage: { ...ALL_USED, ...WRITTEN },
    isNamed: true,
  },
  {
    name: 'mistral',
    model: 'mistral/m',
    key: 'MISTRAL_API_KEY',
    base: '/v1',
    stops: { good: 'stop', tool: 'tool_calls', length: 'length' },
    refusal: undefined,
    stream: mistralStream,
    beginning: chatStream({ text: 'Once' }),
    usage: { inputTokens: 120, outputTokens: 30 },
    isNamed: true,
  },
  {
    name: 'messages',
    model: 'anthropic/m',
    key: 'ANTHROPIC_API_KEY',
    base: '/v1',
    stops: { good: 'end_turn', tool: 'tool_use', length: 'max_tokens' },
    refusal: 'refusal',
    stream: messagesStream,
    beginning: messagesStream({ text: 'Once' }),
    usage: { inputTokens: 120, outputTokens: 30, cachedTokens: 90, ...WRITTEN },
    isNamed: true,
  },
  {
    name: 'gemini',
    model: 'google/m',
    key: 'GEMINI_API_KEY',
    base: '/v1beta',
    stops: { good: 'STOP', tool: 'STOP', length: 'MAX_TOKENS' },
    refusal: 'SAFETY',
    stream: geminiStream,
    beginning: geminiStream({ text: 'Once' }),
    usage: ALL_USED,
    isNamed: false,
  },
];

export function protocolNamed(wanted: string): Protocol {
  const found = PROTOCOLS.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`no protocol ${wanted}`);
  return found;
}
