/** Columns of text: each as wide as it needs, and the last one made to fit the screen. */
import { oneLine } from '../../errors/printable.ts';
import { clip, columnsOf, padEnd, wrap } from '../../errors/render/columns.ts';

const GAP = 2;
const MIN_LAST = 16;

/** The first row is the head. `wrapped`: nothing of the last column is lost, it goes on below. */
export function tableLines(
  written: readonly (readonly string[])[],
  columns: number,
  { wrapped = false }: { readonly wrapped?: boolean } = {},
): string[] {
  const rows = written.map((row) => row.map(oneLine));
  const count = widest(rows, (row) => row.length);
  const widths = Array.from({ length: count }, (_, at) =>
    widest(rows, (row) => columnsOf(row[at] ?? '')),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  // on a screen that is too narrow the terminal breaks the lines, and nothing is lost
  const last = Math.max(MIN_LAST, columns - before);
  return rows.flatMap((row) => {
    const begin = widths.slice(0, -1).map((width, at) => padEnd(row[at] ?? '', width + GAP));
    const end = row[count - 1] ?? '';
    const [first = '', ...more] = wrapped ? wrap(end, last) : [clip(end, last)];
    const below = more.map((line) => ' '.repeat(before) + line);
    return [`${begin.join('')}${first}`.trimEnd(), ...below];
  });
}

/** Of any number of rows, which may be more than a call takes arguments. */
function widest<Row>(rows: readonly Row[], widthOf: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(row)), 0);
}
