/** What foreign code threw, in one line of its own words, for a sentence that says whose code it was. */
import { hideHostPaths } from './host-paths.ts';
import { describe } from './to-report.ts';

const MAX_CHARS = 300;

export function foreignWords(thrown: unknown): string {
  const [line = ''] = hideHostPaths(describe(thrown)).split('\n');
  return line.slice(0, MAX_CHARS).toWellFormed();
}
