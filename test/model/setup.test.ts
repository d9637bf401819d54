import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextFor, failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { createLoadPackage } from '../../src/effects/model/load-package.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import type { ModelEffectOptions } from '../../src/effects/model/model-host.ts';
import type { ModelRequest } from '../../src/effects/model/model-effect-request.ts';
import { freePort } from '../free-port.ts';
import { load } from '../sdk-parity/install.ts';
import { HELLO, KEY, SDKS } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

const [responses] = PROTOCOLS;
if (responses === undefined) throw new Error('no protocols');
const chat = PROTOCOLS.find(({ name }) => name === 'chat') ?? responses;
const WORDS = streams(chat.stream({ text: 'Hello.', stop: 'stop' }));

let upstream: Upstream;
/** A project that has nothing installed. */
let bare: string;
beforeAll(async () => {
  upstream = await startUpstream();
  bare = mkdtempSync(join(tmpdir(), 'errand-bare-'));
});
afterAll(async () => {
  rmSync(bare, { recursive: true, force: true });
  await upstream.close();
});

function callOf(
  model: string,
  options: Partial<ModelEffectOptions> = {},
  request: Partial<ModelRequest> = {},
): Promise<EffectResult> {
  const effect = createModelEffect({ env: {}, ...options });
  return effect({ call: { ...HELLO, model }, directory: SDKS, ...request }, contextFor());
}

