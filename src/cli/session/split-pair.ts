/** Splits what is typed as `name=value`. */
import { refusal } from '../exit.ts';

/** The key of a member may contain a `=` too: `each[a=b]/ask=yes`. */
export function splitPair(pair: string, form: string): readonly [string, string] {
  const at = /^(?:[^=[]|\[[^\]]*\])*/.exec(pair)?.[0].length ?? 0;
  if (at <= 0 || at === pair.length)
    throw refusal(`${pair} does not have the form name=value`, `Write ${form}.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}
