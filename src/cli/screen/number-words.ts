/** Phrases for amounts, times and counts, the same in every command. */

export { usdWords } from '../../errors/render/money.ts';

/** `2026-11-16 03:08:15Z`. */
export function timeWords(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

/** `03:08:15.501`, where the day is clear. */
export function clockWords(iso: string): string {
  return iso.slice(11, 23);
}

export function countWords(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** `950`, `1.2k`, `34k`. */
export function tokenWords(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return `${Number((tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0))}k`;
}
