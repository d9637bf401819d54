/**
 * Links of a thrown value that may be the failure itself: the cause chain, and the errors that
 * wrappers hold under other names.
 */
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { aggregated, heldFailures } from '../../errors/thrown/held-failures.ts';

/** Links deeper than this are not read. */
const MAX_LINKS = 64;
/** The members of an AggregateError that are read. */
const MAX_MEMBERS = 4;

export function linksOf(thrown: unknown): readonly unknown[] {
  const links: unknown[] = [];
  collect(thrown, links);
  return links;
}

function collect(thrown: unknown, links: unknown[]): void {
  for (const link of causeChain(thrown)) {
    if (links.length >= MAX_LINKS || links.includes(link)) return;
    links.push(link);
    for (const inner of wrapped(link)) collect(inner, links);
  }
}

function wrapped(link: unknown): readonly unknown[] {
  const held = heldFailures(link);
  if (held.length > 0) return held;
  return aggregated(link)
    .slice(0, MAX_MEMBERS)
    .filter((member) => typeof member === 'object' && member !== null);
}
