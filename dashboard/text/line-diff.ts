/**
 * The difference of two texts line by line, as a unified diff that `patch` and `git apply` accept.
 */

export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Larger tables take too long; such a stretch is replaced as a whole. */
const MAX_CELLS = 4_000_000;

export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/**
 * The number of a line in the new text, counted from 1; for a removed line, that of its
 * replacement.
 */
export function movedLine(before: string, after: string, line: number): number {
  let [old, now] = [0, 0];
  for (const { type } of diffLines(before.split('\n'), after.split('\n'))) {
    if (type !== 'added') old++;
    if (type !== 'removed') now++;
    if (old === line && type !== 'added') return type === 'removed' ? now + 1 : now;
  }
  return line;
}

function same(text: string): DiffLine {
  return { type: 'same', text };
}

/** Uses the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length * after.length > MAX_CELLS)
    return [
      ...before.map((text): DiffLine => ({ type: 'removed', text })),
      ...after.map((text): DiffLine => ({ type: 'added', text })),
    ];
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      lines.push(same(old));
      row++;
      column++;
    } else if (
      old !== undefined &&
      (fresh === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ type: 'removed', text: old });
      row++;
    } else if (fresh !== undefined) {
      lines.push({ type: 'added', text: fresh });
      column++;
    }
  }
  return lines;
}

const CONTEXT = 3;
const SIGN = { same: ' ', removed: '-', added: '+' } as const;
const NO_NEWLINE = String.raw`\ No newline at end of file`;

/** Empty if the texts are equal. */
export function unifiedDiff(file: string, before: string, after: string): string {
  if (before === after) return '';
  const lines = diffLines(linesOf(before), linesOf(after));
  const hunks = hunksOf(lines).map((hunk) => hunkText(lines, hunk));
  return [`--- a/${file}`, `+++ b/${file}`, ...hunks].join('\n') + '\n';
}

/** Marks a last line without its end of line, so that it differs from one with it. */
function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') return lines.slice(0, -1);
  return lines.with(-1, `${lines.at(-1) ?? ''}\n${NO_NEWLINE}`);
}

interface Hunk {
  readonly from: number;
  readonly to: number;
}

function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [index, { type }] of lines.entries()) {
    if (type === 'same') continue;
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(lines.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) hunks[hunks.length - 1] = { from: last.from, to };
    else hunks.push({ from, to });
  }
  return hunks;
}

function hunkText(lines: readonly DiffLine[], { from, to }: Hunk): string {
  const before = lines.slice(0, from);
  const shown = lines.slice(from, to);
  const count = (all: readonly DiffLine[], left: DiffLine['type']): number =>
    all.filter(({ type }) => type !== left).length;
  const range = (left: DiffLine['type']): string => {
    const size = count(shown, left);
    return `${count(before, left) + (size === 0 ? 0 : 1)},${size}`;
  };
  const head = `@@ -${range('added')} +${range('removed')} @@`;
  return [head, ...shown.map(({ type, text }) => `${SIGN[type]}${text}`)].join('\n');
}
