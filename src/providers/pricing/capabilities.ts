/**
 * Capabilities that models are known to lack, and their sizes. Only documented facts are here: an
 * unlisted model counts as capable and of unknown size, and its provider decides. Looked up on 16
 * November 2026 in the documentation that each row names.
 */
import { providerNamed } from '../known-providers.ts';

export const CAPABILITIES = ['tools', 'structured_output', 'streaming', 'images'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export interface ModelLimits {
  /** Input and output together, unless the provider says otherwise. */
  readonly contextTokens: number;
  /** Absent if the provider does not say. */
  readonly maxOutputTokens?: number;
}

const LACKING: readonly (readonly [pattern: RegExp, missing: readonly Capability[]])[] = [
  // completions only; developers.openai.com/api/docs/models
  [
    /^openai\/(?:gpt-3\.5-turbo-instruct|babbage-002|davinci-002)/,
    ['tools', 'structured_output', 'images'],
  ],
  // retired, but files still name them
  [/^openai\/o1-(?:mini|preview)/, ['tools', 'structured_output', 'images']],
  [/^deepseek\/deepseek-reasoner/, ['tools', 'images']],
  // api-docs.deepseek.com/quick_start/pricing: vision is for Flash alone
  [/^deepseek\/deepseek-v4-pro/, ['images']],
  // docs.perplexity.ai: the Sonar API takes no tools from the caller
  [/^perplexity\/sonar/, ['tools']],
  // console.groq.com/docs/models: text only
  [/^groq\/(?:openai\/gpt-oss-|llama-3\.[13]-)/, ['images']],
  // docs.mistral.ai/models: text only
  [/^mistral\/(?:codestral|devstral)-/, ['images']],
  // ollama.com/library: models without the mark `tools`
  [/^ollama\/(?:gemma|gemma2|gemma3|phi|phi3|phi4)(?::|$)/, ['tools']],
];

/** The first match counts. */
const LIMITS: readonly (readonly [pattern: RegExp, limits: ModelLimits])[] = [
  // developers.openai.com/api/docs/models
  [/^openai\/gpt-(?:6|5\.6)/, { contextTokens: 1_050_000, maxOutputTokens: 128_000 }],
  // platform.claude.com/docs/en/about-claude/models/overview
  [
    /^anthropic\/claude-(?:fable|mythos|opus|sonnet|haiku)-5/,
    { contextTokens: 1_000_000, maxOutputTokens: 128_000 },
  ],
  [/^anthropic\/claude-opus-4-[678]/, { contextTokens: 1_000_000, maxOutputTokens: 128_000 }],
  [/^anthropic\/claude-(?:opus|haiku)-4-5/, { contextTokens: 200_000, maxOutputTokens: 64_000 }],
  // ai.google.dev/gemini-api/docs/models
  [/^google\/gemini-3\.[5-8]-/, { contextTokens: 1_048_576, maxOutputTokens: 65_536 }],
  // docs.mistral.ai/models
  [/^mistral\/mistral-medium-3/, { contextTokens: 256_000 }],
  // api-docs.deepseek.com/quick_start/pricing
  [/^deepseek\/deepseek-(?:flash|v4-)/, { contextTokens: 1_000_000, maxOutputTokens: 384_000 }],
  // docs.x.ai/developers/models
  [/^xai\/grok-4\.[56]/, { contextTokens: 500_000 }],
  [/^xai\/grok-4\.3/, { contextTokens: 1_000_000 }],
  // console.groq.com/docs/models
  [/^groq\/openai\/gpt-oss-/, { contextTokens: 131_072, maxOutputTokens: 65_536 }],
  [/^groq\/llama-3\.3-70b/, { contextTokens: 131_072, maxOutputTokens: 32_768 }],
  [/^groq\/llama-3\.1-8b/, { contextTokens: 131_072, maxOutputTokens: 131_072 }],
];

export function lacks(model: string, capability: Capability): boolean {
  const name = usualName(model);
  return LACKING.some(([pattern, missing]) => pattern.test(name) && missing.includes(capability));
}

/** Undefined if unknown; then nothing may be refused for its size. */
export function limitsOf(model: string): ModelLimits | undefined {
  const name = usualName(model);
  return LIMITS.find(([pattern]) => pattern.test(name))?.[1];
}

/** `gemini/x` is `google/x`. */
function usualName(model: string): string {
  const slash = model.indexOf('/');
  if (slash < 1) return model;
  return `${providerNamed(model.slice(0, slash)).name}/${model.slice(slash + 1)}`;
}
