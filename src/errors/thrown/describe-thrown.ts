/** Describes in one line what foreign code threw, for a sentence that names the code. */
import { hideHostPaths } from '../redaction/host-paths.ts';
import { describe } from './to-report.ts';

const MAX_CHARS = 300;

export function foreignWords(thrown: unknown): string {
  const [line = ''] = hideHostPaths(describe(thrown)).split('\n');
  return line.slice(0, MAX_CHARS).toWellFormed();
}
