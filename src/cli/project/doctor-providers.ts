/** The providers that `errand doctor` checks: the names of their keys, their package, their address. */
import { HOSTS } from '../../effects/model/openai-compatible-hosts.ts';
import { readProperty } from '../../errors/support/safe-json.ts';

export interface KnownProvider {
  readonly name: string;
  /** Names of environment variables, the usual one first. */
  readonly keys: readonly string[];
  readonly packageName: string;
  /** Absent where the address differs by account. */
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

/** Providers served on the user's own machine, without a key. */
export const LOCAL_PROVIDERS: readonly string[] = Object.entries(HOSTS).flatMap(
  ([name, { isLocal }]) => (isLocal === true ? [name] : []),
);

const TIMEOUT_MS = 5000;

/** Any reply shows that the host is reachable; without the key it is a refusal. */
export async function reachability(
  url: string,
): Promise<{ readonly isReached: boolean; readonly detail: string }> {
  const { host } = new URL(url);
  try {
    // a redirect would check another host
    const { status } = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { isReached: true, detail: `${host} replies (HTTP ${status}, without the key)` };
  } catch (thrown) {
    const code =
      readProperty(readProperty(thrown, 'cause'), 'code') ?? readProperty(thrown, 'name');
    return { isReached: false, detail: `${host} cannot be reached: ${String(code)}` };
  }
}
