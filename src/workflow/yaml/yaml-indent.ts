/**
 * Finds the line that is indented by mistake, from the lines alone: the parser's error for such a line
 * seldom points at the line itself.
 */

export interface MisplacedLine {
  /** Offset of the first character of the line that is not a space. */
  readonly at: number;
  readonly isItem: boolean;
  readonly spaces: number;
  /** The indentation of the lines that it probably belongs to. */
  readonly wanted: number;
  /** Number of the nearest line above with that indentation, from 1. */
  readonly likeLine: number;
}

interface Level {
  readonly column: number;
  readonly isItem: boolean;
  readonly line: number;
}

/** Lines further above do not explain a mistake. */
const MAX_LINES = 2000;

/** The first misplaced line: the one at `offset`, or the next one. */
export function misplacedLine(text: string, offset: number): MisplacedLine | undefined {
  const lines = text.split('\n');
  const errorLine = text.slice(0, offset).split('\n').length - 1;
  const first = Math.max(0, errorLine - MAX_LINES);
  let levels: Level[] = [];
  let opens = true;
  let block: number | undefined;
  let start = lines.slice(0, first).reduce((sum, line) => sum + line.length + 1, 0);

  for (let index = first; index < lines.length && index <= errorLine + 1; index++) {
    const line = (lines[index] ?? '').replace(/\r$/, '');
    const spaces = line.length - line.trimStart().length;
    const at = start + spaces;
    start += (lines[index] ?? '').length + 1;
    if (/^\s*(#.*)?$/.test(line) || (block !== undefined && spaces > block)) continue;
    block = undefined;
    const isItem = /^\s*-(\s|$)/.test(line);
    if (index >= errorLine && !fits(levels, spaces, { isItem, opens })) {
      const like = nearest(levels, spaces, isItem);
      if (like === undefined) return undefined;
      return { at, isItem, spaces, wanted: like.column, likeLine: like.line };
    }
    levels = [...levels.filter(({ column }) => column < spaces), ...levelsOf(line, index + 1)];
    opens = /(:|-|[|>][+-]?\d?)\s*(#.*)?$/.test(line) || /^\s*-\s*$/.test(line);
    if (/[:-]\s+[|>][+-]?\d?[+-]?\s*(#.*)?$/.test(line)) block = spaces;
  }
  return undefined;
}

/** A line continues an open block of its own type, or starts one below a line that opens it. */
function fits(
  levels: readonly Level[],
  spaces: number,
  { isItem, opens }: { readonly isItem: boolean; readonly opens: boolean },
): boolean {
  const top = levels.at(-1);
  if (top === undefined) return true;
  const isFlushList = isItem && opens && spaces === top.column;
  if ((opens && spaces > top.column) || isFlushList) return true;
  return levels.some((level) => level.column === spaces && level.isItem === isItem);
}

function nearest(levels: readonly Level[], spaces: number, isItem: boolean): Level | undefined {
  return levels
    .filter((level) => level.isItem === isItem)
    .toSorted(
      (a, b) => Math.abs(a.column - spaces) - Math.abs(b.column - spaces) || b.column - a.column,
    )[0];
}

/** `- - a: 1` opens two lists and a map. */
function levelsOf(line: string, number: number): Level[] {
  const found: Level[] = [];
  let column = line.length - line.trimStart().length;
  for (;;) {
    const dash = /^-\s+(?=\S)|^-\s*$/.exec(line.slice(column));
    if (dash === null) break;
    found.push({ column, isItem: true, line: number });
    column += dash[0].length;
    if (column >= line.length) return found;
  }
  return [...found, { column, isItem: false, line: number }];
}
