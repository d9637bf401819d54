/**
 * The real SDKs, each behind one function that asks the simulator a question and returns the
 * answer.
 */
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import { load } from '../sdk-parity/install.ts';

export interface Question {
  /** The address of the server, without a path. */
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
  readonly isStream: boolean;
  readonly schema?: JsonObject;
  readonly tool?: { readonly name: string; readonly inputSchema: JsonObject };
  readonly onText?: (text: string) => void;
}

export interface Received {
  readonly text: string;
  readonly toolCalls: readonly { readonly name: string; readonly input: unknown }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  /** The answer as the client returns it, which may hide a failure. */
  readonly answer: unknown;
}

export interface Client {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic' | 'google';
  /** Rejects with what the SDK throws. */
  ask(question: Question): Promise<Received>;
}

const KEY = 'test-key';

type MakeModel = (question: Question) => Promise<unknown>;

/** Makes an error of a failure that the SDK threw, or sent as a part of its stream. */
function thrown(failure: unknown): Error {
  return failure instanceof Error ? failure : new Error('The SDK failed', { cause: failure });
}

function ai(name: string, provider: Client['provider'], makeModel: MakeModel): Client {
  return {
    name: `ai/${name}`,
    provider,
    async ask(question) {
      const { generateText, streamText, Output, jsonSchema } = await load('ai/dist/index.js');
      const { schema, tool, prompt } = question;
      const settings = {
        model: await makeModel(question),
        prompt,
        maxRetries: 0,
        ...(schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(schema) }) }),
        ...(tool === undefined
          ? {}
          : { tools: { [tool.name]: { inputSchema: jsonSchema(tool.inputSchema) } } }),
      };
      if (!question.isStream) return receivedFrom(await generateText(settings));
      let text = '';
      const result = streamText({ ...settings, onError: () => undefined });
      for await (const part of result.fullStream) {
        if (part.type === 'error') throw thrown(part.error);
        if (part.type !== 'text-delta') continue;
        text += part.text;
        question.onText?.(part.text);
      }
      return receivedFrom({
        text,
        toolCalls: await result.toolCalls,
        usage: await result.usage,
        finishReason: await result.finishReason,
      });
    },
  };
}

interface AiResult {
  readonly text: string;
  readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly finishReason: string;
}

function receivedFrom(result: AiResult): Received {
  const { text, toolCalls, usage } = result;
  return {
    text,
    toolCalls: toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
    usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
    answer: result,
  };
}

const openaiChat: Client = {
  name: 'openai (chat)',
  provider: 'openai',
  async ask(question) {
    const client = await openai(question);
    const { prompt, model, schema, tool, isStream } = question;
    const request = {
      model,
      messages: [{ role: 'user', content: prompt }],
      ...(schema === undefined
        ? {}
        : { response_format: { type: 'json_schema', json_schema: { name: 'form', schema } } }),
      ...(tool === undefined
        ? {}
        : {
            tools: [
              { type: 'function', function: { name: tool.name, parameters: tool.inputSchema } },
            ],
          }),
    };
    // its own stream reader joins the pieces
    const answer = isStream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .on('content', (text: string) => question.onText?.(text))
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const { message } = answer.choices[0];
    return {
      text: message.content ?? '',
      toolCalls: (message.tool_calls ?? []).map(
        ({ function: call }: { function: { name: string; arguments: string } }) => ({
          name: call.name,
          input: JSON.parse(call.arguments) as unknown,
        }),
      ),
      usage: {
        inputTokens: answer.usage.prompt_tokens,
        outputTokens: answer.usage.completion_tokens,
      },
      answer: { status: 200, body: answer },
    };
  },
};

const openaiResponses: Client = {
  name: 'openai (responses)',
  provider: 'openai',
  async ask(question) {
    const client = await openai(question);
    const { prompt, model, schema, tool, isStream } = question;
    const request = {
      model,
      input: prompt,
      ...(schema === undefined
        ? {}
        : { text: { format: { type: 'json_schema', name: 'form', schema } } }),
      ...(tool === undefined
        ? {}
        : { tools: [{ type: 'function', name: tool.name, parameters: tool.inputSchema }] }),
    };
    const answer = isStream
      ? await client.responses
          .stream(request)
          .on('response.output_text.delta', ({ delta }: { delta: string }) =>
            question.onText?.(delta),
          )
          .finalResponse()
      : await client.responses.create(request);
    const calls = answer.output.filter(({ type }: { type: string }) => type === 'function_call');
    return {
      text: answer.output_text,
      toolCalls: calls.map((call: { name: string; arguments: string }) => ({
        name: call.name,
        input: JSON.parse(call.arguments) as unknown,
      })),
      usage: { inputTokens: answer.usage.input_tokens, outputTokens: answer.usage.output_tokens },
      answer: { status: 200, body: answer },
    };
  },
};

async function openai({ url }: Question) {
  const { OpenAI } = await load('openai/index.mjs');
  return new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly name?: string;
  readonly input?: unknown;
}

interface MessageEvent {
  readonly type: string;
  readonly message?: Message;
  readonly content_block?: Block;
  readonly delta?: { readonly text?: string; readonly partial_json?: string };
  readonly usage?: { readonly output_tokens: number };
}

