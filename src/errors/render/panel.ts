/** The terminal panel: what failed, where, what was tried; what to do comes last. */
import { jsonText, singleLine } from '../printable.ts';
import { onScreen } from '../on-screen.ts';
import { forPerson, type PersonReport } from '../project.ts';
import type { ErrorReport } from '../report.ts';
import { clip, columnsOf, padEnd, wrap } from './columns.ts';
import * as words from './words.ts';

export interface PanelOptions {
  /** Clamped to 60…120. Default 80. */
  readonly columns?: number;
  /** Off unless the caller knows of a terminal that wants it. */
  readonly color?: boolean;
}

const LABEL_COLUMNS = 10;
/** Before the further lines of an entry, so that the next entry can be told from them. */
const HANGING = '  ';
const MAX_LISTED = 12;
const MAX_ENTRY_LINES = 6;

type Paint = (text: string, style: keyof typeof STYLES) => string;
const STYLES = { red: 31, dim: 2, bold: 1 } as const;

export function renderPanel(report: ErrorReport, options: PanelOptions = {}): string {
  const columns = Math.min(120, Math.max(60, Math.floor(options.columns ?? 80)));
  const inner = columns - 4;
  const paint: Paint = (text, style) =>
    options.color === true ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;

  const shown = onScreen(forPerson(report));
  const edge = (text: string): string => paint(text, 'red');
  const row = (text: string): string => `${edge('│')} ${text} ${edge('│')}`;
  const plain = (line: string): string => row(padEnd(line, inner));
  const bold = (line: string): string => row(paint(padEnd(line, inner), 'bold'));
  const next = labelled('next', `${shown.action.detail} (${shown.action.kind})`, inner);
  return [
    topEdge(shown, columns, paint),
    ...wrap(shown.message, inner).map(plain),
    plain(''),
    ...facts(shown, inner).map((line) => row(dimLabel(padEnd(line, inner), paint))),
    plain(''),
    ...next.map(bold),
    edge(`╰${'─'.repeat(columns - 2)}╯`),
  ].join('\n');
}

function topEdge(shown: PersonReport, columns: number, paint: Paint): string {
  const title = clip(singleLine(shown.title), columns - 6);
  const rule = '─'.repeat(columns - 5 - columnsOf(title));
  return `${paint('╭─', 'red')} ${paint(title, 'bold')} ${paint(`${rule}╮`, 'red')}`;
}

function dimLabel(line: string, paint: Paint): string {
  const label = line.slice(0, LABEL_COLUMNS);
  return label.trim() === '' ? line : paint(label, 'dim') + line.slice(LABEL_COLUMNS);
}

function facts(shown: PersonReport, columns: number): string[] {
  const group = words.groupWords(shown);
  const kind = shown.undeclared === true ? `${shown.kind} (not declared by the node)` : shown.kind;
  const single: (readonly [string, string | undefined])[] = [
    ['kind', kind],
    ['category', words.categoryWords(shown)],
    ['retryable', words.retryableWords(shown)],
    ['outcome', shown.outcome],
    ['where', words.locationWords(shown.location)],
    ['via', words.boundaryWords(shown)],
    ['provider', words.providerWords(shown)],
    ['rule', words.ruleWords(shown)],
    ['attempt', words.attemptCount(shown.attempt)],
    ['id', shown.id],
    ['failed', group.counts],
  ];
  const members = group.members.map(({ name, kind, said }) => `${name}: ${kind}: ${said}`);
  return [
    ...single.flatMap(([label, value]) =>
      value === undefined ? [] : labelled(label, value, columns),
    ),
    ...listed(
      'members',
      [...members, ...(group.untold > 0 ? [`and ${group.untold} more`] : [])],
      columns,
    ),
    ...listed('tried', firstOf((shown.attempts ?? []).map(words.attemptWords)), columns),
    ...listed('because', words.causesOf(shown).map(causeWords), columns),
    ...listed('details', firstOf(detailLines(group.others)), columns),
  ];
}

function causeWords(cause: ErrorReport): string {
  return `${cause.kind}: ${singleLine(cause.message)}`;
}

function detailLines(details: NonNullable<ErrorReport['details']>): string[] {
  return Object.entries(details).map(
    ([key, value]) =>
      `${singleLine(key)}: ${typeof value === 'string' ? singleLine(value) : jsonText(value)}`,
  );
}

function firstOf(entries: readonly string[]): readonly string[] {
  if (entries.length <= MAX_LISTED) return entries;
  return [...entries.slice(0, MAX_LISTED), `and ${entries.length - MAX_LISTED} more`];
}

function listed(label: string, entries: readonly string[], columns: number): string[] {
  const room = (columns - LABEL_COLUMNS) * MAX_ENTRY_LINES;
  return entries.flatMap((entry, index) => {
    const lines = wrap(clip(entry, room), columns - LABEL_COLUMNS - HANGING.length);
    return lines.map(
      (line, at) =>
        padEnd(index === 0 && at === 0 ? label : '', LABEL_COLUMNS) +
        (at === 0 ? '' : HANGING) +
        line,
    );
  });
}

function labelled(label: string, value: string, columns: number): string[] {
  return wrap(value, columns - LABEL_COLUMNS).map(
    (line, index) => padEnd(index === 0 ? label : '', LABEL_COLUMNS) + line,
  );
}
