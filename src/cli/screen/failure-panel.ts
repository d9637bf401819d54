/**
 * The end of a run that failed, or was refused: what failed, where, what was tried and what it cost,
 * what will not help, and last the commands that do. On a screen too narrow for a frame the same lines
 * stand without it.
 */
import { isPlainObject, type JsonValue } from '../../errors/json.ts';
import { jsonText, singleLine } from '../../errors/printable.ts';
import { forPerson, type PersonReport } from '../../errors/project.ts';
import { clip, columnsOf, padEnd, wrap } from '../../errors/render/columns.ts';
import * as words from '../../errors/render/words.ts';
import type { ErrorReport } from '../../errors/report.ts';
import type { Category } from '../../errors/vocabulary.ts';
import type { FailureLife } from '../../machine/failure-life.ts';
import type { Costs } from '../../machine/ledger.ts';
import { CODES } from '../../workflow/codes.ts';
import { isInCode, RESUME_IN_CODE } from './ending-text.ts';
import { paintWith, type Paint } from './paint.ts';
import { triesOf } from './tries.ts';
import { usdWords } from './words.ts';

export interface Failed {
  readonly error: ErrorReport;
  /** What to type next, after the advice of the report. */
  readonly commands: readonly string[];
  /** Of a run that began. */
  readonly run?: string;
  readonly costs?: Costs;
  /** The life of this very failure, where its events are known. */
  readonly life?: FailureLife | undefined;
}

/** What can be typed after any failure of a run. */
export function afterFailure(run: string, file?: string | null): readonly string[] {
  return [
    isInCode(file) ? RESUME_IN_CODE : `Resume: errand resume ${run}`,
    `Full history: errand explain ${run}`,
  ];
}

interface Look {
  readonly columns: number;
  readonly color: boolean;
}

const MIN_FRAMED = 60;
const MAX_COLUMNS = 100;
const LABEL_COLUMNS = 11;
const MAX_LISTED = 12;
const MAX_ENTRY_LINES = 4;

export function failurePanel(failed: Failed, look: Look): string {
  const columns = Math.min(MAX_COLUMNS, Math.max(24, Math.floor(look.columns)));
  const isFramed = columns >= MIN_FRAMED;
  const inner = isFramed ? columns - 4 : columns;
  const paint = paintWith(look.color);
  const shown = forPerson(failed.error);
  // a command is copied whole, so one that would be broken stands by itself
  const fits = (command: string): boolean => columnsOf(command) <= inner - LABEL_COLUMNS - 2;
  const below = failed.commands
    .filter((command) => !fits(command))
    .flatMap((command) => (columnsOf(command) <= columns ? [command] : apart(command)));
  const body = [
    ...(isFramed ? wrap(shown.message, inner) : inset(shown.message, inner)).map(
      (line) => [line, undefined] as const,
    ),
    BLANK,
    ...factsOf(shown, failed, inner).map((line) => [line, 'fact'] as const),
    BLANK,
    ...nextOf(shown, failed.commands.filter(fits), inner).map((line) => [line, 'next'] as const),
  ];
  const title = clip(singleLine(shown.title), inner - 2);
  const lines = body.map(([line, role]) => painted(line, role, isFramed ? inner : 0, paint));
  if (!isFramed) return [paint(title, 'red'), ...lines, ...below].join('\n');
  const edge = (text: string): string => paint(text, 'red');
  const rule = '─'.repeat(columns - 5 - columnsOf(title));
  return [
    `${edge('╭─')} ${paint(title, 'bold')} ${edge(`${rule}╮`)}`,
    ...lines.map((line) => `${edge('│')} ${line} ${edge('│')}`),
    edge(`╰${'─'.repeat(columns - 2)}╯`),
    ...below,
  ].join('\n');
}

const BLANK = ['', undefined] as const;
const INWARDS = '    ';

/** Without a frame a line of the message would stand where ours do, and could pass for one. */
function inset(message: string, columns: number): string[] {
  return wrap(singleLine(message), columns - INWARDS.length).map((line) => INWARDS + line);
}

/** What it is for, and below that the command; a name in the command may have a colon of its own. */
function apart(command: string): readonly string[] {
  const [label = command] = /^[^:]*:(?= )/.exec(command) ?? [];
  return label === command ? [command] : [label, command.slice(label.length + 1)];
}

function painted(
  line: string,
  role: 'fact' | 'next' | undefined,
  width: number,
  paint: Paint,
): string {
  const padded = padEnd(line, width);
  if (role === 'next') return paint(padded, 'bold');
  const label = role === 'fact' ? padded.slice(0, LABEL_COLUMNS) : '';
  return label.trim() === '' ? padded : paint(label, 'dim') + padded.slice(LABEL_COLUMNS);
}

function factsOf(shown: PersonReport, failed: Failed, columns: number): string[] {
  const group = words.groupWords(shown);
  const members = group.members.map(({ name, kind, said }) => `${name}: ${kind}: ${said}`);
  const untold = group.untold > 0 ? [`and ${group.untold} more`] : [];
  const causes = words.causesOf(shown);
  const { in_doubt: inDoubt, ...told } = group.others;
  const { also, excerpt, others } = fileDetails(told);
  const facts: (readonly [string, readonly (string | undefined)[]])[] = [
    ['kind', [shown.undeclared === true ? `${shown.kind} (not declared)` : shown.kind]],
    ['category', [words.categoryWords(shown)]],
    ['retryable', [words.retryableWords(shown)]],
    ['outcome', [shown.outcome]],
    ['where', [words.locationWords(shown.location)]],
    ['via', [words.boundaryWords(shown)]],
    ['provider', [words.providerWords(shown)]],
    ['rule', [words.ruleWords(shown)]],
    ['failed', [group.counts]],
    ['members', [...members, ...untold]],
    ['in doubt', firstOf(doubtLines(inDoubt))],
    ['tried', firstOf(triesOf(failed.error, failed.life))],
    ['because', causes.map(({ kind, message }) => `${kind}: ${singleLine(message)}`)],
    ['text', excerpt],
    ['also', also],
    ['details', firstOf(detailLines(others))],
    ['cost', [failed.costs === undefined ? undefined : costWords(failed.costs)]],
    ["won't help", [inVain(shown)]],
    ['run', [failed.run]],
    ['id', [shown.id]],
  ];
  return facts.flatMap(([label, entries]) =>
    label === 'text' ? verbatim(entries, columns) : listed(label, entries, columns),
  );
}

