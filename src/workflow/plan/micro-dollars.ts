/** Money in whole micro-dollars, rounded up so that a positive amount never becomes zero. */
export function usdToMicros(usd: number): number {
  const micros = Math.round(Number((usd * 1_000_000).toFixed(3)));
  return usd > 0 ? Math.max(1, micros) : 0;
}
