/** `ai` with six of its providers: `generateText` and `streamText`. */
import { load } from './install.ts';
import type { Call, Player, Seen } from './players.ts';
import type { Protocol } from './protocol.ts';

type MakeModel = (call: Call) => Promise<unknown>;

const KEY = 'test-key';

interface AiPlayer extends Player {
  readonly makeModel: MakeModel;
}

export const AI_PLAYERS: readonly AiPlayer[] = [
  player('ai/openai', ['chat', 'responses'], async ({ baseUrl, fetch, protocol }) => {
    const { createOpenAI } = await load('@ai-sdk/openai/dist/index.js');
    const provider = createOpenAI({ baseURL: baseUrl, apiKey: KEY, fetch });
    return protocol === 'responses' ? provider.responses('gpt-4o') : provider.chat('gpt-4o');
  }),
  {
    ...player('ai/openai-compatible', ['chat'], async ({ baseUrl, fetch }) => {
      const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
      return createOpenAICompatible({ name: 'host', baseURL: baseUrl, apiKey: KEY, fetch })('m');
    }),
    takesAnyAnswer: true,
  },
  player('ai/anthropic', ['messages'], async ({ baseUrl, fetch }) => {
    const { createAnthropic } = await load('@ai-sdk/anthropic/dist/index.js');
    return createAnthropic({ baseURL: baseUrl, apiKey: KEY, fetch })('claude-sonnet-4-5');
  }),
  player('ai/google', ['gemini'], async ({ baseUrl, fetch }) => {
    const { createGoogle } = await load('@ai-sdk/google/dist/index.js');
    return createGoogle({ baseURL: baseUrl, apiKey: KEY, fetch })('gemini-2.5-flash');
  }),
  player('ai/mistral', ['chat'], async ({ baseUrl, fetch }) => {
    const { createMistral } = await load('@ai-sdk/mistral/dist/index.js');
    return createMistral({ baseURL: baseUrl, apiKey: KEY, fetch })('mistral-small-latest');
  }),
  {
    ...player('ai/amazon-bedrock', ['bedrock'], async ({ baseUrl, fetch }) => {
      const { createAmazonBedrock } = await load('@ai-sdk/amazon-bedrock/dist/index.js');
      return createAmazonBedrock({ baseURL: baseUrl, region: 'us-east-1', apiKey: KEY, fetch })(
        'anthropic.claude-3-haiku-20240307-v1:0',
      );
    }),
    api: 'ConverseStream',
  },
];

function player(name: string, speaks: readonly Protocol[], makeModel: MakeModel): AiPlayer {
  return {
    makeModel,
    name,
    speaks,
    async ask(call) {
      const model = await makeModel(call);
      return call.isStream ? streamed(model, call) : generated(model, call);
    },
  };
}

/** The model of the provider that uses a protocol; if none does, an OpenAI model. */
export function makeModelFor(call: Call): Promise<unknown> {
  const speaks = AI_PLAYERS.find((each) => each.speaks.includes(call.protocol)) ?? AI_PLAYERS[0];
  if (speaks === undefined) throw new Error('There is no AI SDK to ask');
  return speaks.makeModel(call);
}

async function generated(model: unknown, call: Call): Promise<Seen> {
  const { generateText } = await load('ai/dist/index.js');
  try {
    return { failure: await generateText({ ...settings(call), model }) };
  } catch (error) {
    return { failure: error };
  }
}

async function streamed(model: unknown, call: Call): Promise<Seen> {
  const { streamText } = await load('ai/dist/index.js');
  const { fullStream } = streamText({ ...settings(call), model, onError: () => undefined });
  let delivered = false;
  let last: unknown;
  try {
    for await (const part of fullStream) {
      if (part.type === 'error' || part.type === 'abort') return { failure: part, delivered };
      if (part.type === 'text-delta' && part.text !== '') {
        delivered = true;
        call.onContent?.();
      }
      last = part;
    }
  } catch (error) {
    return { failure: error, delivered };
  }
  return { failure: last, delivered };
}

function settings({ signal, timeoutMs }: Call): object {
  const limit = timeoutMs === undefined ? signal : AbortSignal.timeout(timeoutMs);
  return { prompt: 'Tell.', maxRetries: 0, ...(limit === undefined ? {} : { abortSignal: limit }) };
}
