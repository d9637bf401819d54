import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const OURS = /\b(?:ERRAND|CONDUCTOR|TEMPORAL)_[A-Z][A-Z_]+[A-Z]\b/g;
const OF_PROVIDERS =
  /'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|KEY_ID|URL|TOKEN|BEDROCK|REGION|VERSION|ENDPOINT|NAME))'/g;
/** Only tests set these, to keep a long suite short or to reach further. */
const OF_TESTS: ReadonlySet<string> = new Set(['ERRAND_KILLS', 'ERRAND_FLIPS']);

it('the page of variables names every one that the sources know', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/environment.md'), 'utf8');
  const documented = new Set(Array.from(page.matchAll(/`([A-Z][A-Z0-9_]+)/g), ([, name]) => name));
  // `…_CERT` has its text in `…_CERT_DATA` or its file in `…_CERT_PATH`
  const isDocumented = (name: string): boolean =>
    documented.has(name) || documented.has(`${name}_PATH`);
  const files = globSync(['src/**/*.ts', 'bin/*.mjs', 'helpers/**/*'], { cwd: ROOT }).filter(
    (file) => /\.(ts|mjs|py|sh)$/.test(file) && !/\.(test|cases)\.ts$/.test(file),
  );
  const known = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const ofProviders = file.startsWith('src/effects/model/')
      ? Array.from(text.matchAll(OF_PROVIDERS), ([, name = '']) => name)
      : [];
    return [...Array.from(text.matchAll(OURS), ([name]) => name), ...ofProviders];
  });
  const untold = new Set(known.filter((name) => !isDocumented(name) && !OF_TESTS.has(name)));
  expect(known.length).toBeGreaterThan(40);
  expect([...untold]).toEqual([]);
});
