/** `errand explain`: explains a kind, by our name or that of another system, or the failures of a run. */
import { jsonText } from '../../errors/support/printable.ts';
import { aliasNames, kindsWithAlias } from '../../errors/catalog/aliases.ts';
import { catalogRow, RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import type { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isKindName, isReservedKind } from '../../errors/catalog/kinds.ts';
import { wrap } from '../../errors/render/columns.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { refusal } from '../exit.ts';
import { explainedKind } from '../../errors/catalog/explained-kind.ts';
import { explainMarkdown, explainText, listText } from './explain/explain-kind.ts';
import { RUN_ID } from '../../engine/run-id.ts';
import type { MeantWord } from './explain/explain-word.ts';
import type { Format } from '../format.ts';
import type { Terminal } from '../terminal.ts';

export interface ExplainOptions {
  readonly list?: boolean;
  readonly format: Format;
}

const ALL_KINDS = 'All kinds: errand explain --list';
const ALL_RUNS = 'all runs: errand runs';
const MAX_NAME_CHARS = 80;

export async function explain(
  name: string | undefined,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.list === true) {
    if (name !== undefined) {
      throw refusal('Give either a kind or --list, not both', ALL_KINDS);
    }
    terminal.out(showAll(options.format, terminal));
    return 0;
  }
  if (name === undefined || name === '') {
    throw refusal(
      'Name a kind or a run to explain',
      `For example: errand explain provider.rate_limited. ${ALL_KINDS}`,
    );
  }
  const kinds = kindsCalled(name);
  if (kinds.length === 0) {
    const { meantByWord } = await import('./explain/explain-word.ts');
    const word = isMeantAsKind(name) || RUN_ID.test(name) ? undefined : meantByWord(name);
    if (word !== undefined) {
      terminal.out(showWord(name, word, options.format, terminal));
      return 0;
    }
    const { explainRun } = await import('./explain/explain-run.ts');
    return explainRun(name, { format: options.format, noKind: unknownKind(name) }, terminal);
  }
  terminal.out(showNamed(name, kinds, options.format, terminal));
  return 0;
}

/**
 * A workflow's own kind, or a kind that is misspelt or lacks its prefix, is not read as a
 * provider's code.
 */
function isMeantAsKind(name: string): boolean {
  const [prefix = ''] = name.split('.');
  const isOfRuntime = RUNTIME_KINDS.some(
    (kind) => kind.endsWith(`.${name}`) || (prefix !== name && kind.startsWith(`${prefix}.`)),
  );
  return isOfRuntime || isKindName(name);
}

function showAll(format: Format, terminal: Terminal): string {
  switch (format) {
    case 'json':
      return toJson(RUNTIME_KINDS.map(explainedKind));
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
      const rows = kinds.map(explainedKind);
      return toJson(rows.length === 1 ? rows[0] : rows);
    }
    case 'markdown':
      return kinds.map(explainMarkdown).join('\n');
    case 'text': {
      const texts = kinds.map((kind) => explainText(kind, terminal));
      const here = kinds.includes(name) ? [] : [`Errand calls ${name} ${kinds.join(' or ')}.`];
      return [...here, ...texts].join('\n\n');
    }
  }
}

/** Explains a word from a log, with the rule that classifies it. */
function showWord(
  name: string,
  { kind, rule, as }: MeantWord,
  format: Format,
  terminal: Terminal,
): string {
  if (format !== 'text') return showNamed(name, [kind], format, terminal);
  const noun = { status: 'The HTTP status', code: 'The code', error: 'The error' }[as];
  const how = `${noun} ${name} alone means ${kind} (rule ${rule}). With the whole response, \`errand classify\` is more precise.`;
  return [wrap(how, terminal.columns).join('\n'), explainText(kind, terminal)].join('\n\n');
}

function toJson(value: unknown): string {
  return jsonText(value, 2);
}

/** Returns several kinds where a name of another system covers several failures. */
function kindsCalled(name: string): readonly string[] {
  if (catalogRow(name) !== undefined) return [name];
  return kindsWithAlias(name);
}

function unknownKind(name: string): ErrandError {
  const meant = suggest(name, RUNTIME_KINDS) ?? suggest(name, RUNTIME_KINDS.flatMap(aliasNames));
  const isRun = mayNameRun(name) || (meant === undefined && !name.includes('.'));
  return refusal(
    `There is ${isRun ? 'no kind and no run' : 'no kind'} called ${name.slice(0, MAX_NAME_CHARS)}`,
    [hintFor(name, meant), isRun ? `${ALL_KINDS}; ${ALL_RUNS}` : ALL_KINDS]
      .filter((part) => part !== '')
      .join(' '),
  );
}

/** A run may have an id of its starter's choice; kinds contain a dot, and words seldom a digit. */
function mayNameRun(name: string): boolean {
  return /^[\w-]*\d[\w-]*$/.test(name);
}

function hintFor(name: string, meant: string | undefined): string {
  if (meant !== undefined) return `Did you mean ${meant}?`;
  return isKindName(name) && !isReservedKind(name)
    ? 'A workflow may raise this kind itself; then its own report says what it means.'
    : '';
}
