/**
 * What models are known to lack. Only what is missing is listed: a model that is not here is taken
 * to be able, and its provider has the last word. A warning rests on it, never a refusal.
 */
export const CAPABILITIES = ['tools', 'structured_output', 'streaming', 'images'] as const;
export type Capability = (typeof CAPABILITIES)[number];

const LACKING: readonly (readonly [pattern: RegExp, missing: readonly Capability[]])[] = [
  [
    /^openai\/(?:gpt-3\.5-turbo-instruct|babbage-002|davinci-002)/,
    ['tools', 'structured_output', 'images'],
  ],
  [/^openai\/o1-(?:mini|preview)/, ['tools', 'structured_output', 'images']],
  [/^deepseek\/deepseek-reasoner/, ['tools', 'images']],
  [/^perplexity\/sonar/, ['tools']],
  [/^ollama\/(?:gemma|gemma2|gemma3|phi|phi3)(?::|$)/, ['tools']],
];

export function lacks(model: string, capability: Capability): boolean {
  return LACKING.some(([pattern, missing]) => pattern.test(model) && missing.includes(capability));
}
