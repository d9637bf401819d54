/**
 * Columns of text: each as wide as it needs, and the last one made to fit the screen. Where the screen
 * is too narrow for that, the cells of a row follow each other and a line ends between two of them.
 */
import { oneLine } from '../../errors/printable.ts';
import { clip, columnsOf, padEnd, wrap } from '../../errors/render/columns.ts';

const GAP = 2;
/** With less room the last column says nothing any more. */
const MIN_LAST = 16;
const HANGING = 4;

interface TableOptions {
  /** Nothing of the last column is lost, it goes on below. */
  readonly wrapped?: boolean;
  /** Colours a cell, whose width is settled by then. */
  readonly paint?: (cell: string, column: number) => string;
}

/** The first row is the head. */
export function tableLines(
  written: readonly (readonly string[])[],
  columns: number,
  options: TableOptions = {},
): string[] {
  return tableRows(written, columns, options).flat();
}

/** The lines of each row. */
export function tableRows(
  written: readonly (readonly string[])[],
  columns: number,
  { wrapped = false, paint = (cell) => cell }: TableOptions = {},
): readonly (readonly string[])[] {
  const rows = written.map((row) => row.map(oneLine));
  const count = widest(rows, (row) => row.length);
  const widths = Array.from({ length: count }, (_, at) =>
    widest(rows, (row) => columnsOf(row[at] ?? '')),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const last = columns - before;
  if (last < Math.min(MIN_LAST, widths.at(-1) ?? 0))
    return rows.map((row) => flowing(row, columns, paint));
  return rows.map((row) => {
    const begin = widths.slice(0, -1).map((width, at) => {
      const cell = row[at] ?? '';
      return paint(cell, at) + padEnd(cell, width + GAP).slice(cell.length);
    });
    const end = row[count - 1] ?? '';
    const inwards = Math.max(before, HANGING);
    const [first = '', ...more] = wrapped ? wrap(end, columns - inwards) : [clip(end, last)];
    const below = more.map((line) => ' '.repeat(inwards) + line);
    return [`${begin.join('')}${first}`.trimEnd(), ...below];
  });
}

/**
 * Only a cell that is wider than the screen itself is broken, and at its spaces. All but the first line of
 * a row stand further in: a cell may hold anyone's words, and none of them may begin what looks like a row.
 */
function flowing(
  row: readonly string[],
  columns: number,
  paint: (cell: string, column: number) => string,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const [at, cell] of row.entries()) {
    if (cell === '') continue;
    const needed = columnsOf(cell);
    if (width > 0 && width + GAP + needed <= columns) {
      line += ' '.repeat(GAP) + paint(cell, at);
      width += GAP + needed;
      continue;
    }
    const isFirst = width === 0;
    if (!isFirst) lines.push(line);
    const parts =
      isFirst && needed <= columns ? [cell] : wrap(cell, Math.max(8, columns - HANGING));
    for (const [index, part] of parts.entries()) {
      const indent = isFirst && index === 0 ? 0 : HANGING;
      if (index > 0) lines.push(line);
      line = ' '.repeat(indent) + paint(part, at);
      width = indent + columnsOf(part);
    }
  }
  return [...lines, line];
}

/** Of any number of rows, which may be more than a call takes arguments. */
function widest<Row>(rows: readonly Row[], widthOf: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(row)), 0);
}
