/** `errand explain`: what a kind means, under our name or the one it has elsewhere; or a run. */
import { jsonText } from '../../errors/printable.ts';
import { CATALOG, catalogRow, RUNTIME_KINDS, type RuntimeKind } from '../../errors/catalog.ts';
import type { ErrandError } from '../../errors/errand-error.ts';
import { isKindName, isReservedKind } from '../../errors/kinds.ts';
import { wrap } from '../../errors/render/columns.ts';
import { suggest } from '../../errors/suggest.ts';
import { refusal } from '../exit.ts';
import { explainJson, explainMarkdown, explainText, listText } from '../explain-kind.ts';
import type { MeantWord } from '../explain-word.ts';
import type { Format } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export interface ExplainOptions {
  readonly list?: boolean;
  readonly format: Format;
}

const ALL_KINDS = 'All kinds: errand explain --list';
const MAX_NAME_CHARS = 80;

export async function explain(
  name: string | undefined,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.list === true) {
    if (name !== undefined) {
      throw refusal('A kind and --list were given, and only one can be meant', ALL_KINDS);
    }
    terminal.out(showAll(options.format, terminal));
    return 0;
  }
  if (name === undefined) {
    throw refusal(
      'Name a kind or a run to explain',
      `For example: errand explain provider.rate_limited. ${ALL_KINDS}`,
    );
  }
  const kinds = kindsCalled(name);
  if (kinds.length === 0) {
    const { meantByWord } = await import('../explain-word.ts');
    // a kind without its prefix is a kind that was meant, and no word of a provider
    const isEnding = RUNTIME_KINDS.some((kind) => kind.endsWith(`.${name}`));
    const word = isEnding ? undefined : meantByWord(name);
    if (word !== undefined) {
      terminal.out(showWord(name, word, options.format, terminal));
      return 0;
    }
    const { explainRun } = await import('./explain-run.ts');
    return explainRun(name, { format: options.format, noKind: unknownKind(name) }, terminal);
  }
  terminal.out(showNamed(name, kinds, options.format, terminal));
  return 0;
}

function showAll(format: Format, terminal: Terminal): string {
  switch (format) {
    case 'json':
      return toJson(RUNTIME_KINDS.map(explainJson));
    case 'markdown':
      return RUNTIME_KINDS.map(explainMarkdown).join('\n');
    case 'text':
      return listText(RUNTIME_KINDS, terminal);
  }
}

function showNamed(
  name: string,
  kinds: readonly string[],
  format: Format,
  terminal: Terminal,
): string {
  switch (format) {
    case 'json': {
      const rows = kinds.map(explainJson);
      return toJson(rows.length === 1 ? rows[0] : rows);
    }
    case 'markdown':
      return kinds.map(explainMarkdown).join('\n');
    case 'text': {
      const texts = kinds.map((kind) => explainText(kind, terminal));
      const here = kinds.includes(name) ? [] : [`${name} is called ${kinds.join(' or ')} here.`];
      return [...here, ...texts].join('\n\n');
    }
  }
}

/** A word from a log, with the rule by which it means what it means. */
function showWord(
  name: string,
  { kind, rule, as }: MeantWord,
  format: Format,
  terminal: Terminal,
): string {
  if (format !== 'text') return showNamed(name, [kind], format, terminal);
  const noun = { status: 'The HTTP status', code: 'The code', error: 'The error' }[as];
  const how = `${noun} ${name} alone is ${kind}, by the rule ${rule}. With the whole answer \`errand classify\` can tell more.`;
  return [wrap(how, terminal.columns).join('\n'), explainText(kind, terminal)].join('\n\n');
}

function toJson(value: unknown): string {
  return jsonText(value, 2);
}

/** More than one where a name from elsewhere stands for several failures. */
function kindsCalled(name: string): readonly string[] {
  if (catalogRow(name) !== undefined) return [name];
  return RUNTIME_KINDS.filter((kind) => aliasesOf(kind).includes(name));
}

function unknownKind(name: string): ErrandError {
  const meant = suggest(name, RUNTIME_KINDS) ?? suggest(name, RUNTIME_KINDS.flatMap(aliasesOf));
  return refusal(
    `There is no kind called ${name.slice(0, MAX_NAME_CHARS)}`,
    [hintFor(name, meant), ALL_KINDS].filter((part) => part !== '').join(' '),
  );
}

function hintFor(name: string, meant: string | undefined): string {
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return isKindName(name) && !isReservedKind(name)
    ? 'A workflow may raise this kind itself; then its own report says what it means.'
    : '';
}

function aliasesOf(kind: RuntimeKind): readonly string[] {
  const { aliases } = CATALOG[kind];
  return Object.values<readonly string[]>(aliases).flat();
}
