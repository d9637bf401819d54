/**
 * Every recipe does what it says, by the rules of `docs.test.ts`: in a folder of its own, as a person types it; with
 * each commit half of them.
 */
import { globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { notPrinted, stepsOf } from './page.ts';
import { pageCases, read, ROOT } from './page-cases.ts';
import { Shell } from './shell.ts';
import { triedPages } from './tried-pages.ts';

const PAGES = globSync('docs/recipes/*.md', { cwd: ROOT }).toSorted();
const RECIPES = PAGES.filter((page) => basename(page) !== 'README.md');

/** Packages of hosts that recipes embed Errand in. */
const HOSTS = ['hono', '@hono'];

const shell = new Shell('recipes');
afterAll(() => shell.remove());
afterEach(() => shell.endBackground());
const { root } = shell;

describe.each(triedPages(RECIPES, 'recipes'))('%s', (page) => {
  it('does what it says', { timeout: 300_000 }, async () => {
    const folder = join(root, basename(page, '.md'));
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(dirname(dirname(LAUNCHER)), join(folder, 'node_modules', 'errand'), 'dir');
    for (const name of HOSTS)
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
    let run = 'RUN';
    for (const step of stepsOf(read(page))) {
      if (step.type === 'file') writeFileSync(join(folder, step.name), step.text);
      else {
        const typed = step.typed.replaceAll(/\bRUN\b/g, run);
        const { exit, printed } = await shell.type(typed, folder, step.exit);
        run = /\b(?=[a-z]*\d)[0-9a-hjkmnp-tv-z]{24}\b/.exec(printed)?.[0] ?? run;
        const shown = `${page}:${step.line} $ ${step.typed}\n${printed}`;
        expect(exit, shown).toBe(step.exit);
        expect(notPrinted(step.prints, printed), shown).toBeUndefined();
      }
    }
  });
});

describe('the recipes', () => {
  it.each(RECIPES)('%s has a file that its commands run', (page) => {
    const steps = stepsOf(read(page));
    expect(steps.some(({ type }) => type === 'file')).toBe(true);
    expect(steps.some(({ type }) => type === 'command')).toBe(true);
  });

  pageCases(PAGES);

  it('are all in the list', () => {
    const list = read('docs/recipes/README.md');
    expect(RECIPES.filter((page) => !list.includes(`](${basename(page)})`))).toEqual([]);
  });
});
