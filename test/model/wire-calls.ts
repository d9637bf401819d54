/** The calls whose requests are golden files, and their providers. */
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { ModelCall, ModelMessage } from '../../src/machine/conversation/model-message.ts';
import { KEY } from './harness.ts';

export interface ModelProvider {
  /** The name of the golden file. */
  readonly name: string;
  /** The form in a turn that goes back to the provider. */
  readonly canonical: string;
  /** `provider/model`. */
  readonly model: string;
  /** The end of the base URL in the settings. */
  readonly base: string;
  readonly env: Readonly<Record<string, string>>;
}

export const PROVIDERS: readonly ModelProvider[] = [
  {
    name: 'openai',
    canonical: 'openai',
    model: 'openai/gpt-5.4',
    base: '/v1',
    env: { OPENAI_API_KEY: KEY },
  },
  {
    name: 'azure',
    canonical: 'azure',
    model: 'azure/mine',
    base: '/openai',
    env: { AZURE_API_KEY: KEY },
  },
  {
    name: 'anthropic',
    canonical: 'anthropic',
    model: 'anthropic/claude-sonnet-5',
    base: '/v1',
    env: { ANTHROPIC_API_KEY: KEY },
  },
  {
    name: 'anthropic-old',
    canonical: 'anthropic',
    model: 'anthropic/claude-3-haiku-20240307',
    base: '/v1',
    env: { ANTHROPIC_API_KEY: KEY },
  },
  {
    name: 'google',
    canonical: 'google',
    model: 'google/gemini-3-pro',
    base: '/v1beta',
    env: { GEMINI_API_KEY: KEY },
  },
  {
    name: 'mistral',
    canonical: 'mistral',
    model: 'mistral/small',
    base: '/v1',
    env: { MISTRAL_API_KEY: KEY },
  },
  {
    name: 'bedrock',
    canonical: 'bedrock',
    model: 'bedrock/anthropic.claude-sonnet-5',
    base: '',
    env: { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: KEY },
  },
  {
    name: 'groq',
    canonical: 'groq',
    model: 'groq/m',
    base: '/v1',
    env: { GROQ_API_KEY: KEY },
  },
  {
    name: 'deepseek',
    canonical: 'deepseek',
    model: 'deepseek/m',
    base: '/v1',
    env: { DEEPSEEK_API_KEY: KEY },
  },
  {
    name: 'moonshot',
    canonical: 'moonshot',
    model: 'moonshot/m',
    base: '/v1',
    env: { MOONSHOT_API_KEY: KEY },
  },
];

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** The beginnings of files of other kinds are enough to recognise them. */
const begun = (...bytes: readonly number[]): string =>
  Buffer.from([...bytes, ...Buffer.alloc(24)]).toString('base64');
const GIF = begun(0x47, 0x49, 0x46, 0x38, 0x39, 0x61);
const JPEG = begun(0xff, 0xd8, 0xff, 0xe0);
const WEBP = begun(0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50);
const BMP = begun(0x42, 0x4d, 9, 9, 0, 0, 0, 0);
const TIFF = begun(0x49, 0x49, 0x2a, 0);
const AVIF = begun(0, 0, 0, 0x1c, 0x66, 0x74, 0x79, 0x70, 0x61, 0x76, 0x69, 0x66);

const CLOSED: JsonObject = {
  type: 'object',
  properties: {
    label: { type: 'string', enum: ['refund', 'bug'], description: 'What it is' },
    parts: { type: 'array', items: { type: 'number' } },
  },
  required: ['label', 'parts'],
  additionalProperties: false,
};
const OPEN: JsonObject = { type: 'object', properties: { label: { type: 'string' } } };

const LOOKUP = { name: 'lookup', description: 'Looks a thing up.', inputSchema: OPEN };
const PLAIN_TOOL = { name: 'count-all', inputSchema: CLOSED };

const user = (text: string): ModelMessage => ({ role: 'user', text });
const said = (text: string): ModelMessage => ({ role: 'assistant', text, toolCalls: [] });

