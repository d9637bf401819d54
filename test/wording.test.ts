/** The words of the project: plain ones. `docs/concepts.md` has them; CONTRIBUTING says which to avoid. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Generated pages repeat what the sources say. The changelog is history. */
const FILES = [
  'src/**/*.ts',
  'bin/**/*.mjs',
  'dashboard/**/*.{ts,tsx}',
  'bench/**/*.ts',
  'helpers/**/*.{mjs,py,sh}',
  'scripts/**/*.{ts,mjs}',
  'docs/**/*.md',
  'examples/**/*.yaml',
  '{README,ARCHITECTURE,SECURITY}.md',
  '.github/**/*.{md,yml}',
];
const TEST = /\.(test|test-d|cases)\.tsx?$/;

const DIALECT = /\b(?:told|heard|elsewhere|whoever|(?:goes|went|carry|carries|carried) on)\b/i;
/** The same words inside of an identifier. */
const DIALECT_NAME =
  /\b#?(?:told|heard|elsewhere|goesOn|wentOn|goOn)(?=[A-Z]|\b(?=\())|[a-z](?:Told|Heard|Elsewhere|GoesOn|WentOn|CarriesOn)\b/;
/** Names of a rehearsal, which others rely on. */
const GIVEN_NAME = /^export const (?:GOES_ON = 'goes on'|WENT_ON = 'went on');$/;
/** At the beginning of a comment, a text or a sentence. A heading is no sentence. */
const BEGINNING =
  /(?:^\s*(?:\/\*\*|\*|\/\/|#(?!#))?\s*|[.:;] |\| |['"`])(?:Of an? |What is |Whoever )/;

function offences(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => !GIVEN_NAME.test(line))
    .filter(
      ({ line }) =>
        DIALECT.test(line) ||
        DIALECT_NAME.test(line) ||
        (BEGINNING.test(line) && !line.includes('?')),
    )
    .map(({ line, number }) => `${number}: ${line.trim()}`);
}

it('are plain in comments, messages and documents', () => {
  const files = globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**'] }).filter(
    (file) => !TEST.test(file),
  );
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    offences(readFileSync(join(ROOT, file), 'utf8')).map((offence) => `${file}:${offence}`),
  );
  expect(found).toEqual([]);
});

it.each([
  '/** Of a run that another process carries on. */',
  ' * What is said to it is followed.',
  "message: 'Whoever asked was told',",
  'A sentence. What is left stays.',
  'It runs elsewhere',
  'const isTold = others.some(fits);',
  'return heardOf(subject);',
  'this.#goesOn(wait)',
])('are not those of %j', (line) => {
  expect(offences(line)).toHaveLength(1);
});

it.each(['## What is different', 'See what is left.', 'What is it?', 'most of a run'])(
  'may be those of %j',
  (line) => {
    expect(offences(line)).toEqual([]);
  },
);
