/**
 * The losses of each SDK, by name: facts from the server that it drops. Each row is asserted to be
 * a real difference, so that a version that stops losing the fact fails the suite until the row is
 * removed.
 */
export interface Loss {
  readonly sdk: string;
  /** Entries of one family. */
  readonly entries: readonly string[];
  readonly reason: string;
  /** The rest makes the failure look repeatable although it is not. */
  readonly misleads?: true;
}

const CHAT_STREAM_ERRORS = [
  'openai-stream-server-error-first-chunk',
  'groq-stream-server-error',
  'openai-compatible-stream-context',
  'extra-chat-stream-error-middle',
];

export const LOSSES: readonly Loss[] = [
  {
    sdk: 'mistral',
    entries: [...CHAT_STREAM_ERRORS, 'lmstudio-200-silent-empty'],
    reason: 'an event that fits no schema is thrown as the schema’s complaint, without the event',
  },
  {
    sdk: 'mistral',
    entries: ['openrouter-stream-inband-502'],
    reason: 'an `error` beside `choices` is stripped by the schema; an empty answer is left',
  },
  {
    sdk: 'mistral',
    entries: ['node-json-empty-200'],
    reason: 'the error of JSON.parse is thrown bare; an empty answer looks like a cut one',
  },
  {
    sdk: 'ai/mistral',
    entries: ['openrouter-stream-inband-502'],
    reason: 'crashes with a TypeError on an event without choices',
  },
  {
    sdk: 'ai/openai',
    entries: ['openrouter-stream-inband-502'],
    reason: 'an `error` beside `choices` is stripped by the schema; the stream just ends',
  },
  {
    sdk: 'ai/openai',
    entries: ['lmstudio-200-silent-empty'],
    reason: 'the finish part says `stop`; that nothing came before it only the caller knows',
  },
  {
    sdk: 'ai/openai-compatible',
    entries: ['lmstudio-200-silent-empty'],
    reason: 'the finish part says `stop`; that nothing came before it only the caller knows',
  },
  {
    sdk: 'ai/mistral',
    entries: ['lmstudio-200-silent-empty'],
    reason: 'the finish part says `stop`; that nothing came before it only the caller knows',
  },
  {
    sdk: 'ai/amazon-bedrock',
    entries: ['bedrock-stream-throttling-pascal', 'bedrock-stream-model-timeout'],
    reason: 'exceptions that its schema does not list are dropped; the stream just ends',
  },
  {
    sdk: 'aws',
    entries: ['bedrock-429-too-many-tokens-per-day'],
    reason: 'an answer that is no JSON is not kept; only its status is',
    misleads: true,
  },
  {
    sdk: 'openai',
    entries: ['openai-200-finish-content-filter-incomplete'],
    reason: 'crashes with a TypeError on a response without output',
  },
  {
    sdk: 'openai',
    entries: ['node-abort-user-midstream'],
    reason: 'an aborted stream ends as if it were complete',
  },
  {
    sdk: 'anthropic',
    entries: ['node-abort-user-midstream'],
    reason: 'an aborted stream ends as if it were complete',
  },
  {
    sdk: 'aws',
    entries: ['node-abort-user-midstream'],
    reason: 'an aborted stream is a broken socket, without a word of who broke it',
  },
  {
    sdk: 'anthropic',
    entries: [
      'node-etimedout-connect-node-fetch',
      'node-etimedout-connect-ipv4',
      'node-etimedout-connect-nat64',
      'node-connect-timeout',
    ],
    reason: 'every timeout is the same error without a cause, also one while connecting',
  },
  {
    sdk: 'google-genai',
    entries: ['extra-gemini-429-retry-after'],
    reason: 'headers are not kept',
  },
];

export function lossOf(sdk: string, entry: string): Loss | undefined {
  return LOSSES.find((loss) => loss.sdk === sdk && loss.entries.includes(entry));
}
