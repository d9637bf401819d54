import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROVIDERS } from '../../src/providers/known-providers.ts';
import { priceOf } from '../../src/providers/pricing/prices.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What a reader copies from: a budget over it must hold. */
const PAGES = [
  'README.md',
  'docs/**/*.md',
  'examples/*.{yaml,ts}',
  'schema/*.json',
  'src/cli/project/first-workflow.ts',
  'src/cli/draft/guide.ts',
];

function modelsIn(text: string): readonly string[] {
  const names = PROVIDERS.flatMap(({ name, aliases }) => [name, ...aliases]).join('|');
  const model = new RegExp(`(?<![\\w./@-])(?:${names})/[a-z][\\w.-]*\\w`, 'g');
  return [...text.matchAll(model)].map(([found]) => found);
}

/** Stands where a page shows what `validate` says of it. */
const MISSPELT = 'anthropic/claude-sonet-5';

it('has a price for every model that README, init, docs and examples name', () => {
  const files = PAGES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  const named = files.flatMap((file) =>
    modelsIn(readFileSync(join(ROOT, file), 'utf8')).map((model) => ({ file, model })),
  );
  expect(new Set(named.map(({ model }) => model)).size).toBeGreaterThan(1);
  // Acme sells nothing: its models stand where a page is about what has no price
  const meant = named.filter(({ model }) => !model.includes('/acme-') && model !== MISSPELT);
  expect(meant.filter(({ model }) => priceOf(model) === null)).toEqual([]);
});
