/** Walks along `cause`, with a cycle guard and a bound; used wherever a chain is followed. */
import { readProperty } from '../support/safe-json.ts';

/** Links beyond this are not read. */
const MAX_LINKS = 20_000;

/** The value itself, then what it names as its cause, outermost first; each link once. */
export function* causeChain(thrown: unknown, maxLinks = MAX_LINKS): Generator<unknown> {
  const seen = new Set<unknown>();
  let link = thrown;
  while (link !== undefined && link !== null && seen.size < maxLinks && !seen.has(link)) {
    seen.add(link);
    yield link;
    link = readProperty(link, 'cause');
  }
}
