/**
 * Renders a table: each column as wide as it needs, the last one fitted to the screen. Where the screen is
 * too narrow for that, the last cell stands below its row if the table says so; else the cells of a row follow
 * each other, with line breaks between cells.
 */
import { oneLine } from '../../errors/support/printable.ts';
import { clip, columnsOf, padEnd, wrap } from '../../errors/render/columns.ts';

const GAP = 2;
/** With less room the last column is unreadable. */
const MIN_LAST = 16;
const HANGING = 4;

interface TableOptions {
  /** The last column is wrapped instead of cut. */
  readonly wrapped?: boolean;
  /** The last cell stands below its row where there is no room beside it. */
  readonly stacked?: boolean;
  /** Colours a cell, after its width is computed. */
  readonly paint?: (cell: string, column: number) => string;
}

/** The first row is the heading. */
export function tableLines(
  written: readonly (readonly string[])[],
  columns: number,
  options: TableOptions = {},
): string[] {
  return tableRows(written, columns, options).flat();
}

/** Returns the lines of each row. */
export function tableRows(
  written: readonly (readonly string[])[],
  columns: number,
  { wrapped = false, stacked = false, paint = (cell) => cell }: TableOptions = {},
): readonly (readonly string[])[] {
  const rows = written.map((row) => row.map(oneLine));
  const count = widest(rows, (row) => row.length);
  const widths = Array.from({ length: count }, (_, at) =>
    widest(rows, (row) => columnsOf(row[at] ?? '')),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const last = columns - before;
  const hasRoom = last >= Math.min(MIN_LAST, widths.at(-1) ?? 0);
  if (!hasRoom && !(stacked && before - GAP <= columns))
    return rows.map((row) => flowing(row, columns, paint));
  const inwards = hasRoom ? Math.max(before, HANGING) : HANGING;
  return rows.map((row) => {
    const begin = widths.slice(0, -1).map((width, at) => {
      const cell = row[at] ?? '';
      return paint(cell, at) + padEnd(cell, width + GAP).slice(cell.length);
    });
    const end = row[count - 1] ?? '';
    const [first = '', ...more] =
      wrapped || !hasRoom ? wrap(end, columns - inwards) : [clip(end, last)];
    const below = (hasRoom || first === '' ? more : [first, ...more]).map(
      (line) => ' '.repeat(inwards) + line,
    );
    return [`${begin.join('')}${hasRoom ? first : ''}`.trimEnd(), ...below];
  });
}

/**
 * Breaks only a cell that is wider than the screen, and at its spaces. All but the first line of a row are
 * indented: a cell may contain anybody's text, which must not look like a row.
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

/** Not `Math.max(...)`: there may be more rows than a call takes arguments. */
function widest<Row>(rows: readonly Row[], widthOf: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, widthOf(row)), 0);
}
