/** Estimates tokens before a provider has counted them, for budgets and the worst case. */

const CHARS_PER_TOKEN = 4;

/** The tokens that providers usually count for an image; the real count comes with the reply. */
export const TOKENS_PER_IMAGE = 1000;

/** The tokens reserved for a reply without a limit. */
export const DEFAULT_OUTPUT_TOKENS = 1000;

export function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
