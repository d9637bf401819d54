/** `errand explain`: what a kind means, under our name or the one it has elsewhere. */
import { CATALOG, catalogRow, RUNTIME_KINDS } from '../../errors/catalog.ts';
import { suggest } from '../../errors/suggest.ts';
import { refusal, type Format } from '../exit.ts';
import { explainJson, explainMarkdown, explainText, listText } from '../explain-kind.ts';
import type { Terminal } from '../terminal.ts';

export interface ExplainOptions {
  readonly list?: boolean;
  readonly format: Format;
}

export function explain(
  name: string | undefined,
  options: ExplainOptions,
  terminal: Terminal,
): number {
  const kinds = options.list === true ? RUNTIME_KINDS : kindsCalled(name);
  terminal.out(show(kinds, options, terminal));
  return 0;
}

function show(kinds: readonly string[], options: ExplainOptions, terminal: Terminal): string {
  switch (options.format) {
    case 'json': {
      const rows = kinds.map(explainJson);
      const isOne = options.list !== true && rows.length === 1;
      return JSON.stringify(isOne ? rows[0] : rows, null, 2);
    }
    case 'markdown':
      return kinds.map(explainMarkdown).join('\n');
    case 'text':
      return options.list === true
        ? listText(kinds, terminal)
        : kinds.map((kind) => explainText(kind, terminal)).join('\n\n');
  }
}

function kindsCalled(name: string | undefined): readonly string[] {
  if (name === undefined) {
    throw refusal(
      'Name a kind to explain',
      'For example: errand explain provider.rate_limited. All kinds: errand explain --list',
    );
  }
  if (catalogRow(name) !== undefined) return [name];
  const elsewhere = RUNTIME_KINDS.filter((kind) => aliasesOf(kind).includes(name));
  if (elsewhere.length > 0) return elsewhere;

  const known = [...RUNTIME_KINDS, ...RUNTIME_KINDS.flatMap(aliasesOf)];
  const meant = suggest(name, known);
  throw refusal(
    `There is no kind called ${name}`,
    `${meant === undefined ? '' : `Did you mean ${meant}? `}All kinds: errand explain --list`,
  );
}

function aliasesOf(kind: (typeof RUNTIME_KINDS)[number]): readonly string[] {
  return Object.values(CATALOG[kind].aliases).flat();
}
