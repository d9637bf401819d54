/**
 * Diagnostics: problems of a file for people, programs and reports, in one form for the loader and
 * the checker. A diagnostic is data; nothing here throws.
 */
import { buildReport } from '../../errors/report/build.ts';
import { CATALOG } from '../../errors/catalog/catalog.ts';
import { oneLine, visible } from '../../errors/support/printable.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../../errors/report/report.ts';
import { omitUndefined } from '../plan/omit-undefined.ts';
import type { DiagnosticCode } from './diagnostic-codes.ts';
import { toPointer } from '../plan/pointer.ts';
import { kindAt, type Problem, type Severity, type ValidationKind } from './problem.ts';
import { excerptAt, positionAt, type Span } from '../yaml/source-text.ts';

export interface Diagnostic {
  readonly severity: Severity;
  readonly kind: ValidationKind;
  readonly code: DiagnosticCode;
  readonly message: string;
  /** The file that contains the text, which may be an included one. */
  readonly file: string;
  /** JSON Pointer into the workflow's document, after includes. */
  readonly pointer: string;
  /** From 1; 0 if there is no text, as in a workflow written in code. */
  readonly line: number;
  readonly column: number;
  /** Source lines with a caret below the problem; empty where there is no text. */
  readonly excerpt: string;
  readonly expected?: string;
  readonly suggestion?: string;
}

/** In a file with more, the first ones have to be repaired first anyway. */
export const MAX_DIAGNOSTICS = 200;
const MAX_REPORTED = 20;

export function toDiagnostic(problem: Problem, span: Span | undefined, file: string): Diagnostic {
  const position =
    span === undefined ? { line: 0, column: 0 } : positionAt(span.source, span.start);
  return omitUndefined({
    severity: problem.severity ?? 'error',
    kind: problem.kind ?? kindAt(problem.path),
    code: problem.code,
    message: problem.message,
    file: span?.source.file ?? file,
    pointer: toPointer(problem.path),
    ...position,
    excerpt: span === undefined ? '' : excerptAt(span),
    expected: problem.expected,
    suggestion: problem.suggestion === undefined ? undefined : withoutStop(problem.suggestion),
  });
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

/** Sorts by position, so that a person can work through a file from top to bottom; files keep their order. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const order = new Map<string, number>();
  for (const { file } of diagnostics) if (!order.has(file)) order.set(file, order.size);
  return diagnostics.toSorted(
    (a, b) =>
      (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  );
}

export function diagnosticToReport(diagnostic: Diagnostic, stamp: Stamp): ErrorReport {
  return buildReport(draftOf(diagnostic), { stamp });
}

/** All diagnostics as one report: the first error, with the others in its details. */
export function refusalDraft(diagnostics: readonly Diagnostic[]): ReportDraft | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return undefined;
  const draft = draftOf(first);
  const others = errors.length - 1;
  if (others === 0) return draft;
  const listed = errors
    .slice(0, MAX_REPORTED)
    .map(({ severity: _severity, excerpt: _excerpt, ...rest }) => rest);
  return {
    ...draft,
    message: `${first.message} (and ${others} more ${others === 1 ? 'problem' : 'problems'})`,
    details: { ...draft.details, count: errors.length, diagnostics: listed },
  };
}

function draftOf(diagnostic: Diagnostic): ReportDraft & { readonly details: object } {
  const { kind, message, file, pointer, line, column, code, expected, suggestion, excerpt } =
    diagnostic;
  return {
    kind,
    message,
    details: omitUndefined({
      code,
      expected,
      suggestion,
      excerpt: excerpt === '' ? undefined : excerpt,
    }),
    ...(suggestion === undefined
      ? {}
      : { action: { kind: CATALOG[kind].action.kind, detail: adviceOf(suggestion) } }),
    location: line === 0 ? { file, pointer } : { file, pointer, line, column },
  };
}

/** For a terminal: location, severity, message, excerpt, and advice. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, severity, code, message, excerpt, expected, suggestion } = diagnostic;
  const location = line === 0 ? `${file}${diagnostic.pointer}` : `${file}:${line}:${column}`;
  const rows = [oneLine(`${location} ${severity}: ${message} [${code}]`)];
  if (excerpt !== '') rows.push(...excerpt.split('\n').map((row) => `  ${visible(row)}`));
  const isNews = expected !== undefined && !message.includes(expected);
  if (isNews && suggestion === undefined) rows.push(oneLine(`  expected: ${expected}`));
  if (suggestion !== undefined)
    rows.push(
      oneLine(`  ${isSentence(suggestion) ? suggestion : `did you mean \`${suggestion}\`?`}`),
    );
  return rows.join('\n');
}

/** The action of a report is a sentence; the suggestion of a diagnostic may be text to copy. */
function withoutStop(suggestion: string): string {
  return isSentence(suggestion) ? suggestion.replace(/\.$/, '') : suggestion;
}

export function adviceOf(suggestion: string): string {
  return isSentence(suggestion) ? `${suggestion}.` : `Did you mean \`${suggestion}\`?`;
}

/** Suggestions are the text to write, or begin with a capital and give advice. */
function isSentence(suggestion: string): boolean {
  return /^[A-Z][a-z]+ /.test(suggestion);
}