describe('a provider that is not set up', () => {
  it.each([
    ['openai/gpt-6', 'Set OPENAI_API_KEY.'],
    ['anthropic/claude', 'Set ANTHROPIC_API_KEY.'],
    ['google/gemini', 'Set GOOGLE_GENERATIVE_AI_API_KEY.'],
    ['gemini/gemini', 'Set GOOGLE_GENERATIVE_AI_API_KEY.'],
    ['mistral/small', 'Set MISTRAL_API_KEY.'],
    ['azure/deployment', 'Set AZURE_RESOURCE_NAME or AZURE_OPENAI_ENDPOINT. Set AZURE_API_KEY.'],
    ['deepseek/chat', 'Set DEEPSEEK_API_KEY.'],
    ['groq/llama', 'Set GROQ_API_KEY.'],
    ['xai/grok', 'Set XAI_API_KEY.'],
    ['openrouter/openai/gpt-6', 'Set OPENROUTER_API_KEY.'],
    ['together/x', 'Set TOGETHER_API_KEY.'],
    ['fireworks/x', 'Set FIREWORKS_API_KEY.'],
    ['perplexity/sonar', 'Set PERPLEXITY_API_KEY.'],
    ['openai-compatible/x', 'Set `runtime.provider.base_url` or OPENAI_COMPATIBLE_BASE_URL.'],
  ])('says for %s: %s', async (model, detail) => {
    const result = await callOf(model);
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.not_configured',
      outcome: 'not_started',
      retryable: false,
      action: { kind: 'check_credentials', detail },
      provider: { model: model.slice(model.indexOf('/') + 1) },
    });
    expect(result).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 } });
  });

  it('asks for a region and credentials of Bedrock', async () => {
    const { action } = reportOf(await callOf('bedrock/anthropic.claude'));
    expect(action.detail).toMatch(/^Set AWS_REGION\. Set AWS_BEARER_TOKEN_BEDROCK, or /);
  });

  it('names the packages that are not installed, all of them and once', async () => {
    const loadPackage = () => ({ type: 'missing' }) as const;
    const report = reportOf(await callOf('openai/gpt-6', { loadPackage }));
    expect(report).toMatchObject({
      kind: 'provider.not_configured',
      outcome: 'not_started',
      action: {
        kind: 'install_package',
        detail: 'Run `npm install @ai-sdk/openai`. Set OPENAI_API_KEY.',
      },
    });
  });

  it('says so when a package is there and does not load, without its paths', async () => {
    const loadPackage = () =>
      ({ type: 'broken', thrown: new Error('Cannot read /home/someone/x.js') }) as const;
    const result = await callOf('openai/gpt-6', { env: { OPENAI_API_KEY: KEY }, loadPackage });
    expect(reportOf(result).action.detail).toContain(
      'Reinstall @ai-sdk/openai, which does not load',
    );
    expect(JSON.stringify(reportOf(result))).not.toContain('/home/someone');
  });

  it.each([
    ['has no provider', {}],
    ['makes no models', { createOpenAI: () => ({}) }],
    [
      'makes models of an older interface',
      { createOpenAI: () => ({ languageModel: () => ({ specificationVersion: 'v1' }) }) },
    ],
  ])('says so when a package is too old: it %s', async (_, exports) => {
    const loadPackage = () => ({ type: 'loaded', exports }) as const;
    const result = await callOf('openai/gpt-6', { env: { OPENAI_API_KEY: KEY }, loadPackage });
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.not_configured',
      action: { detail: expect.stringContaining('npm install @ai-sdk/openai@latest') as string },
    });
  });

  it('needs nothing of the SDK but the package of the provider', async () => {
    upstream.answer(WORDS);
    const loaded: string[] = [];
    const load = createLoadPackage(SDKS);
    const loadPackage = (name: string, directory: string | undefined) => {
      loaded.push(name);
      return load(name, directory);
    };
    const settings = { name: 'groq', apiKey: KEY, baseUrl: upstream.url };
    expect((await callOf('groq/m', { loadPackage }, { settings })).ok).toBe(true);
    expect(loaded).toEqual(['@ai-sdk/openai-compatible']);
  });

  it('names a variable of the settings that is not set', async () => {
    const settings = { name: 'openai', apiKey: '${TEAM_KEY}', baseUrl: '${GATEWAY:-http://x}/v1' };
    const result = await callOf('openai/gpt-6', {}, { settings });
    expect(reportOf(result).action.detail).toBe('Set TEAM_KEY.');
  });

  it.each([
    [
      'the settings',
      {},
      { settings: { name: 'openai', baseUrl: 'http://me:s3cr3t@127.0.0.1/v1' } },
    ],
    ['a variable', { OPENAI_BASE_URL: 'http://me:s3cr3t@127.0.0.1/v1' }, {}],
  ])('refuses an address with a user and a password, from %s', async (_, env, request) => {
    const result = await callOf('openai/gpt-6', { env: { OPENAI_API_KEY: KEY, ...env } }, request);
    const report = reportOf(result);
    expect(report).toMatchObject({
      kind: 'provider.not_configured',
      outcome: 'not_started',
      action: { detail: expect.stringContaining('user name and the password') as string },
    });
    expect(JSON.stringify(report)).not.toContain('s3cr3t');
  });

  it('explains what to do for one that it only knows the name of', async () => {
    const report = reportOf(await callOf('cohere/command'));
    expect(report).toMatchObject({ kind: 'provider.not_configured', outcome: 'not_started' });
    expect(report.action.detail).toContain('register an AI SDK provider called cohere');
  });

  it('refuses a name without a provider', async () => {
    expect(reportOf(await callOf('gpt-6'))).toMatchObject({
      kind: 'provider.not_configured',
      action: { kind: 'fix_file' },
    });
  });
});

