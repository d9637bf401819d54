/**
 * What is wrong with a file, for people, programs and reports: one form for the loader and the
 * checker. A diagnostic is data; nothing here throws.
 */
import { buildReport } from '../errors/build.ts';
import { CATALOG } from '../errors/catalog.ts';
import { oneLine, visible } from '../errors/printable.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../errors/report.ts';
import { given } from './given.ts';
import type { DiagnosticCode } from './codes.ts';
import { toPointer } from './path.ts';
import { kindAt, type Problem, type Severity, type ValidationKind } from './problem.ts';
import { excerptAt, positionAt, type Span } from './source.ts';

export interface Diagnostic {
  readonly severity: Severity;
  readonly kind: ValidationKind;
  readonly code: DiagnosticCode;
  readonly message: string;
  /** The file that holds the text; an included one where that is the place. */
  readonly file: string;
  /** JSON Pointer into the workflow's document, after includes. */
  readonly pointer: string;
  /** From 1; 0 where there is no text, as in a workflow written in code. */
  readonly line: number;
  readonly column: number;
  /** Source lines with a caret below the place; empty where there is no text. */
  readonly excerpt: string;
  readonly expected?: string;
  readonly suggestion?: string;
}

/** Where a file has more than this, the first ones have to be repaired first anyway. */
export const MAX_DIAGNOSTICS = 200;
const MAX_REPORTED = 20;

export function toDiagnostic(problem: Problem, span: Span | undefined, file: string): Diagnostic {
  const position =
    span === undefined ? { line: 0, column: 0 } : positionAt(span.source, span.start);
  return given({
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

/** By place, so that a person can go through a file from top to bottom; files in the order they came. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const order = new Map<string, number>();
  for (const { file } of diagnostics) if (!order.has(file)) order.set(file, order.size);
  return diagnostics.toSorted(
    (a, b) =>
      (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  );
}

/** One diagnostic as a report. */
export function diagnosticToReport(diagnostic: Diagnostic, stamp: Stamp): ErrorReport {
  return buildReport(toDraft(diagnostic), { stamp });
}

/** Everything that is wrong as one report: the first error, with the others in its details. */
export function refusalDraft(diagnostics: readonly Diagnostic[]): ReportDraft | undefined {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return undefined;
  const draft = toDraft(first);
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

function toDraft(diagnostic: Diagnostic): ReportDraft & { readonly details: object } {
  const { kind, message, file, pointer, line, column, code, expected, suggestion, excerpt } =
    diagnostic;
  return {
    kind,
    message,
    details: given({ code, expected, suggestion, excerpt: excerpt === '' ? undefined : excerpt }),
    ...(suggestion === undefined
      ? {}
      : { action: { kind: CATALOG[kind].action.kind, detail: adviceOf(suggestion) } }),
    location: line === 0 ? { file, pointer } : { file, pointer, line, column },
  };
}

/** For a terminal: place, severity, message, excerpt, and what to do. */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, severity, code, message, excerpt, expected, suggestion } = diagnostic;
  const place = line === 0 ? `${file}${diagnostic.pointer}` : `${file}:${line}:${column}`;
  const rows = [oneLine(`${place} ${severity}: ${message} [${code}]`)];
  if (excerpt !== '') rows.push(...excerpt.split('\n').map((row) => `  ${visible(row)}`));
  const isNews = expected !== undefined && !message.includes(expected);
  if (isNews && suggestion === undefined) rows.push(oneLine(`  expected: ${expected}`));
  if (suggestion !== undefined)
    rows.push(
      oneLine(`  ${isSentence(suggestion) ? suggestion : `did you mean \`${suggestion}\`?`}`),
    );
  return rows.join('\n');
}

/** What a report advises ends like a sentence, and may be what is suggested here. */
function withoutStop(suggestion: string): string {
  return isSentence(suggestion) ? suggestion.replace(/\.$/, '') : suggestion;
}

function adviceOf(suggestion: string): string {
  return isSentence(suggestion) ? `${suggestion}.` : `Did you mean \`${suggestion}\`?`;
}

/** Suggestions are the text to write, or begin with a capital and say what to do. */
function isSentence(suggestion: string): boolean {
  return /^[A-Z][a-z]+ /.test(suggestion);
}
