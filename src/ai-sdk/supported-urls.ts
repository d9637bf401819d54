/**
 * The addresses that every model of a chain reads by itself; the SDK downloads all others first.
 */
import type { LanguageModelV4 } from '@ai-sdk/provider';

type Patterns = Record<string, RegExp[]>;

export async function sharedUrls(models: readonly LanguageModelV4[]): Promise<Patterns> {
  const [first = {}, ...others] = await Promise.all(
    models.map((model) => Promise.resolve(model.supportedUrls)),
  );
  return Object.fromEntries(
    Object.entries(first)
      .map(([type, patterns]) => {
        const shared = patterns.filter((pattern) =>
          others.every((urls) => has(urls, type, pattern)),
        );
        return [type, shared] as const;
      })
      .filter(([, shared]) => shared.length > 0),
  );
}

function has(urls: Patterns, type: string, pattern: RegExp): boolean {
  return (urls[type] ?? []).some((other) => String(other) === String(pattern));
}
