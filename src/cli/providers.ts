/** The providers that `errand doctor` knows: the names of their keys, their package, their address. */
import { readProperty } from '../errors/json.ts';

export interface KnownProvider {
  readonly name: string;
  /** Names of environment variables, the usual one first. */
  readonly keys: readonly string[];
  readonly packageName: string;
  readonly url: string;
}

export const PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'anthropic',
    keys: ['ANTHROPIC_API_KEY'],
    packageName: '@ai-sdk/anthropic',
    url: 'https://api.anthropic.com/v1/models',
  },
  {
    name: 'openai',
    keys: ['OPENAI_API_KEY'],
    packageName: '@ai-sdk/openai',
    url: 'https://api.openai.com/v1/models',
  },
  {
    name: 'google',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    packageName: '@ai-sdk/google',
    url: 'https://generativelanguage.googleapis.com/v1beta/models',
  },
  {
    name: 'mistral',
    keys: ['MISTRAL_API_KEY'],
    packageName: '@ai-sdk/mistral',
    url: 'https://api.mistral.ai/v1/models',
  },
  {
    name: 'openrouter',
    keys: ['OPENROUTER_API_KEY'],
    packageName: '@ai-sdk/openai-compatible',
    url: 'https://openrouter.ai/api/v1/models',
  },
];

const TIMEOUT_MS = 5000;

/** Any answer is an answer: without the key it is a refusal, and that is enough to know. */
export async function reachability({
  url,
}: KnownProvider): Promise<{ readonly isReached: boolean; readonly detail: string }> {
  const { host } = new URL(url);
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { isReached: true, detail: `${host} answers (HTTP ${status}, asked without the key)` };
  } catch (thrown) {
    const code =
      readProperty(readProperty(thrown, 'cause'), 'code') ?? readProperty(thrown, 'name');
    return { isReached: false, detail: `${host} cannot be reached: ${String(code)}` };
  }
}
