/**
 * The page of all kinds of failure, from the catalog: one anchor for each, and the tables around
 * them.
 */
import { retryableByDefault } from '../../src/errors/report/build.ts';
import { aliasesOf } from '../../src/errors/catalog/aliases.ts';
import { CATALOG, RUNTIME_KINDS } from '../../src/errors/catalog/catalog.ts';
import { DOMAIN_ROW } from '../../src/errors/catalog/domain-row.ts';
import type { CatalogRow } from '../../src/errors/catalog/row.ts';
import { EXITS } from '../../src/errors/catalog/exit-codes.ts';
import { retryableWords, scheduleWords } from '../../src/errors/render/report-words.ts';
import {
  CATEGORIES,
  CATEGORY_MEANING,
  ERROR_CLASSES,
} from '../../src/errors/catalog/vocabulary.ts';
import type { ErrorClass } from '../../src/errors/catalog/vocabulary.ts';

const ROWS: readonly (readonly [string, CatalogRow])[] = Object.entries<CatalogRow>(CATALOG);

export function renderErrorsPage(): string {
  return [
    '# Errors',
    '<!-- Made by `npm run docs` from the catalog in src/errors/catalog/. Do not edit. -->',
    INTRODUCTION,
    '## Categories',
    'The category of a failure says what would make it go away. The outcome of the work can change the category of one report: a transient failure after content was delivered is `ambiguous`.',
    categories(),
    ...ERROR_CLASSES.flatMap(classSection),
    '## Exit codes',
    'The exit code of a command that ends on a failure of the kind. Kinds that a workflow raises itself end with 3.',
    exitCodes(),
    '## HTTP statuses',
    'The status of a problem document (RFC 9457, `type` = `urn:errand:error:KIND`). Kinds that a workflow raises itself have 422.',
    httpStatuses(),
    '## Names in other systems',
    'The names that other systems have for the same failure. `errand explain NAME` finds it by these names too.',
    otherNames(),
  ]
    .join('\n\n')
    .concat('\n');
}

const INTRODUCTION = `Every failure that Errand reports has a kind. The kinds of this page belong to Errand: a workflow can match
them but not raise them, nor any other name under their first word. \`errand explain KIND\` shows the same in a terminal,
and the package has all of it as data in \`errand/catalog.json\`. The form of a report is in
[report.schema.json](report.schema.json).`;

function categories(): string {
  return table(
    ['category', 'meaning', 'retryable by default'],
    CATEGORIES.map((category) => [
      `\`${category}\``,
      CATEGORY_MEANING[category],
      retryableWords({ retryable: retryableByDefault(category) }),
    ]),
  );
}

function classSection(name: ErrorClass): string[] {
  const rows = ROWS.filter(([, row]) => row.class === name);
  const heading = `## Class \`${name}\``;
  return name === 'domain'
    ? [heading, DOMAIN_ROW.help, facts(DOMAIN_ROW)]
    : [heading, ...rows.map(([kind, row]) => kindSection(kind, row))];
}

function kindSection(kind: string, row: CatalogRow): string {
  return [`<a id="${kind}"></a>`, `### ${kind}`, `**${row.title}.** ${row.help}`, facts(row)].join(
    '\n\n',
  );
}

function facts(row: CatalogRow): string {
  const category = row.inherits
    ? `\`${row.category}\`, or that of its cause`
    : `\`${row.category}\``;
  return table(
    ['fact', 'value'],
    [
      ['category', category],
      ['domain', `\`${row.domain}\``],
      ['retryable', retryableWords({ retryable: retryableByDefault(row.category) })],
      ['retries', scheduleWords(row.schedule)],
      ['outcome', `\`${row.outcome}\``],
      ['HTTP status', String(row.httpStatus)],
      ['exit code', String(row.exitCode)],
      ['next', `${row.action.detail} (\`${row.action.kind}\`)`],
    ],
  );
}

function exitCodes(): string {
  return table(
    ['exit', 'meaning', 'kinds'],
    Object.entries(EXITS).map(([code, meaning]) => [
      code,
      meaning,
      links(ROWS.filter(([, row]) => String(row.exitCode) === code)),
    ]),
  );
}

function httpStatuses(): string {
  const statuses = [...new Set(ROWS.map(([, row]) => row.httpStatus))].toSorted((a, b) => a - b);
  return table(
    ['status', 'kinds'],
    statuses.map((status) => [
      String(status),
      links(ROWS.filter(([, row]) => row.httpStatus === status)),
    ]),
  );
}

function otherNames(): string {
  const found = RUNTIME_KINDS.flatMap((kind) =>
    Object.entries(aliasesOf(kind)).flatMap(([system, names]) =>
      names.map((name) => ({ name, system, kind })),
    ),
  );
  const byName = Object.groupBy(found, ({ name, system }) => `${name} ${system}`);
  const rows = Object.entries(byName).map(([, entries = []]) => [
    `\`${entries[0]?.name}\``,
    entries[0]?.system ?? '',
    entries.map(({ kind }) => link(kind)).join(', '),
  ]);
  const inOrder = new Intl.Collator('en').compare;
  return table(
    ['name', 'system', 'kinds'],
    rows.toSorted(([a = '', x = ''], [b = '', y = '']) => inOrder(a, b) || inOrder(x, y)),
  );
}

function links(rows: readonly (readonly [string, CatalogRow])[]): string {
  return rows.map(([kind]) => link(kind)).join(', ');
}

function link(kind: string): string {
  return `[\`${kind}\`](#${kind})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
