/**
 * The line of the expression that failed: a report has the beginning of its node, and the
 * expression as a text.
 */
import type { PersonReport } from '../../src/errors/report/audiences.ts';

/**
 * Counts from 1. The line of the report if the node does not contain the expression exactly once.
 */
export function failedLine(
  { location, details }: Pick<PersonReport, 'location' | 'details'>,
  lines: readonly string[],
): number | undefined {
  const begin = location?.line;
  const expression = details?.['expression'];
  if (begin === undefined || typeof expression !== 'string') return begin;
  const [first = ''] = expression.split('\n');
  if (first === '') return begin;
  const found = linesOf(lines, begin).filter((line) => lines[line - 1]?.includes(first));
  return found.length === 1 ? found[0] : begin;
}

/**
 * The lines of a part of the file: those that follow and are indented at least as far as its first
 * words.
 */
function linesOf(lines: readonly string[], begin: number): readonly number[] {
  const depth = lines[begin - 1]?.search(/[^\s-]/) ?? 0;
  const after = lines.slice(begin).findIndex((text) => {
    const indent = text.search(/\S/);
    return indent !== -1 && indent < depth;
  });
  const end = after === -1 ? lines.length : begin + after;
  return Array.from({ length: Math.max(0, end - begin + 1) }, (_, index) => begin + index);
}