interface Message {
  readonly content: readonly Block[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** Reads the raw events, since the SDK's own reader wraps errors. */
async function messageOf(
  events: AsyncIterable<MessageEvent>,
  { onText }: Question,
): Promise<Message> {
  const blocks: { block: Block; written: string }[] = [];
  const fields: object[] = [];
  for await (const { content_block: block, delta, message, usage } of events) {
    if (message !== undefined) fields.push(message);
    if (block !== undefined) blocks.push({ block, written: '' });
    const last = blocks.at(-1);
    const piece = delta?.text ?? delta?.partial_json;
    if (last === undefined || piece === undefined) {
      // the last event but one has the stop reason and the rest of the bill
      fields.push(delta ?? {}, usage === undefined ? {} : { billed: usage });
      continue;
    }
    last.written += piece;
    if (delta?.text !== undefined) onText?.(delta.text);
  }
  const whole = Object.assign({}, ...fields);
  return {
    ...whole,
    usage: { ...whole.usage, ...whole.billed },
    content: blocks.map(({ block, written }) =>
      block.type === 'text'
        ? { ...block, text: written }
        : { ...block, input: JSON.parse(written) as unknown },
    ),
  };
}

const anthropic: Client = {
  name: 'anthropic',
  provider: 'anthropic',
  async ask(question) {
    const { Anthropic } = await load('@anthropic-ai/sdk/index.mjs');
    const client = new Anthropic({
      apiKey: KEY,
      baseURL: question.url,
      maxRetries: 0,
      logLevel: 'off',
    });
    const { prompt, model, schema, tool, isStream } = question;
    const request = {
      model,
      max_tokens: 1000,
      messages: [{ role: 'user', content: prompt }],
      ...(schema === undefined
        ? {}
        : { output_config: { format: { type: 'json_schema', schema } } }),
      ...(tool === undefined
        ? {}
        : { tools: [{ name: tool.name, input_schema: tool.inputSchema }] }),
    };
    const answer = isStream
      ? await messageOf(await client.messages.create({ ...request, stream: true }), question)
      : await client.messages.create(request);
    const blocks: readonly Block[] = answer.content;
    return {
      text: blocks.map(({ text }) => text ?? '').join(''),
      toolCalls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name: name ?? '', input })),
      usage: { inputTokens: answer.usage.input_tokens, outputTokens: answer.usage.output_tokens },
      answer: { status: 200, body: answer },
    };
  },
};

const googleGenai: Client = {
  name: 'google-genai',
  provider: 'google',
  async ask(question) {
    const { GoogleGenAI } = await load('@google/genai/dist/node/index.mjs');
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: question.url } });
    const { prompt, model, schema, tool, isStream } = question;
    const request = {
      model,
      contents: prompt,
      config: {
        ...(schema === undefined
          ? {}
          : { responseMimeType: 'application/json', responseJsonSchema: schema }),
        ...(tool === undefined
          ? {}
          : {
              tools: [
                {
                  functionDeclarations: [
                    { name: tool.name, parametersJsonSchema: tool.inputSchema },
                  ],
                },
              ],
            }),
      },
    };
    const chunks = isStream
      ? await client.models.generateContentStream(request)
      : [await client.models.generateContent(request)];
    let text = '';
    let last;
    const toolCalls: Received['toolCalls'][number][] = [];
    for await (const chunk of chunks) {
      last = chunk;
      const calls: readonly { name: string; args: unknown }[] = chunk.functionCalls ?? [];
      toolCalls.push(...calls.map(({ name, args }) => ({ name, input: args })));
      const said: string = calls.length > 0 ? '' : (chunk.text ?? '');
      text += said;
      if (said !== '') question.onText?.(said);
    }
    return {
      text,
      toolCalls,
      usage: {
        inputTokens: last.usageMetadata.promptTokenCount,
        outputTokens: last.usageMetadata.candidatesTokenCount,
      },
      answer: { status: 200, body: last },
    };
  },
};

export const CLIENTS: readonly Client[] = [
  ai('openai (chat)', 'openai', async ({ url, model }) => {
    const { createOpenAI } = await load('@ai-sdk/openai/dist/index.js');
    return createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).chat(model);
  }),
  ai('openai (responses)', 'openai', async ({ url, model }) => {
    const { createOpenAI } = await load('@ai-sdk/openai/dist/index.js');
    return createOpenAI({ baseURL: `${url}/v1`, apiKey: KEY }).responses(model);
  }),
  ai('openai-compatible', 'openai', async ({ url, model }) => {
    const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
    const settings = { name: 'host', baseURL: `${url}/v1`, apiKey: KEY, includeUsage: true };
    return createOpenAICompatible({ ...settings, supportsStructuredOutputs: true })(model);
  }),
  ai('anthropic', 'anthropic', async ({ url, model }) => {
    const { createAnthropic } = await load('@ai-sdk/anthropic/dist/index.js');
    return createAnthropic({ baseURL: `${url}/v1`, apiKey: KEY })(model);
  }),
  ai('google', 'google', async ({ url, model }) => {
    const { createGoogle } = await load('@ai-sdk/google/dist/index.js');
    return createGoogle({ baseURL: `${url}/v1beta`, apiKey: KEY })(model);
  }),
  openaiChat,
  openaiResponses,
  anthropic,
  googleGenai,
];
