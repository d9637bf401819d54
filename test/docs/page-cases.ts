/** What holds for every page, whether its commands are run or not. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { linksOf, strayCommands } from './page.ts';

export const ROOT = join(import.meta.dirname, '../..');

export function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export function pageCases(pages: readonly string[]): void {
  it.each(pages)('%s shows no command outside of a block that is run', (page) => {
    expect(strayCommands(read(page))).toEqual([]);
  });

  it.each(pages)('%s links to pages that are there', (page) => {
    const missing = linksOf(page, read(page)).filter(
      (path) => globSync(path, { cwd: ROOT }).length === 0,
    );
    expect(missing).toEqual([]);
  });
}
