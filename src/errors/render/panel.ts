/** The terminal panel: what failed, where, what was tried; what to do comes last. */
import { jsonText, singleLine } from '../support/printable.ts';
import { onScreen } from '../support/on-screen.ts';
import { forPerson, type PersonReport } from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';
import { clip, columnsOf, padEnd, wrap } from './columns.ts';
import * as words from './report-words.ts';

export interface PanelOptions {
  /** Clamped to 60…120. Default 80. */
  readonly columns?: number;
  /** Off unless the caller knows of a terminal that wants it. */
  readonly color?: boolean;
}

/** One label with its entries; an undefined entry is left out, and so is a row without entries. */
export interface PanelRow {
  readonly label: string;
  readonly entries: readonly (string | undefined)[];
  /**
   * `list`: further lines of an entry are indented, so that the next entry stands out (the default).
   * `text`: one running text, never cut. `verbatim`: one line each, as written, without the label.
   */
  readonly layout?: 'list' | 'text' | 'verbatim';
}

export interface PanelText {
  readonly title: string;
  readonly message: string;
  readonly facts: readonly PanelRow[];
  readonly next: PanelRow;
}

export interface PanelLayout {
  readonly columns: number;
  readonly color: boolean;
  readonly labelColumns: number;
  /** A longer entry of a list is cut. */
  readonly maxEntryLines: number;
  /** Without a frame the same lines fit a narrower screen. */
  readonly isFramed: boolean;
}

type Style = keyof typeof STYLES;
type Paint = (text: string, style: Style) => string;
const STYLES = { red: 31, dim: 2, bold: 1 } as const;

const HANGING = '  ';
const INDENT = '    ';
const MAX_LISTED = 12;

/**
 * Renders a report as a box for a terminal.
 * @example
 * ```ts
 * import { failure, renderPanel } from 'errand';
 *
 * const panel = renderPanel(failure('order.missing', 'No such order').report, { columns: 60 });
 * console.log(panel.split('\n')[0]?.length); // 60
 * ```
 */
export function renderPanel(report: ErrorReport, options: PanelOptions = {}): string {
  const shown = onScreen(forPerson(report));
  const { counts, members, others } = groupFacts(shown);
  const facts: readonly PanelRow[] = [
    ...kindFacts(shown, 'not declared by the node'),
    { label: 'attempt', entries: [words.attemptCount(shown.attempt)] },
    { label: 'id', entries: [shown.id] },
    counts,
  ];
  const next = `${shown.action.detail} (${shown.action.kind})`;
  const text: PanelText = {
    title: shown.title,
    message: shown.message,
    facts: [
      ...facts.map((row) => ({ ...row, layout: 'text' as const })),
      members,
      { label: 'tried', entries: firstOf((shown.attempts ?? []).map(words.attemptWords)) },
      causeFact(shown),
      { label: 'details', entries: firstOf(detailLines(others)) },
    ],
    next: { label: 'next', entries: [next], layout: 'text' },
  };
  return panel(text, {
    columns: Math.min(120, Math.max(60, Math.floor(options.columns ?? 80))),
    color: options.color === true,
    labelColumns: 10,
    maxEntryLines: 6,
    isFramed: true,
  });
}

/** Draws every panel, whatever facts a surface adds to those of the report. */
export function panel({ title, message, facts, next }: PanelText, layout: PanelLayout): string {
  const { columns, color, isFramed } = layout;
  const inner = innerColumns(layout);
  const paint: Paint = (text, style) =>
    color && text !== '' ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  const pad = (line: string): string => padEnd(line, isFramed ? inner : 0);
  const lines = [
    ...(isFramed ? wrap(message, inner) : indented(message, inner)).map(pad),
    pad(''),
    ...facts
      .flatMap((row) => rowLines(row, layout))
      .map((line) => dimLabel(pad(line), layout, paint)),
    pad(''),
    ...rowLines(next, layout).map((line) => paint(pad(line), 'bold')),
  ];
  const head = clip(singleLine(title), isFramed ? columns - 6 : columns - 2);
  if (!isFramed) return [paint(head, 'red'), ...lines].join('\n');
  const edge = (text: string): string => paint(text, 'red');
  const rule = '─'.repeat(columns - 5 - columnsOf(head));
  return [
    `${edge('╭─')} ${paint(head, 'bold')} ${edge(`${rule}╮`)}`,
    ...lines.map((line) => `${edge('│')} ${line} ${edge('│')}`),
    edge(`╰${'─'.repeat(columns - 2)}╯`),
  ].join('\n');
}

