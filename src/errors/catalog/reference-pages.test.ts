/**
 * The catalog, the page of kinds, the schema and the tables of exits and statuses agree, compared
 * both ways: each entry of one is in the others, and there are no more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { retryableByDefault } from '../report/build.ts';
import { aliasesOf } from './aliases.ts';
import { CATALOG, RUNTIME_KINDS } from './catalog.ts';
import { DOMAIN_ROW } from './domain-row.ts';
import type { CatalogRow } from './row.ts';
import { EXITS, FAILURE_EXITS } from './exit-codes.ts';
import { buildReport } from '../report/build.ts';
import { exitCode, httpStatus } from '../report/audiences.ts';
import { retryableWords } from '../render/report-words.ts';
import { ACTION_KINDS, CATEGORIES, DOMAINS, ERROR_CLASSES, OUTCOMES } from './vocabulary.ts';

const REFERENCE = join(import.meta.dirname, '../../../docs/reference');
const ROWS = Object.entries<CatalogRow>(CATALOG);

let page = '';
let schema: {
  properties: Record<string, { enum?: string[]; properties?: Record<string, { enum?: string[] }> }>;
};

beforeAll(() => {
  page = readFileSync(join(REFERENCE, 'errors.md'), 'utf8');
  schema = JSON.parse(readFileSync(join(REFERENCE, 'report.schema.json'), 'utf8')) as typeof schema;
});

describe('the page of kinds', () => {
  it('has one anchor and one heading for each kind of the catalog, and no others', () => {
    expect(all(/^<a id="(.+)"><\/a>$/gm)).toEqual(headings());
    expect(headings().toSorted()).toEqual(RUNTIME_KINDS.toSorted());
  });

  it('has one heading for each class', () => {
    expect(all(/^## Class `(.+)`$/gm)).toEqual([...ERROR_CLASSES]);
  });

  it.each(ROWS)('describes %s as the catalog does', (kind, row) => {
    const { text, className } = sectionOf(kind);
    expect(className).toBe(row.class);
    expect(text).toContain(`**${row.title}.** ${row.help}`);
    const category = row.inherits
      ? `\`${row.category}\`, or that of its cause`
      : `\`${row.category}\``;
    expect(Object.fromEntries(cells(text))).toMatchObject({
      category,
      domain: `\`${row.domain}\``,
      retryable: retryableWords({ retryable: retryableByDefault(row.category) }),
      outcome: `\`${row.outcome}\``,
      'HTTP status': `${row.httpStatus}`,
      'exit code': `${row.exitCode}`,
      next: `${row.action.detail} (\`${row.action.kind}\`)`,
    });
  });

  it('links to kinds that it has', () => {
    const targets = new Set(all(/\]\(#(.+?)\)/g));
    expect([...targets].toSorted()).toEqual(RUNTIME_KINDS.toSorted());
  });

  it('explains every category', () => {
    expect(tableOf('Categories').map(([name]) => name)).toEqual(
      CATEGORIES.map((name) => `\`${name}\``),
    );
  });

  it('lists every name that a kind has in other systems, and no others', () => {
    const listed = tableOf('Names in other systems').flatMap(([name, system, kinds]) =>
      kindsIn(kinds).map((kind) => `${name} ${system} ${kind}`),
    );
    const known = RUNTIME_KINDS.flatMap((kind) =>
      Object.entries(aliasesOf(kind)).flatMap(([system, names]) =>
        names.map((name) => `\`${name}\` ${system} ${kind}`),
      ),
    );
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

describe('the table of exits', () => {
  it('has each kind under its exit code, with the meaning that the code has', () => {
    const rows = tableOf('Exit codes');
    expect(rows.map(([code, meaning]) => [code, meaning])).toEqual(Object.entries(EXITS));
    const listed = rows.flatMap(([code, , kinds]) =>
      kindsIn(kinds).map((kind) => [kind, Number(code)]),
    );
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(ROWS.map(([kind, row]) => [kind, exitCode(reportOf(kind, row))])),
    );
  });

  it('has no failure exit code that no kind uses', () => {
    const used = new Set(
      [...ROWS.map(([, row]) => row), DOMAIN_ROW].map((row) => String(row.exitCode)),
    );
    expect(new Set(Object.keys(FAILURE_EXITS))).toEqual(used);
  });
});

describe('the table of statuses', () => {
  it('has each kind under its status', () => {
    const listed = tableOf('HTTP statuses').flatMap(([status, kinds]) =>
      kindsIn(kinds).map((kind) => [kind, Number(status)]),
    );
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(ROWS.map(([kind, row]) => [kind, httpStatus(reportOf(kind, row))])),
    );
  });

  it('has statuses of failures only', () => {
    for (const [, row] of ROWS)
      expect(row.httpStatus).toSatisfy((status: number) => status >= 400 && status < 600);
  });
});

describe('the schema', () => {
  it.each([
    ['class', ERROR_CLASSES],
    ['category', CATEGORIES],
    ['domain', DOMAINS],
    ['outcome', OUTCOMES],
  ] as const)('has the words of the vocabulary for the %s', (field, words) => {
    expect(schema.properties[field]?.enum).toEqual([...words]);
  });

  it('has the words of the vocabulary for actions', () => {
    expect(schema.properties['action']?.properties?.['kind']?.enum).toEqual([...ACTION_KINDS]);
  });

  it.each([
    ['class', ERROR_CLASSES, (row: CatalogRow) => row.class],
    ['category', CATEGORIES, (row: CatalogRow) => row.category],
    ['domain', DOMAINS, (row: CatalogRow) => row.domain],
    ['outcome', OUTCOMES, (row: CatalogRow) => row.outcome],
    ['action', ACTION_KINDS, (row: CatalogRow) => row.action.kind],
  ] as const)('has no %s that the catalog never uses', (_, words, wordOf) => {
    const used = new Set<string>([...ROWS.map(([, row]) => row), DOMAIN_ROW].map(wordOf));
    expect(words.filter((word) => !used.has(word))).toEqual([]);
  });

  it('accepts every kind of the catalog', () => {
    const { pattern } = schema.properties['kind'] as { pattern?: string };
    for (const kind of RUNTIME_KINDS) expect(kind).toMatch(new RegExp(pattern ?? '^$'));
  });
});

function reportOf(kind: string, row: CatalogRow) {
  return buildReport(
    { kind, message: row.title },
    { stamp: { id: 'x', at: '2026-11-15T00:00:00Z' } },
  );
}

function all(pattern: RegExp): string[] {
  return [...page.matchAll(pattern)].map(([, found = '']) => found);
}

function headings(): string[] {
  return all(/^### (.+)$/gm);
}

function sectionOf(kind: string): { text: string; className: string | undefined } {
  const start = page.indexOf(`\n### ${kind}\n`);
  const tail = page.slice(start + 1);
  const end = tail.slice(1).search(/\n(?:<a id|## )/);
  return {
    text: tail.slice(0, end + 1),
    className: [...page.slice(0, start).matchAll(/^## Class `(.+)`$/gm)].at(-1)?.[1],
  };
}

function cells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '));
}

function tableOf(title: string): string[][] {
  const start = page.indexOf(`\n## ${title}\n`);
  const tail = page.slice(start + 1);
  const end = tail.slice(1).search(/\n## /);
  return cells(end < 0 ? tail : tail.slice(0, end + 1)).slice(1);
}

function kindsIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`(.+?)`/g)].map(([, kind = '']) => kind);
}
