/** Converts an offset to a position for people. */

export interface Position {
  /** Both count from 1; the column in UTF-16 units. */
  readonly line: number;
  readonly column: number;
}

export function lineAndColumn(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
}
