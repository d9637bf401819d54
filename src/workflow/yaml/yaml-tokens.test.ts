import fc from 'fast-check';
import { readFileSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'yaml';
import { describe, expect, it } from 'vitest';
import { mutate, seeded, validFiles } from './mutate.cases.ts';
import { MAX_DEPTH, yamlTokens } from './yaml-tokens.ts';
import { runs } from '../../../test/runs.ts';
import { seeds } from '../../../test/sampled.ts';

const ROOT = join(import.meta.dirname, '../../..');

const PIECES =
  'a|: |- |? |\n|\n  |{|}|[|]|, |# c|&x |*x|!t |"q"|\'q\'|>-\n|---\n|...\n|%YAML 1.2\n|\t|\r\n|\uFEFF|@'
    .split('|')
    .concat('|\n');

function same(text: string): void {
  expect(yamlTokens(text)).toEqual({ tokens: [...new Parser().parse(text)] });
}

describe('the tokens of a text', () => {
  it('are those of the library, in every example', () => {
    const files = globSync('examples/**/*.yaml', { cwd: ROOT });
    expect(files.length).toBeGreaterThan(70);
    for (const file of files.filter((name) => !name.includes('yaml-too-deep')))
      same(readFileSync(join(ROOT, file), 'utf8'));
  });

  it('are those of the library, in broken files', () => {
    const { sources } = validFiles();
    const texts = Object.values(sources);
    for (const seed of seeds(2000, 'tokens of broken files'))
      same(mutate(texts[seed % texts.length] ?? '', seeded(seed)));
  });

  it('are those of the library, whatever the text', () => {
    const piece = fc.constantFrom(...PIECES);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => same(pieces.join(''))),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['[', ']'],
    ['{a: ', '}'],
    ['- ', ''],
  ])('of %s are read down to the bound and no deeper', (open, close) => {
    const nested = (depth: number): string => `${open.repeat(depth)}x${close.repeat(depth)}`;
    same(nested(MAX_DEPTH));
    const beyond = yamlTokens(nested(MAX_DEPTH + 2));
    expect(beyond.tokens).toEqual([]);
    expect(beyond.tooDeepAt).toBeGreaterThanOrEqual(MAX_DEPTH * open.length);
    expect(beyond.tooDeepAt).toBeLessThan((MAX_DEPTH + 2) * open.length);
  });
});
