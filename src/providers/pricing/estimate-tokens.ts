/** Estimates of tokens before a provider has counted them, as budgets and the worst case use them. */

const CHARS_PER_TOKEN = 4;

/** The tokens that providers usually count for an image; the real count comes with the reply. */
export const TOKENS_PER_IMAGE = 1000;

/** Reserved for a reply whose length has no limit. */
export const DEFAULT_OUTPUT_TOKENS = 1000;

export function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
