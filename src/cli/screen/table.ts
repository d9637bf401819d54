/** Columns of text: each as wide as it needs, and the last one clipped to the screen. */
import { clip, columnsOf, padEnd } from '../../errors/render/columns.ts';

const GAP = 2;
const MIN_LAST = 12;

/** The first row is the head. */
export function tableLines(rows: readonly (readonly string[])[], columns: number): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  // on a screen that is too narrow the terminal breaks the lines, and nothing is lost
  const last = Math.max(MIN_LAST, columns - before);
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at === count - 1 ? clip(cell, last) : padEnd(cell, (widths[at] ?? 0) + GAP),
      )
      .join('')
      .trimEnd(),
  );
}
