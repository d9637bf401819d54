/** The providers that `errand doctor` looks for: the names of their keys, their package, their address. */
import { HOSTS } from '../effects/model/hosts.ts';
import { readProperty } from '../errors/json.ts';

export interface KnownProvider {
  readonly name: string;
  /** Names of environment variables, the usual one first. */
  readonly keys: readonly string[];
  readonly packageName: string;
  /** Absent where the address is the person's own. */
  readonly url?: string;
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
  { name: 'azure', keys: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'], packageName: '@ai-sdk/azure' },
  {
    name: 'bedrock',
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
    packageName: '@ai-sdk/amazon-bedrock',
  },
  ...Object.entries(HOSTS)
    .filter(([, { isLocal }]) => isLocal !== true)
    .map(([name, { keys, baseUrl }]) => ({
      name,
      keys,
      packageName: '@ai-sdk/openai-compatible',
      ...(baseUrl === undefined ? {} : { url: `${baseUrl}/models` }),
    })),
];

/** Those that are served on one's own machine and ask for no key. */
export const LOCAL_PROVIDERS: readonly string[] = Object.entries(HOSTS).flatMap(
  ([name, { isLocal }]) => (isLocal === true ? [name] : []),
);

const TIMEOUT_MS = 5000;

/** Any answer is an answer: without the key it is a refusal, and that is enough to know. */
export async function reachability(
  url: string,
): Promise<{ readonly isReached: boolean; readonly detail: string }> {
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
