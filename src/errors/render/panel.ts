/** The terminal panel: what failed, where, what was tried; what to do comes last. */
import { singleLine } from '../printable.ts';
import { forPerson, type PersonReport } from '../project.ts';
import type { ErrorReport } from '../report.ts';
import { clip, columnsOf, padEnd, wrap } from './columns.ts';
import {
  attemptWords,
  categoryWords,
  causesOf,
  locationWords,
  providerWords,
  retryableWords,
} from './words.ts';

export interface PanelOptions {
  /** Clamped to 60…120. Default 80. */
  readonly columns?: number;
  /** Off unless the caller knows of a terminal that wants it. */
  readonly color?: boolean;
}

const LABEL_COLUMNS = 10;
const MAX_LISTED = 12;
const MAX_DETAIL_LINES = 12;

type Paint = (text: string, style: keyof typeof STYLES) => string;
const STYLES = { red: 31, dim: 2, bold: 1, cyan: 36 } as const;

export function renderPanel(report: ErrorReport, options: PanelOptions = {}): string {
  const columns = Math.min(120, Math.max(60, Math.floor(options.columns ?? 80)));
  const inner = columns - 4;
  const paint: Paint = (text, style) =>
    options.color === true ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;

  const shown = forPerson(report);
  const body = [
    ...wrap(shown.message, inner),
    '',
    ...facts(shown).flatMap(([label, value]) => labelled(label, value, inner)),
    ...listed('tried', (shown.attempts ?? []).map(attemptWords), inner),
    ...listed('because', causesOf(shown).map(causeWords), inner),
    ...listed('details', detailLines(shown), inner),
    '',
  ];
  const next = labelled('next', `${shown.action.detail} (${shown.action.kind})`, inner);

  const edge = (text: string): string => paint(text, 'red');
  const row = (text: string, style?: 'bold'): string => {
    const padded = padEnd(text, inner);
    return `${edge('│')} ${style === undefined ? padded : paint(padded, style)} ${edge('│')}`;
  };
  return [
    topEdge(shown, columns, paint),
    ...body.map((line) => row(line)),
    ...next.map((line) => row(line, 'bold')),
    edge(`╰${'─'.repeat(columns - 2)}╯`),
  ].join('\n');
}

function topEdge(shown: PersonReport, columns: number, paint: Paint): string {
  const title = clip(singleLine(shown.title), columns - 6);
  const rule = '─'.repeat(columns - 5 - columnsOf(title));
  return `${paint('╭─', 'red')} ${paint(title, 'bold')} ${paint(`${rule}╮`, 'red')}`;
}

function facts(shown: PersonReport): (readonly [string, string])[] {
  const all: (readonly [string, string | undefined])[] = [
    ['kind', shown.undeclared === true ? `${shown.kind} (not declared by the node)` : shown.kind],
    ['category', categoryWords(shown)],
    ['retryable', retryableWords(shown)],
    ['outcome', shown.outcome === 'failed' ? undefined : shown.outcome],
    ['where', locationWords(shown.location)],
    ['provider', providerWords(shown)],
    ['attempt', shown.attempt === undefined ? undefined : attemptCount(shown.attempt)],
    ['id', shown.id],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

function attemptCount(attempt: NonNullable<ErrorReport['attempt']>): string {
  return attempt.max === undefined ? `${attempt.number}` : `${attempt.number} of ${attempt.max}`;
}

function causeWords(cause: ErrorReport): string {
  return `${cause.kind}: ${singleLine(cause.message)}`;
}

function detailLines(shown: PersonReport): string[] {
  if (shown.details === undefined) return [];
  return Object.entries(shown.details).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? singleLine(value) : JSON.stringify(value)}`,
  );
}

function listed(label: string, entries: readonly string[], columns: number): string[] {
  if (entries.length === 0) return [];
  const told = entries.slice(0, MAX_LISTED);
  const rest = entries.length - told.length;
  const all = rest === 0 ? told : [...told, `and ${rest} more`];
  return all
    .flatMap((entry, index) => labelled(index === 0 ? label : '', clipEntry(entry, columns), columns));
}

function clipEntry(entry: string, columns: number): string {
  return clip(entry, (columns - LABEL_COLUMNS) * MAX_DETAIL_LINES);
}

function labelled(label: string, value: string, columns: number): string[] {
  return wrap(value, columns - LABEL_COLUMNS).map(
    (line, index) => padEnd(index === 0 ? label : '', LABEL_COLUMNS) + line,
  );
}
