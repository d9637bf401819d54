/** Suggests the name that a person probably meant, whenever a name is not found. */

/** A word further away than this is another word. */
const MAX_DISTANCE = 3;

export function suggest(word: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  const wanted = word.toLowerCase().slice(0, 100);
  const begun = beginning(wanted, known);
  if (begun !== undefined) return begun;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= allowed(wanted, name) && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name ?? ending(wanted, known);
}

/** `provider.quota_exhausted` for the kind `provider.quota`, where no other begins so. */
function beginning(wanted: string, known: readonly string[]): string | undefined {
  if (!wanted.includes('.')) return undefined;
  const [only, ...more] = known.filter((name) => name.toLowerCase().startsWith(`${wanted}_`));
  return more.length === 0 ? only : undefined;
}

/** `rate_limited` for `provider.rate_limited`: the prefix is what people leave out. */
function ending(wanted: string, known: readonly string[]): string | undefined {
  if (wanted.length < 4) return undefined;
  for (const name of known) if (name.endsWith(`.${wanted}`)) return name;
  return undefined;
}

function allowed(wanted: string, name: string): number {
  return Math.min(MAX_DISTANCE, Math.floor(Math.max(wanted.length, name.length) / 3));
}

/** Insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Infinity;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? Infinity;
}
