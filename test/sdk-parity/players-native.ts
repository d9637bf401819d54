/** The providers' own clients. */
import { load, loadCommon } from './install.ts';
import type { Call, Player, Seen } from './players.ts';

const KEY = 'test-key';
const MESSAGES = [{ role: 'user', content: 'Tell.' }];

type Chunks = AsyncIterable<unknown>;

export const NATIVE_PLAYERS: readonly Player[] = [
  {
    name: 'openai',
    speaks: ['chat', 'responses'],
    async ask(call) {
      const { OpenAI } = await load('openai/index.mjs');
      const client = new OpenAI({
        apiKey: KEY,
        baseURL: call.baseUrl,
        maxRetries: 0,
        fetch: call.fetch,
        logLevel: 'off',
      });
      const stream = call.isStream;
      const options = given({ signal: call.signal, timeout: call.timeoutMs });
      return call.protocol === 'responses'
        ? seen(call, client.responses.create({ model: 'm', input: 'Tell.', stream }, options))
        : seen(
            call,
            client.chat.completions.create({ model: 'm', messages: MESSAGES, stream }, options),
          );
    },
  },
  {
    name: 'anthropic',
    speaks: ['messages'],
    async ask(call) {
      const { Anthropic } = await load('@anthropic-ai/sdk/index.mjs');
      const client = new Anthropic({
        apiKey: KEY,
        baseURL: call.baseUrl,
        maxRetries: 0,
        fetch: call.fetch,
        logLevel: 'off',
      });
      const request = { model: 'm', max_tokens: 9, messages: MESSAGES, stream: call.isStream };
      const options = given({ signal: call.signal, timeout: call.timeoutMs });
      return seen(call, client.messages.create(request, options));
    },
  },
  {
    name: 'google-genai',
    speaks: ['gemini'],
    async ask(call) {
      const { GoogleGenAI } = await load('@google/genai/dist/node/index.mjs');
      const client = new GoogleGenAI({
        apiKey: KEY,
        httpOptions: { baseUrl: call.baseUrl, fetch: call.fetch, timeout: call.timeoutMs },
      });
      const config = { abortSignal: call.signal };
      const request = { model: 'gemini-2.5-flash', contents: 'Tell.', config };
      return seen(
        call,
        call.isStream
          ? client.models.generateContentStream(request)
          : client.models.generateContent(request),
      );
    },
  },
  {
    name: 'mistral',
    speaks: ['chat'],
    async ask(call) {
      const { Mistral } = await load('@mistralai/mistralai/esm/index.js');
      const { HTTPClient } = await load('@mistralai/mistralai/esm/lib/http.js');
      const client = new Mistral({
        apiKey: KEY,
        serverURL: call.baseUrl,
        retryConfig: { strategy: 'none' },
        ...(call.fetch === undefined
          ? {}
          : { httpClient: new HTTPClient({ fetcher: call.fetch }) }),
      });
      const request = { model: 'm', messages: MESSAGES };
      const options = given({ signal: call.signal, timeoutMs: call.timeoutMs });
      return seen(
        call,
        call.isStream
          ? client.chat.stream(request, options)
          : client.chat.complete(request, options),
      );
    },
  },
  {
    name: 'aws',
    speaks: ['bedrock'],
    async ask(call) {
      const bedrock = loadCommon('@aws-sdk/client-bedrock-runtime');
      const { NodeHttpHandler } = loadCommon('@smithy/node-http-handler');
      const client = new bedrock.BedrockRuntimeClient({
        endpoint: call.baseUrl,
        region: 'us-east-1',
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        maxAttempts: 1,
        requestHandler: call.requestHandler ?? new NodeHttpHandler(awsLimits(call)),
      });
      const options = given({ abortSignal: call.signal });
      const seenCall = await seen(call, client.send(awsCommand(bedrock, call), options));
      client.destroy();
      return seenCall;
    },
  },
];

/** Some clients refuse an option that is present and undefined. */
function given(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Follows a call to its end: the error, or the result, and whether content came before it. */
async function seen(call: Call, request: Promise<unknown>): Promise<Seen> {
  const chunks: unknown[] = [];
  try {
    const result = await request;
    // a client that returns nothing received nothing
    if (!call.isStream) return { failure: { status: 200, body: result ?? '' } };
    for await (const chunk of chunksOf(result)) {
      chunks.push(chunk);
      if (hasContent([chunk])) call.onContent?.();
    }
  } catch (error) {
    return call.isStream ? { failure: error, delivered: hasContent(chunks) } : { failure: error };
  }
  const delivered = hasContent(chunks);
  return { failure: { status: 200, stream: 'mid-stream', body: chunks }, delivered };
}

function chunksOf(result: unknown): Chunks {
  const { stream, body } = result as { readonly stream?: Chunks; readonly body?: Chunks };
  return stream ?? body ?? (result as Chunks);
}

function hasContent(chunks: readonly unknown[]): boolean {
  return chunks.some((chunk) => /Once|"text":"No"|"bytes"/.test(JSON.stringify(chunk)));
}

function awsLimits({ timeoutMs }: Call): object {
  return timeoutMs === undefined
    ? {}
    : { requestTimeout: timeoutMs, throwOnRequestTimeout: true, socketTimeout: timeoutMs };
}

function awsCommand(bedrock: ReturnType<typeof loadCommon>, { api, isStream }: Call): unknown {
  const modelId = 'anthropic.claude-3-haiku-20240307-v1:0';
  if (api.startsWith('Invoke')) {
    const input = { modelId, body: '{}', contentType: 'application/json' };
    return isStream
      ? new bedrock.InvokeModelWithResponseStreamCommand(input)
      : new bedrock.InvokeModelCommand(input);
  }
  const input = { modelId, messages: [{ role: 'user', content: [{ text: 'Tell.' }] }] };
  return isStream ? new bedrock.ConverseStreamCommand(input) : new bedrock.ConverseCommand(input);
}