/** The room inside the frame, where there is one. */
export function innerColumns({
  columns,
  isFramed,
}: Pick<PanelLayout, 'columns' | 'isFramed'>): number {
  return isFramed ? columns - 4 : columns;
}

export function kindFacts(shown: PersonReport, undeclared: string): readonly PanelRow[] {
  return [
    {
      label: 'kind',
      entries: [shown.undeclared === true ? `${shown.kind} (${undeclared})` : shown.kind],
    },
    { label: 'category', entries: [words.categoryWords(shown)] },
    { label: 'retryable', entries: [words.retryableWords(shown)] },
    { label: 'outcome', entries: [shown.outcome] },
    { label: 'where', entries: [words.locationWords(shown.location)] },
    { label: 'via', entries: [words.boundaryWords(shown)] },
    { label: 'provider', entries: [words.providerWords(shown)] },
    { label: 'rule', entries: [words.ruleWords(shown)] },
  ];
}

export interface GroupFacts {
  readonly counts: PanelRow;
  readonly members: PanelRow;
  /** The details that are not about members. */
  readonly others: NonNullable<ErrorReport['details']>;
}

/** All members that the report has are listed; other long lists are cut by `firstOf`. */
export function groupFacts(shown: PersonReport): GroupFacts {
  const { counts, members, unlisted, others } = words.groupWords(shown);
  const entries = members.map(({ name, kind, message }) => `${name}: ${kind}: ${message}`);
  return {
    counts: { label: 'failed', entries: [counts] },
    members: {
      label: 'members',
      entries: [...entries, ...(unlisted > 0 ? [`and ${unlisted} more`] : [])],
    },
    others,
  };
}

export function causeFact(shown: PersonReport): PanelRow {
  const causes = words.causesOf(shown);
  return {
    label: 'because',
    entries: causes.map(({ kind, message }) => `${kind}: ${singleLine(message)}`),
  };
}

export function detailLines(details: NonNullable<ErrorReport['details']>): string[] {
  return Object.entries(details).map(
    ([key, value]) =>
      `${singleLine(key)}: ${typeof value === 'string' ? singleLine(value) : jsonText(value)}`,
  );
}

export function firstOf(entries: readonly string[]): readonly string[] {
  if (entries.length <= MAX_LISTED) return entries;
  return [...entries.slice(0, MAX_LISTED), `and ${entries.length - MAX_LISTED} more`];
}

/** Without a frame a message could pass for one of our own lines, so it is indented. */
function indented(message: string, columns: number): string[] {
  return wrap(singleLine(message), columns - INDENT.length).map((line) => INDENT + line);
}

function dimLabel(line: string, { labelColumns }: PanelLayout, paint: Paint): string {
  const label = line.slice(0, labelColumns);
  return label.trim() === '' ? line : paint(label, 'dim') + line.slice(labelColumns);
}

function rowLines(
  { label, entries, layout = 'list' }: PanelRow,
  panelLayout: PanelLayout,
): string[] {
  const { labelColumns, maxEntryLines } = panelLayout;
  const room = innerColumns(panelLayout) - labelColumns;
  const known = entries.filter((entry) => entry !== undefined);
  if (layout === 'verbatim')
    return known.map((entry) => ' '.repeat(labelColumns) + clip(entry, room));
  return known.flatMap((entry, index) => {
    const lines =
      layout === 'text'
        ? wrap(entry, room)
        : wrap(clip(entry, room * maxEntryLines), room - HANGING.length);
    const hanging = layout === 'text' ? '' : HANGING;
    return lines.map(
      (line, at) =>
        padEnd(index === 0 && at === 0 ? label : '', labelColumns) +
        (at === 0 ? '' : hanging) +
        line,
    );
  });
}
