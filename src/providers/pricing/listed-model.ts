/**
 * Finds the listed model that a misspelt name probably means. Providers name new models like old
 * ones, so a name counts as misspelt only if one of its words differs, by one letter: `gpt-5.2`,
 * `gpt-6-nano` and `gpt-4` may well exist.
 */
import { editDistance } from '../../errors/support/suggest.ts';
import { providerNamed } from '../known-providers.ts';
import { listPrices } from './price-table.ts';
import { priceOf } from './prices.ts';

/** Shorter words, such as `pro` and `o3`, differ by a letter without being mistakes. */
const MIN_LETTERS = 4;

/** `anthropic/claude-sonnet-5` for `anthropic/claude-sonet-5`; undefined for a model with a price. */
export function listedModelLike(model: string): string | undefined {
  const slash = model.indexOf('/');
  if (slash < 1 || priceOf(model) !== null) return undefined;
  const provider = providerNamed(model.slice(0, slash)).name;
  const words = wordsOf(`${provider}/${model.slice(slash + 1)}`);
  return Object.keys(listPrices()).find(
    (listed) => listed.startsWith(`${provider}/`) && isMisspelt(words, wordsOf(listed)),
  );
}

function isMisspelt(written: readonly string[], meant: readonly string[]): boolean {
  if (written.length !== meant.length) return false;
  const other = written.flatMap((word, at) =>
    word === meant[at] ? [] : [[word, meant[at] ?? '']],
  );
  // only the signs between the words differ, or upper and lower case
  if (other.length === 0) return true;
  const [[wrong = '', right = ''] = []] = other;
  return (
    other.length === 1 &&
    /^\p{L}+$/u.test(wrong + right) &&
    Math.max(wrong.length, right.length) >= MIN_LETTERS &&
    editDistance(wrong, right) === 1
  );
}

function wordsOf(model: string): readonly string[] {
  return model.toLowerCase().split(/[-._/]/);
}