describe('where a call goes', () => {
  it('is the address of the settings, with their key and headers', async () => {
    upstream.answer(WORDS);
    const result = await callOf(
      'acme/one/two',
      { env: { TEAM_KEY: KEY } },
      {
        settings: {
          name: 'acme',
          baseUrl: `${upstream.url}/v9`,
          apiKey: '${TEAM_KEY}',
          headers: { 'x-team': 'clerks ${TEAM_KEY}' },
        },
      },
    );
    expect(result.ok).toBe(true);
    expect(upstream.received[0]).toMatchObject({
      path: '/v9/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'x-team': `clerks ${KEY}` },
      body: { model: 'one/two', stream: true, stream_options: { include_usage: true } },
    });
  });

  it('is not the address of another provider’s settings', async () => {
    const settings = { name: 'openai', apiKey: KEY, baseUrl: upstream.url };
    expect(failureOf(await callOf('groq/llama', {}, { settings })).failure.kind).toBe(
      'provider.not_configured',
    );
  });

  it.each(['ollama', 'lmstudio', 'vllm'])('needs no key for %s', async (name) => {
    upstream.answer(WORDS);
    const settings = { name, baseUrl: upstream.url };
    const result = await callOf(`${name}/m`, {}, { settings });
    expect(result.ok).toBe(true);
    expect(upstream.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is the deployment of Azure', async () => {
    upstream.answer(streams(responses.stream({ text: 'Hello.', stop: 'completed' })));
    const result = await callOf('azure/mine', {
      env: { AZURE_API_KEY: KEY, AZURE_BASE_URL: `${upstream.url}/openai` },
    });
    expect(result.ok).toBe(true);
    expect(upstream.received[0]).toMatchObject({
      headers: { 'api-key': KEY },
      body: { model: 'mine' },
    });
  });

  it('is Bedrock with its key', async () => {
    upstream.answer((response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end('{"message":"The security token included in the request is invalid."}');
    });
    const result = await callOf(
      'bedrock/anthropic.claude',
      { env: { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: KEY } },
      { settings: { name: 'bedrock', baseUrl: upstream.url } },
    );
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.auth',
      provider: { name: 'bedrock', status: 403 },
    });
    expect(upstream.received[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(upstream.received).toHaveLength(1);
  });

  it('is a refused connection where nobody listens', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const settings = { name: 'openai', apiKey: KEY, baseUrl };
    expect(reportOf(await callOf('openai/m', {}, { settings })).kind).toBe('provider.network');
  });
});

describe('what the host registers', () => {
  it('is a provider of the SDK, and wins over a built-in one', async () => {
    const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
    const mine = createOpenAICompatible({ name: 'mine', baseURL: `${upstream.url}/mine` });
    upstream.answer(WORDS);
    for (const name of ['mine', 'openai']) {
      const result = await callOf(`${name}/m`, { providers: { [name]: mine } });
      expect(result).toMatchObject({ ok: true, output: { text: 'Hello.' } });
    }
    expect(upstream.received.map(({ path }) => path)).toEqual([
      '/mine/chat/completions',
      '/mine/chat/completions',
    ]);
  });

  it('is a function that gives models, or a single model', async () => {
    const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
    const mine = createOpenAICompatible({ name: 'mine', baseURL: `${upstream.url}/mine` });
    upstream.answer(WORDS);
    const byFunction = await callOf('acme/x', {
      providers: { acme: (model: string) => mine.chatModel(`prefix-${model}`) },
    });
    const byName = await callOf('acme/y', { models: { 'acme/y': mine.chatModel('z') } });
    expect([byFunction.ok, byName.ok]).toEqual([true, true]);
    expect(upstream.received.map(({ body }) => body['model'])).toEqual(['prefix-x', 'z']);
  });

  it('fails as the provider says when it does not know the model', async () => {
    const { createProviderRegistry } = await load('ai/dist/index.js');
    const registry = createProviderRegistry({});
    const result = await callOf('acme/x', {
      providers: { acme: (model: string) => registry.languageModel(`nobody:${model}`) },
    });
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.model_not_found',
      outcome: 'not_started',
    });
  });
});

describe('packages', () => {
  it('are looked for in the workflow’s folder first, and need not be there', () => {
    const loadPackage = createLoadPackage(bare);
    expect(loadPackage('@ai-sdk/openai', bare).type).toBe('missing');
    expect(loadPackage('@ai-sdk/openai', SDKS).type).toBe('loaded');
    expect(createLoadPackage(SDKS)('@ai-sdk/openai', bare).type).toBe('loaded');
  });
});

describe('a key', () => {
  it('is in no report and in no output, also when the provider repeats it', async () => {
    upstream.answer((response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }));
    });
    const settings = { name: 'openai', apiKey: KEY, baseUrl: upstream.url };
    const result = await callOf('openai/m', {}, { settings });
    const { thrown: _thrown, ...kept } = failureOf(result);
    expect(JSON.stringify(kept)).not.toContain(KEY);
    expect(JSON.stringify(reportOf(result))).not.toContain(KEY);
  });
});
