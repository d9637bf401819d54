/** Formats money, the same in every message and on every screen. */

/** `$0`, `$0.00048`, `$0.0123`, `$1.075`, `$12.50`: to the cent, with more digits where needed. */
export function usdWords(micros: number): string {
  if (micros === 0) return '$0';
  return `$${(micros / 1_000_000).toFixed(6).replace(/0{1,4}$/, '')}`;
}