/** A conversation in which two tools were called at once and one of them failed. */
const TWO_CALLS: readonly ModelMessage[] = [
  user('Look both up.'),
  {
    role: 'assistant',
    text: 'I will.',
    toolCalls: [
      { id: 'call00001', name: 'lookup', arguments: { label: 'café ☕' } },
      { id: 'call00002', name: 'count-all', unparsable: '{"label":"bu' },
    ],
  },
  {
    role: 'tool',
    id: 'call00001',
    name: 'lookup',
    result: { found: [1, 2.5, null] },
    isError: false,
  },
  { role: 'tool', id: 'call00002', name: 'count-all', result: 'Not JSON.', isError: true },
  user('And now?'),
];

/** The same from the provider's own log, with the parts that it expects back. */
const withTurn = (provider: string): readonly ModelMessage[] => [
  user('Think.'),
  {
    role: 'assistant',
    text: 'Thought.',
    toolCalls: [{ id: 'call00001', name: 'lookup', arguments: { label: 'x' } }],
    turn: {
      provider,
      parts: [
        {
          type: 'reasoning',
          text: 'Hm.',
          metadata: {
            openai: { itemId: 'rs_1', reasoningEncryptedContent: 'secret' },
            azure: { itemId: 'rs_1', reasoningEncryptedContent: 'secret' },
            anthropic: { signature: 'sig' },
            bedrock: { signature: 'sig' },
            google: { thoughtSignature: 'sig' },
          },
        },
        { type: 'reasoning', text: 'Unsigned.' },
        { type: 'text', text: 'Thought.', metadata: { openai: { itemId: 'msg_1' } } },
        { type: 'text', text: '' },
        { type: 'call', call: 0, metadata: { google: { thoughtSignature: 'sig2' } } },
        { type: 'call', call: 7 },
      ],
    },
  },
  { role: 'tool', id: 'call00001', name: 'lookup', result: ['a', { b: true }], isError: true },
];

const image = (base64: string, mediaType?: string): Partial<ModelCall> => ({
  messages: [
    {
      role: 'user',
      text: 'What is it?',
      images: [{ base64, ...(mediaType === undefined ? {} : { mediaType }) }],
    },
  ],
});

/** The calls by the title of their golden file. */
export function callsTo(provider: string): Readonly<Record<string, Partial<ModelCall>>> {
  return {
    'a message': {},
    'an empty message': { messages: [user('')] },
    'a system text': { system: 'You are a clerk.' },
    'several messages': {
      system: 'Be short.',
      messages: [user('One.'), said('Two.'), user('Three.'), said(''), user('Four.')],
    },
    settings: { temperature: 0, maxTokens: 77 },
    'little reasoning': { reasoning: 'low' },
    'most reasoning': { reasoning: 'max', maxTokens: 9_000 },
    tools: { tools: [LOOKUP, PLAIN_TOOL] },
    'tools and a schema': { tools: [LOOKUP], outputSchema: CLOSED, system: 'Be short.' },
    'a closed schema': { outputSchema: CLOSED },
    'an open schema': { outputSchema: OPEN, temperature: 0.25 },
    'a schema of a list': { outputSchema: { type: 'array', items: { type: 'number' } } },
    'two calls and their results': { tools: [LOOKUP, PLAIN_TOOL], messages: TWO_CALLS },
    'two calls without the tools': { messages: TWO_CALLS },
    'its own turn': { tools: [LOOKUP], messages: withTurn(provider) },
    'the turn of another': { tools: [LOOKUP], messages: withTurn('another') },
    'an image': image(PIXEL, 'image/png'),
    'an image of no type': image(PIXEL),
    'an image of a wrong type': image(JPEG, 'image/png'),
    'a gif': image(GIF),
    'a webp': image(WEBP),
    'a bmp': image(BMP),
    'a tiff': image(TIFF),
    'an avif': image(AVIF),
    'an image in a URL': {
      messages: [{ role: 'user', text: '', images: [{ url: `data:image/gif;base64,${GIF}` }] }],
    },
    'an image that is no image': image('bm90aGluZw==', 'image/png'),
    'an image by its address': {
      messages: [
        {
          role: 'user',
          text: 'And this?',
          images: [
            { url: 'https://example.com/a b.png?x=1' },
            { url: 'https://example.com/c.jpg' },
          ],
        },
      ],
    },
  };
}
