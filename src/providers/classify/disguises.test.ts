/** A failure is the same in whatever it is wrapped, and whatever stands beside it. */
import { describe, expect, it } from 'vitest';
import { ALL_ENTRIES, type Entry } from '../../../test/corpus/entries.ts';
import { rows } from '../../../test/runs.ts';
import { sampled } from '../../../test/sampled.ts';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { extractFailure } from '../extract/extract.ts';
import { ADDITIONS, withMessages, WRAPPINGS } from './cases/disguises.cases.ts';
import { classify } from './classify.ts';

const ENTRIES = rows(
  ALL_ENTRIES.filter(
    ({ contested, body, status, transport, stream, operation }) =>
      !contested &&
      isPlainObject(body) &&
      status !== null &&
      status >= 400 &&
      transport === null &&
      stream === false &&
      operation === 'generate',
  ),
);

/** Entries that a disguise does change: it adds more words than they have. */
const UNLIKE: Readonly<Record<string, string>> = {
  'bedrock-400-messsage-typo-relay':
    'its only field is misspelt, so the wrapper’s message is taken',
  'y-model-budget-429': 'it has no message, so the wrapper’s is taken',
  'y-workersai-3040-data-centers': 'it is recognised by all of its words together',
  'ae-fireworks-overloaded': 'its type contradicts its status, which a print hides',
  'ae-litellm-bedrock-dns': 'the class of its wrapper is known by its capitals',
  's-ja-busy': 'it is one word in Japanese, which the weights do not know',
};

const LIKE = ENTRIES.filter(({ id }) => UNLIKE[id] === undefined);

/**
 * Kind, whether to retry and the hint; the category where a setting and the content differ is weighed. A commit takes
 * a third of the entries, other ones for each disguise.
 */
function otherwise(name: string, disguised: (entry: Entry) => object): string[] {
  return sampled(LIKE, { oneOf: 3, what: name }).flatMap((entry) => {
    const failure = extractFailure(disguised(entry));
    if (failure === undefined) return [`${entry.id}: not recognised`];
    const { kind, retryable, retryAfterMs, rule } = classify(failure);
    const { expect: wanted } = entry;
    const isSame =
      kind === wanted.kind &&
      retryable === wanted.retryable &&
      retryAfterMs === wanted.retryAfterMs;
    return isSame ? [] : [`${entry.id}: ${wanted.kind} became ${kind} by ${rule}`];
  });
}

describe('a failure of the corpora stays what it is', () => {
  it.each(Object.entries(WRAPPINGS))('in %s', (name, disguise) => {
    expect(otherwise(name, disguise)).toEqual([]);
  });

  it.each(Object.entries(ADDITIONS))('beside %s', (name, change) => {
    expect(otherwise(name, (entry) => withMessages(entry, change))).toEqual([]);
  });
});