interface FileDetails {
  /** The lines of the file, with a mark below. */
  readonly excerpt: readonly string[];
  /** What else is wrong with it. */
  readonly also: readonly string[];
  readonly others: NonNullable<ErrorReport['details']>;
}

/** Of a file that was refused: what people can read better than the details of a report. */
function fileDetails(details: NonNullable<ErrorReport['details']>): FileDetails {
  const { excerpt, diagnostics, ...rest } = details;
  // what is suggested is what to do next
  const { code, suggestion: _suggestion, count: _count, ...others } = rest;
  if (typeof code !== 'string' || !Object.hasOwn(CODES, code))
    return { excerpt: [], also: [], others: details };
  // the first of them is what the panel is about
  const more = Array.isArray(diagnostics) ? diagnostics.slice(1) : [];
  return {
    excerpt: typeof excerpt === 'string' ? excerpt.split('\n') : [],
    also: firstOf(more.map(placed)),
    others: { code, ...others },
  };
}

/** Effects that may have happened, which whatever leads back to them asks about. */
function doubtLines(doubts: JsonValue | undefined): readonly string[] {
  return (Array.isArray(doubts) ? doubts : []).map((doubt) =>
    isPlainObject(doubt)
      ? singleLine(`${String(doubt['path'])} (${String(doubt['target'])})`)
      : singleLine(JSON.stringify(doubt)),
  );
}

function placed(diagnostic: unknown): string {
  if (!isPlainObject(diagnostic)) return String(diagnostic);
  const { file, line, column, message } = diagnostic;
  return `${String(file)}:${String(line)}:${String(column)} ${singleLine(String(message))}`;
}

/** As it stands in the file: a mark below a line means the place above it. */
function verbatim(lines: readonly (string | undefined)[], columns: number): string[] {
  return lines.map((line) => ' '.repeat(LABEL_COLUMNS) + clip(line ?? '', columns - LABEL_COLUMNS));
}

/** All members of a group are told; a long list of anything else is cut. */
function firstOf(entries: readonly string[]): readonly string[] {
  if (entries.length <= MAX_LISTED) return entries;
  return [...entries.slice(0, MAX_LISTED), `and ${entries.length - MAX_LISTED} more`];
}

function detailLines(details: NonNullable<ErrorReport['details']>): string[] {
  return Object.entries(details).flatMap(([key, value]) => {
    const name = singleLine(key);
    // of texts of several lines the first says what the others show
    if (isTexts(value))
      return [`${name}:`, ...value.map((text) => `  ${singleLine(text.split('\n')[0] ?? '')}`)];
    return [`${name}: ${typeof value === 'string' ? singleLine(value) : jsonText(value)}`];
  });
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return (
    Array.isArray(value) &&
    value.some((text) => typeof text === 'string' && text.includes('\n')) &&
    value.every((text) => typeof text === 'string')
  );
}

function costWords({ totalUsdMicros, failedUsdMicros }: Costs): string {
  if (totalUsdMicros === 0) return 'nothing';
  if (failedUsdMicros === 0) return usdWords(totalUsdMicros);
  return `${usdWords(totalUsdMicros)}, of it ${usdWords(failedUsdMicros)} for attempts that failed`;
}

/** What people try first and in vain, by what would make the failure go away. */
const IN_VAIN: Readonly<Record<Category, string | undefined>> = {
  transient: 'changing the workflow or the input: this goes away by itself',
  configuration: 'retrying, or another input, before the set-up is fixed',
  content: 'retrying with the same input',
  capacity: 'waiting or retrying, until the quota is raised or paid for',
  ambiguous: 'repeating it blindly: it may have happened already',
  policy: 'retrying, until someone grants it',
  limit: 'retrying with the limit as it is',
  domain: 'retrying, as long as what raised it finds the same',
  cancelled: undefined,
  defect: 'retrying: this is a bug',
  unknown: undefined,
};

function inVain({ category, retryable }: PersonReport): string | undefined {
  return retryable === true && category !== 'transient' ? undefined : IN_VAIN[category];
}

function nextOf({ action }: PersonReport, commands: readonly string[], columns: number): string[] {
  const advice = action.kind === 'none' ? [] : [`${action.detail} (${action.kind})`];
  return listed('next', [...advice, ...commands], columns);
}

function listed(
  label: string,
  entries: readonly (string | undefined)[],
  columns: number,
): string[] {
  const room = columns - LABEL_COLUMNS;
  const known = entries.filter((entry) => entry !== undefined);
  return known.flatMap((entry, index) =>
    wrap(clip(entry, room * MAX_ENTRY_LINES), room - 2).map((line, at) => {
      const first = index === 0 && at === 0 ? label : '';
      return padEnd(first, LABEL_COLUMNS) + (at === 0 ? '' : '  ') + line;
    }),
  );
}
