/** The wire protocol of an entry, and the events that come before an error in each protocol. */
import type { Entry } from '../corpus/entries.ts';

/** The played part; the expected result does not matter here. */
export type Played = Omit<Entry, 'expect'>;

export type Protocol = 'chat' | 'responses' | 'messages' | 'gemini' | 'bedrock';

const BY_API: readonly (readonly [RegExp, Protocol])[] = [
  [/^Converse|^InvokeModel|^ApplyGuardrail/, 'bedrock'],
  [/generateContent/i, 'gemini'],
  [/^responses/, 'responses'],
  [/^messages$|^anthropic (?:rawPredict|streamRawPredict|proxy)$|^oauth\.usage$/, 'messages'],
];

/** No SDK exists for a socket, a batch, or hosts with a protocol that nobody here speaks. */
const UNSPOKEN = /^realtime$|^messages\.batches/;

export function protocolOf(entry: Played): Protocol | undefined {
  if (UNSPOKEN.test(entry.api)) return undefined;
  return BY_API.find(([api]) => api.test(entry.api))?.[1] ?? 'chat';
}

/** True if the entry is the answer of another API; only clients that take any answer play it. */
export function isForeign(entry: Played): boolean {
  return (
    /^(?:cohere|ollama|fal|replicate|typesafe)$/.test(entry.provider) || /text/.test(entry.api)
  );
}

const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

const namedSse = (...events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const CHUNK = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_750_000_000,
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', content: 'Once' }, finish_reason: null }],
};

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_750_000_000,
  model: 'm',
  status: 'in_progress',
  output: [],
};

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

/** A part of an answer, so that the rest happens in its middle. */
export const BEGINNINGS: Readonly<Record<Exclude<Protocol, 'bedrock'>, string>> = {
  chat: sse(CHUNK),
  responses: namedSse(
    { type: 'response.created', response: RESPONSE, sequence_number: 0 } as { type: string },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { id: 'm1', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
    } as { type: string },
    {
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'm1',
      output_index: 0,
      content_index: 0,
      delta: 'Once',
    } as { type: string },
  ),
  messages: namedSse(
    { type: 'message_start', message: MESSAGE } as { type: string },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: '' },
    } as { type: string },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'Once' },
    } as { type: string },
  ),
  gemini: sse({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Once' }] }, index: 0 }],
  }),
};

/** The event of a stream in the protocol's own framing. */
export function eventText(protocol: Protocol, event: unknown): string {
  const type = (event as { readonly type?: unknown } | null)?.type;
  return typeof type === 'string' && (protocol === 'responses' || protocol === 'messages')
    ? namedSse(event as { type: string })
    : sse(event as object);
}
