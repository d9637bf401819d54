/** One walk along `cause`, with a cycle guard and an end, used wherever a chain is followed. */
import { readProperty } from './json.ts';

/** Longer chains are not errors any more; what lies beyond is not looked at. */
const MAX_LINKS = 20_000;

/** The value itself, then what it names as its cause, outermost first; each link once. */
export function* causeChain(thrown: unknown): Generator<unknown> {
  const seen = new Set<unknown>();
  let link = thrown;
  while (link !== undefined && link !== null && seen.size < MAX_LINKS && !seen.has(link)) {
    seen.add(link);
    yield link;
    link = readProperty(link, 'cause');
  }
}
