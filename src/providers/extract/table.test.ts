import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../../test/corpus/entries.ts';
import { PROVIDERS, providerNamed, type ProviderName } from '../known-providers.ts';
import { apiCallError } from './ai-sdk-errors.cases.ts';
import { PROVIDER_CASES } from './provider.cases.ts';
import { extractFailure } from './extract.ts';
import { EXTRACTORS, GENERIC_SOURCES } from './table.ts';

const NAMES: readonly ProviderName[] = PROVIDERS;

/** Recognised by the errors of its client; it has no address of its own. */
const BY_CLIENT = new Set(['mcp']);

describe('every provider', () => {
  it.each(NAMES)('$name is recognised under each of its names', ({ name, aliases }) => {
    for (const spelling of [name, ...aliases]) {
      const failure = extractFailure({ provider: spelling, status: 500, body: '' });
      expect(providerNamed(failure?.provider ?? '').name).toBe(name);
    }
  });

  it.each(NAMES.filter(({ hosts }) => hosts.length > 0))(
    '$name is recognised by its address',
    ({ name, hosts }) => {
      for (const host of hosts) {
        const url = `https://${host}/v1/chat/completions`;
        const thrown = apiCallError({ url, statusCode: 500, responseBody: '' });
        expect(extractFailure(thrown)?.provider).toBe(name);
      }
    },
  );

  it.each(NAMES)('$name has a failure to learn from', ({ name }) => {
    const inCorpus = ENTRIES.some((entry) => providerNamed(entry.provider).name === name);
    const inCases = PROVIDER_CASES.some(({ provider }) => provider === name);
    expect(inCorpus || inCases || BY_CLIENT.has(name)).toBe(true);
  });

  it.each(PROVIDER_CASES)('$provider gives its case unchanged', (known) => {
    expect(extractFailure(known)).toMatchObject({ status: known.status, body: known.body });
  });
});

describe('the extractors', () => {
  it('have different names', () => {
    const sources = EXTRACTORS.map(({ source }) => source);
    expect(new Set(sources).size).toBe(sources.length);
  });

  it('come before the shapes that any error may have', () => {
    const sources = EXTRACTORS.map(({ source }) => source);
    const generic = sources.filter((source) => GENERIC_SOURCES.has(source));
    expect(sources.slice(-generic.length)).toEqual(generic);
  });

  it('recognise every entry of the corpus', () => {
    const unknown = ENTRIES.filter((entry) => extractFailure(entry) === undefined);
    expect(unknown.map(({ id }) => id)).toEqual([]);
  });
});
