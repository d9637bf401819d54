/**
 * Source text: converts offsets to lines and columns, and spans to excerpts with a caret. Lines and
 * columns count from 1; a column counts UTF-16 units, as editors do.
 */
import { createRedactor } from '../../errors/redaction/redact.ts';

export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Offset of the first character of each line. */
  readonly lineStarts: readonly number[];
}

/** A part of a text; `end` is exclusive. */
export interface Span {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

export interface LinePosition {
  readonly line: number;
  readonly column: number;
}

/** Longer lines are cut around the span. */
const MAX_EXCERPT_CHARS = 120;
const LEAD_CHARS = 60;
const NOT_SHOWN =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

const REDACTOR = createRedactor();

export function sourceText(file: string, text: string): SourceText {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

export function positionAt(source: SourceText, offset: number): LinePosition {
  const { lineStarts } = source;
  const at = Math.max(0, Math.min(offset, source.text.length));
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lineStarts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: at - (lineStarts[low] ?? 0) + 1 };
}

/** The line before, the line itself and a caret below the span; secrets are redacted. */
export function excerptAt(span: Span): string {
  if (span.source.text === '') return '';
  const { line, column } = positionAt(span.source, span.start);
  const before = line > 1 ? lineText(span.source, line - 1) : '';
  const window = cutAround(lineText(span.source, line), column - 1);
  const length = Math.max(1, Math.min(span.end - span.start, window.text.length - window.column));
  const width = String(line).length;
  const rows = [
    ...(before.trim() === '' ? [] : [`${numbered(line - 1, width)}${cutAround(before, 0).text}`]),
    `${numbered(line, width)}${window.text}`,
    `${' '.repeat(width)} | ${' '.repeat(window.column)}${'^'.repeat(length)}`,
  ];
  return rows.join('\n');
}

function numbered(line: number, width: number): string {
  return `${String(line).padStart(width)} | `;
}

function lineText(source: SourceText, line: number): string {
  const start = source.lineStarts[line - 1] ?? 0;
  const end = source.lineStarts[line] ?? source.text.length + 1;
  // a line of megabytes is cut before any pattern reads it
  const raw = source.text.slice(start, Math.min(end - 1, start + 1_000_000));
  return raw.replace(/\r$/, '').replace(NOT_SHOWN, ' ');
}

function cutAround(
  line: string,
  column: number,
): { readonly text: string; readonly column: number } {
  if (line.length <= MAX_EXCERPT_CHARS) return { text: REDACTOR.text(line), column };
  const start = Math.max(0, Math.min(column - LEAD_CHARS, line.length - MAX_EXCERPT_CHARS));
  const part = line.slice(start, start + MAX_EXCERPT_CHARS);
  const text = REDACTOR.text(part);
  return start === 0
    ? { text: `${text}…`, column }
    : { text: `…${text}`, column: column - start + 1 };
}
