/** Model names and chains: who provides a model, and what leads to the next one. */
import { PROVIDERS } from '../providers/names.ts';
import type { ModelEntry } from './node-model.ts';
import { given } from './given.ts';
import type { ModelFile } from './schema/model.ts';

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
    return given({ model: withProvider(entry.model, provider), on: toKinds(entry.on) });
  });
}

function toKinds(
  on: string | readonly string[] | undefined,
): 'any' | readonly string[] | undefined {
  return on === 'any' || typeof on !== 'string' ? on : [on];
}

/**
 * `gpt-6` of `openai` is `openai/gpt-6`. What begins with a provider that Errand knows is complete;
 * `acme/one` on a host of one's own is not, so there the configured provider comes first.
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

/** Text that is not fixed before the run. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%');
}
