/**
 * Links of a thrown value that may be the failure itself: the cause chain, and what wrappers hold under
 * names of their own.
 */
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { isArray, readProperty } from '../../errors/support/safe-json.ts';
import { readName } from './extractor.ts';

/** Links deeper than this are not read. */
const MAX_LINKS = 64;

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

/** Keys under which wrappers hold the failure, the most exact first. */
function wrapped(link: unknown): readonly unknown[] {
  // an error part of a stream: `{type: 'error', error}`
  if (readProperty(link, 'type') === 'error' && readProperty(link, 'status') === undefined) {
    return objects([readProperty(link, 'error')]);
  }
  const held = objects([readProperty(link, 'lastError'), readProperty(link, 'originalError')]);
  if (held.length > 0 || readName(link) !== 'AggregateError') return held;
  const errors = readProperty(link, 'errors');
  return isArray(errors) ? objects([0, 1, 2, 3].map((index) => readProperty(errors, index))) : [];
}

function objects(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value) => typeof value === 'object' && value !== null);
}
