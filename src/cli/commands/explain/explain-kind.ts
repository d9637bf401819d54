/** Renders a catalog row as text, JSON and Markdown. */
import { retryableByDefault } from '../../../errors/report/build.ts';
import { aliasesOf } from '../../../errors/catalog/aliases.ts';
import { catalogRow } from '../../../errors/catalog/catalog.ts';
import { DOMAIN_ROW } from '../../../errors/catalog/domain-row.ts';
import { isRuntimeKind } from '../../../errors/catalog/kinds.ts';
import type { CatalogRow } from '../../../errors/catalog/row.ts';
import { padEnd, wrap } from '../../../errors/render/columns.ts';
import {
  categoryWords,
  retryableWords,
  scheduleWords,
} from '../../../errors/render/report-words.ts';
import type { Terminal } from '../../terminal.ts';

type Style = Pick<Terminal, 'columns' | 'color'>;

const LABEL_COLUMNS = 12;

export function explainText(kind: string, style: Style): string {
  const row = rowOf(kind);
  const columns = Math.min(100, Math.max(40, style.columns));
  const bold = (text: string): string => (style.color ? `\u001b[1m${text}\u001b[0m` : text);
  return [
    `${bold(row.title)}  ${kind}`,
    '',
    ...wrap(row.help, columns),
    '',
    ...facts(kind, row).flatMap(([label, value]) => labelled(label, value, columns)),
    ...labelled('next', `${row.action.detail} (${row.action.kind})`, columns).map(bold),
  ].join('\n');
}

export function listText(kinds: readonly string[], style: Style): string {
  const width = Math.max(...kinds.map((kind) => kind.length)) + 2;
  return kinds
    .map((kind) => {
      const { title, category } = rowOf(kind);
      return `${padEnd(kind, width)}${padEnd(category, 15)}${title}`;
    })
    .map((line) => line.slice(0, Math.max(60, style.columns)))
    .join('\n');
}

export function explainMarkdown(kind: string): string {
  const row = rowOf(kind);
  return [
    `### ${kind}`,
    `**${row.title}.** ${row.help}`,
    [...facts(kind, row), ['next', `${row.action.detail} (\`${row.action.kind}\`)`] as const]
      .map(([label, value]) => `- ${label}: ${value}`)
      .join('\n'),
    '',
  ].join('\n\n');
}

function rowOf(kind: string): CatalogRow {
  return catalogRow(kind) ?? DOMAIN_ROW;
}

function facts(kind: string, row: CatalogRow): (readonly [string, string])[] {
  const aliases = Object.entries(isRuntimeKind(kind) ? aliasesOf(kind) : {}).map(
    ([system, names]) => `${names.join(', ')} (${system})`,
  );
  const all: (readonly [string, string])[] = [
    ['class', row.class],
    ['category', categoryWords(row)],
    ['retryable', retryableWords({ retryable: retryableByDefault(row.category) })],
    ['retries', scheduleWords(row.schedule)],
    ['outcome', row.outcome],
    ['HTTP status', String(row.httpStatus)],
    ['exit code', String(row.exitCode)],
  ];
  return aliases.length === 0 ? all : [...all, ['also called', aliases.join('; ')]];
}

function labelled(label: string, value: string, columns: number): string[] {
  return wrap(value, columns - LABEL_COLUMNS).map(
    (line, index) => padEnd(index === 0 ? label : '', LABEL_COLUMNS) + line,
  );
}
