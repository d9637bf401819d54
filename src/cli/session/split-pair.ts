/** Splits what is typed as `name=value`. */
import { refusal } from '../exit.ts';

/** The key of a member may contain a `=` too: `each[a=b]/ask=yes`. */
export function splitPair(pair: string, form: string): readonly [string, string] {
  const at = /^(?:[^=[]|\[[^\]]*\])*/.exec(pair)?.[0].length ?? 0;
  if (at <= 0 || at === pair.length)
    throw refusal(`${pair} does not have the form name=value`, `Write ${form}.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** Pairs by name. A second value for one name would replace the first in silence. */
export function splitInputs(pairs: readonly string[]): readonly (readonly [string, string])[] {
  const all = pairs.map((pair) => splitPair(pair, '-i name=value'));
  const names = all.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw refusal(`-i names ${twice} twice`, `Give ${twice} once; write a list as one value.`);
  return all;
}
