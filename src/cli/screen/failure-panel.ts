/**
 * The panel of a run that failed or was refused: the facts of the report, the attempts and their
 * cost, moves that will not help, and last the commands that will. Narrow screens get the same
 * lines without a frame.
 */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { singleLine } from '../../errors/support/printable.ts';
import { forPerson, type PersonReport } from '../../errors/report/audiences.ts';
import { columnsOf } from '../../errors/render/columns.ts';
import {
  causeFact,
  detailLines,
  firstOf,
  groupFacts,
  innerColumns,
  kindFacts,
  panel,
  type PanelRow,
} from '../../errors/render/panel.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { Category } from '../../errors/catalog/vocabulary.ts';
import type { FailureHistory } from '../../history/failure-history.ts';
import type { Costs } from '../../history/cost-ledger.ts';
import { CODES } from '../../workflow/diagnostics/diagnostic-codes.ts';
import { isInCode, RESUME_IN_CODE } from './ending-text.ts';
import { attemptsOf } from './attempt-list.ts';
import { usdWords } from './number-words.ts';

export interface Failed {
  readonly error: ErrorReport;
  /** Commands to show after the advice of the report. */
  readonly commands: readonly string[];
  /** Absent where no run began. */
  readonly run?: string;
  readonly costs?: Costs;
  /** The history of this failure, where its events are known. */
  readonly history?: FailureHistory | undefined;
}

/** Commands that help after any failure of a run. */
export function afterFailure(run: string, file?: string | null): readonly string[] {
  return [
    isInCode(file) ? RESUME_IN_CODE : `Resume: errand resume ${run}`,
    `Full history: errand explain ${run}`,
  ];
}

interface Screen {
  readonly columns: number;
  readonly color: boolean;
}

const MIN_FRAMED = 60;
const MAX_COLUMNS = 100;
const LABEL_COLUMNS = 11;
const MAX_ENTRY_LINES = 4;

export function failurePanel(failed: Failed, screen: Screen): string {
  const columns = Math.min(MAX_COLUMNS, Math.max(24, Math.floor(screen.columns)));
  const layout = {
    columns,
    color: screen.color,
    labelColumns: LABEL_COLUMNS,
    maxEntryLines: MAX_ENTRY_LINES,
    isFramed: columns >= MIN_FRAMED,
  };
  const shown = forPerson(failed.error);
  // people copy a command whole, so one that would be broken goes below the panel
  const room = innerColumns(layout) - LABEL_COLUMNS - 2;
  const fits = (command: string): boolean => columnsOf(command) <= room;
  const below = failed.commands
    .filter((command) => !fits(command))
    .flatMap((command) => (columnsOf(command) <= columns ? [command] : apart(command)));
  const { title, message } = shown;
  const facts = factsOf(shown, failed);
  const next = nextRow(shown, failed.commands.filter(fits));
  return [panel({ title, message, facts, next }, layout), ...below].join('\n');
}

/** The label, and below it the command; a name in the command may have a colon of its own. */
function apart(command: string): readonly string[] {
  const [label = command] = /^[^:]*:(?= )/.exec(command) ?? [];
  return label === command ? [command] : [label, command.slice(label.length + 1)];
}

/** The facts of the report, with those that the run adds. */
function factsOf(shown: PersonReport, failed: Failed): readonly PanelRow[] {
  const group = groupFacts(shown);
  const { in_doubt: inDoubt, ...details } = group.others;
  const { also, excerpt, others } = fileDetails(details);
  return [
    ...kindFacts(shown, 'not declared'),
    group.counts,
    group.members,
    { label: 'in doubt', entries: firstOf(inDoubtLines(inDoubt)) },
    { label: 'tried', entries: firstOf(attemptsOf(failed.error, failed.history)) },
    causeFact(shown),
    { label: 'text', entries: excerpt, layout: 'verbatim' },
    { label: 'also', entries: also },
    { label: 'details', entries: firstOf(detailEntries(others)) },
    { label: 'cost', entries: [failed.costs === undefined ? undefined : costWords(failed.costs)] },
    { label: "won't help", entries: [unhelpful(shown)] },
    { label: 'run', entries: [failed.run] },
    { label: 'id', entries: [shown.id] },
  ];
}

interface FileDetails {
  /** Lines of the file, with a mark below the error. */
  readonly excerpt: readonly string[];
  /** The other diagnostics. */
  readonly also: readonly string[];
  readonly others: NonNullable<ErrorReport['details']>;
}

/** For a refused file, shows the excerpt and the other diagnostics instead of raw details. */
function fileDetails(details: NonNullable<ErrorReport['details']>): FileDetails {
  const { excerpt, diagnostics, ...rest } = details;
  // the suggestion is already in the advice
  const { code, suggestion: _suggestion, count: _count, ...others } = rest;
  if (typeof code !== 'string' || !Object.hasOwn(CODES, code))
    return { excerpt: [], also: [], others: details };
  // the first one is the message of the panel
  const more = Array.isArray(diagnostics) ? diagnostics.slice(1) : [];
  return {
    excerpt: typeof excerpt === 'string' ? excerpt.split('\n') : [],
    also: firstOf(more.map(diagnosticText)),
    others: { code, ...others },
  };
}

/** Effects with an unknown outcome; a person is asked before they run again. */
function inDoubtLines(effects: JsonValue | undefined): readonly string[] {
  return (Array.isArray(effects) ? effects : []).map((effect) =>
    isPlainObject(effect)
      ? singleLine(`${String(effect['path'])} (${String(effect['target'])})`)
      : singleLine(JSON.stringify(effect)),
  );
}

function diagnosticText(diagnostic: unknown): string {
  if (!isPlainObject(diagnostic)) return String(diagnostic);
  const { file, line, column, message } = diagnostic;
  return `${String(file)}:${String(line)}:${String(column)} ${singleLine(String(message))}`;
}

function detailEntries(details: NonNullable<ErrorReport['details']>): string[] {
  return Object.entries(details).flatMap(([key, value]) =>
    // the first line of each text names what the others show
    isTexts(value)
      ? [
          `${singleLine(key)}:`,
          ...value.map((text) => `  ${singleLine(text.split('\n')[0] ?? '')}`),
        ]
      : detailLines({ [key]: value }),
  );
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
  return `${usdWords(totalUsdMicros)}, of which ${usdWords(failedUsdMicros)} for failed attempts`;
}

/** Moves that people tend to try first although they do not help, by category. */
const UNHELPFUL: Readonly<Record<Category, string | undefined>> = {
  transient: 'changing the workflow or the input: this goes away by itself',
  configuration: 'retrying, or another input, before the set-up is fixed',
  content: 'retrying with the same input',
  capacity: 'waiting or retrying, until the quota is raised or paid for',
  ambiguous: 'repeating it blindly: it may have happened already',
  policy: 'retrying, until someone grants it',
  limit: 'retrying with the limit as it is',
  domain: 'retrying while the cause that it names is still there',
  cancelled: undefined,
  defect: 'retrying: this is a bug',
  unknown: undefined,
};

function unhelpful({ category, retryable }: PersonReport): string | undefined {
  return retryable === true && category !== 'transient' ? undefined : UNHELPFUL[category];
}

function nextRow({ action }: PersonReport, commands: readonly string[]): PanelRow {
  const advice = action.kind === 'none' ? [] : [`${action.detail} (${action.kind})`];
  return { label: 'next', entries: [...advice, ...commands] };
}
