/** Names the limit that was hit, in plain words, where the failure says so. */
import type { Evidence } from './evidence.ts';
import { hasFamily, LONG_WINDOW, SHORT_WINDOW } from './phrases.ts';

const UNITS = ['input tokens', 'output tokens', 'tokens', 'requests'] as const;

export function limitName({ quotas, text, matchedFamilies }: Evidence): string | null {
  const isLong =
    quotas.some((name) => /per_?(?:day|month)/i.test(name)) ||
    hasFamily(matchedFamilies, LONG_WINDOW);
  const isShort =
    quotas.some((name) => /per_?minute/i.test(name)) || hasFamily(matchedFamilies, SHORT_WINDOW);
  if (!isLong && !isShort) return null;
  const source = [...quotas, text.slice(0, 2048)].join(' ').toLowerCase().replace(/[_-]/g, ' ');
  const unit = UNITS.find((name) => source.includes(name)) ?? 'calls';
  return `${unit} per ${isLong ? longWindow(source) : 'minute'}`;
}

function longWindow(source: string): string {
  return source.includes('month') ? 'month' : 'day';
}
