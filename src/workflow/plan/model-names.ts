/** Model names and chains: the provider of a model, and the kinds that lead to the next one. */
import { PROVIDERS } from '../../providers/known-providers.ts';
import type { ModelEntry } from './node-plan.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { ModelFile } from '../schema/model-schema.ts';

/** The provider of simulated models. */
export const SIMULATED_PROVIDER = 'sim';

const KNOWN_PROVIDERS: ReadonlySet<string> = new Set<string>([
  SIMULATED_PROVIDER,
  ...PROVIDERS.flatMap(({ name, aliases }) => [name, ...aliases]),
]);

export function toChain(model: ModelFile, provider: string | undefined): readonly ModelEntry[] {
  const entries = typeof model === 'string' ? [model] : model;
  return entries.map((entry) => {
    if (typeof entry === 'string') return { model: withProvider(entry, provider) };
    return omitUndefined({ model: withProvider(entry.model, provider), on: toKinds(entry.on) });
  });
}

function toKinds(
  on: string | readonly string[] | undefined,
): 'any' | readonly string[] | undefined {
  return on === 'any' || typeof on !== 'string' ? on : [on];
}

/**
 * `gpt-6` of `openai` is `openai/gpt-6`. A name that begins with a known provider is complete;
 * `acme/one` on a private host is not, so the configured provider is put first.
 */
function withProvider(model: string, provider: string | undefined): string {
  if (provider === undefined || isTemplate(model)) return model;
  const slash = model.indexOf('/');
  const isComplete = slash > 0 && KNOWN_PROVIDERS.has(model.slice(0, slash).toLowerCase());
  return isComplete ? model : `${provider}/${model}`;
}

export function isKnownProvider(name: string): boolean {
  return KNOWN_PROVIDERS.has(name.toLowerCase());
}

/** Whether the text is known only during the run. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
