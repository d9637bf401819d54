/**
 * Hosts that speak OpenAI's chat protocol: where they are and which variable has their key. Addresses
 * and variables as their own documentation gives them (looked up in November 2026).
 */
import type { SchemaSupport } from './prompt.ts';

export interface Host {
  /** Absent where only the person knows it. */
  readonly baseUrl?: string;
  /** Variables that may hold the key, first the usual one. */
  readonly keys: readonly string[];
  /** On one's own machine: no key is needed. */
  readonly isLocal?: true;
  /** Variable that may hold another address. */
  readonly baseUrlVariable?: string;
  /** Default: takes a schema for its answer. */
  readonly schemas?: SchemaSupport;
  /** Wants its thoughts back in a tool loop. Others refuse the field, as Groq does. */
  readonly takesThoughts?: true;
}

export const HOSTS: Readonly<Record<string, Host>> = {
  // takes `json_object` only, and asks for the word JSON in the prompt
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    keys: ['DEEPSEEK_API_KEY'],
    schemas: 'words',
    // api-docs.deepseek.com/guides/thinking_mode: a 400 without them
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
