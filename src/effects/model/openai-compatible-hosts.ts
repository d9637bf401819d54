/**
 * Hosts that speak OpenAI's chat protocol: their addresses and the variables of their keys, from their own
 * documentation (November 2026).
 */
import type { SchemaSupport } from './prompt.ts';

export interface Host {
  /** Absent if only the user knows it. */
  readonly baseUrl?: string;
  /** Variables that may hold the key, the usual one first. */
  readonly keys: readonly string[];
  /** Runs on the user's machine: no key is needed. */
  readonly isLocal?: true;
  /** Variable that may hold another address. */
  readonly baseUrlVariable?: string;
  /** Default: accepts a schema for its reply. */
  readonly schemas?: SchemaSupport;
  /** Requires its reasoning back in a tool loop. Others, such as Groq, refuse the field. */
  readonly takesThoughts?: true;
}

export const HOSTS: Readonly<Record<string, Host>> = {
  // accepts only `json_object`, and requires the word JSON in the prompt
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    keys: ['DEEPSEEK_API_KEY'],
    schemas: 'words',
    // api-docs.deepseek.com/guides/thinking_mode: HTTP 400 without it
    takesThoughts: true,
  },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  xai: { baseUrl: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  together: { baseUrl: 'https://api.together.xyz/v1', keys: ['TOGETHER_API_KEY'] },
  fireworks: { baseUrl: 'https://api.fireworks.ai/inference/v1', keys: ['FIREWORKS_API_KEY'] },
  perplexity: {
    baseUrl: 'https://api.perplexity.ai',
    keys: ['PERPLEXITY_API_KEY', 'PPLX_API_KEY'],
  },
  cerebras: { baseUrl: 'https://api.cerebras.ai/v1', keys: ['CEREBRAS_API_KEY'] },
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    keys: ['OLLAMA_API_KEY'],
    isLocal: true,
    baseUrlVariable: 'OLLAMA_BASE_URL',
  },
  lmstudio: {
    baseUrl: 'http://127.0.0.1:1234/v1',
    keys: ['LMSTUDIO_API_KEY'],
    isLocal: true,
    baseUrlVariable: 'LMSTUDIO_BASE_URL',
  },
  vllm: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    keys: ['VLLM_API_KEY'],
    isLocal: true,
    baseUrlVariable: 'VLLM_BASE_URL',
  },
  'openai-compatible': {
    keys: ['OPENAI_COMPATIBLE_API_KEY'],
    isLocal: true,
    baseUrlVariable: 'OPENAI_COMPATIBLE_BASE_URL',
  },
};
