/**
 * Pages whose commands run: each commit tries half of them, and always the pages that it changes
 * (`test/sampled.ts`).
 */
import { spawnSync } from 'node:child_process';
import { IS_WHOLE, sampled } from '../sampled.ts';

const ONE_OF = 2;

export function triedPages(pages: readonly string[], what: string): readonly string[] {
  const changed = changedFiles();
  if (IS_WHOLE || changed === undefined) return pages;
  const taken = new Set([...sampled(pages, { oneOf: ONE_OF, what }), ...changed]);
  return pages.filter((page) => taken.has(page));
}

/** Files changed by the last commit or since; undefined if git does not know. */
function changedFiles(): readonly string[] | undefined {
  const git = spawnSync('git', ['diff', '--name-only', '--relative', 'HEAD~1'], {
    cwd: new URL('../..', import.meta.url),
    encoding: 'utf8',
  });
  return git.status === 0 ? git.stdout.split('\n') : undefined;
}
