/** `errand runs`: the runs of this project, newest first. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import { jsonText, singleLine } from '../../errors/support/printable.ts';
import { clip } from '../../errors/render/columns.ts';
import { renderLine } from '../../errors/render/line.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { failureOfRun, runRow, type RunRow } from '../../history/run-row.ts';
import type { RunSummary } from '../../machine/ports/store-port.ts';
import type { WaitFailure } from '../../machine/state/waiting.ts';
import { refusal } from '../exit.ts';
import type { Format } from '../format.ts';
import { isInCode, RESUME_IN_CODE, waitWords } from '../screen/ending-text.ts';
import { paintWith, type Style } from '../screen/paint.ts';
import { tableRows } from '../screen/table-lines.ts';
import { timeWords, usdWords } from '../screen/number-words.ts';
import { withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';

type ListedRun = RunRow & Partial<Pick<RunSummary, 'file'>>;

export interface RunsOptions {
  readonly format: Format;
  readonly limit?: string;
  readonly status?: readonly string[];
  readonly workflow?: string;
  readonly quiet?: boolean;
}

/** For people; programs get all, unless `--limit` is given. */
const DEFAULT_LIMIT = 50;

/** `due` is not a status in the store: it is a paused run whose time has come. */
const STATUSES = [
  'running',
  'paused',
  'due',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
] as const;

export async function runs(options: RunsOptions, terminal: Terminal): Promise<number> {
  const isForPerson = options.format !== 'json' && options.quiet !== true;
  const limit = options.limit === undefined ? undefined : limitOf(options.limit);
  const statuses = new Set((options.status ?? []).flatMap(statusesOf));
  const most = limit ?? (isForPerson ? DEFAULT_LIMIT : undefined);
  const isFiltered = statuses.size > 0 || options.workflow !== undefined;
  // one more than is shown, to find out whether there are more
  const query = isFiltered || most === undefined ? {} : { limit: most + 1 };
  return withRuns(async (stored) => {
    const nowMs = Date.now();
    const onDamage = (damage: unknown): void => terminal.err(renderLine(toReport(damage)));
    const all = (await stored.list({ ...query, onDamage })).map((summary) =>
      listed(summary, nowMs),
    );
    const wanted = all.filter(
      (run) =>
        (statuses.size === 0 || statusesHeld(run).some((status) => statuses.has(status))) &&
        (options.workflow === undefined || run.workflow === options.workflow),
    );
    const shown = wanted.slice(0, most);
    if (options.format === 'json') terminal.out(jsonText(shown.map(withoutFile), 2));
    else if (isForPerson) {
      if (wanted.length === 0 && all.length > 0) terminal.out(noneText(options));
      else terminal.out(runsText(onScreen(shown), terminal.columns, { color: terminal.color }));
      if (limit === undefined && wanted.length > shown.length)
        terminal.err(
          `These are the newest ${shown.length}; see others with --limit, --status or --workflow.`,
        );
    } else if (shown.length > 0) terminal.out(onScreen(shown.map(({ run }) => run)).join('\n'));
    return 0;
  });
}

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  running: 'cyan',
  paused: 'yellow',
  interrupted: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
};
const STATUS_COLUMN = 1;

export function runsText(
  all: readonly ListedRun[],
  columns: number,
  { color = false }: { readonly color?: boolean } = {},
): string {
  if (all.length === 0) return 'No runs yet. Start one with: errand run FILE';
  const paint = paintWith(color);
  const rows = all.map(({ run, status, workflow, startedAt, endedAt, costUsdMicros }) => [
    run,
    status,
    timeWords(startedAt),
    endedAt === undefined ? '' : durationWords(Date.parse(endedAt) - Date.parse(startedAt)),
    usdWords(costUsdMicros),
    workflow,
  ]);
  const [head = [], ...lines] = tableRows(
    [['RUN', 'STATUS', 'STARTED', 'TOOK', 'COST', 'WORKFLOW'], ...rows],
    columns,
    {
      paint: (cell, column) => {
        const style = column === STATUS_COLUMN ? STATUS_STYLES[cell] : undefined;
        return style === undefined ? cell : paint(cell, style);
      },
    },
  );
  return [
    ...head,
    ...lines.flatMap((row, at) => [
      ...row,
      ...remarks(all[at], columns).map((line) => paint(line, 'dim')),
    ]),
  ].join('\n');
}

/** Says why a run is not completed. */
function remarks(run: ListedRun | undefined, columns: number): string[] {
  const { status, error, waiting, file } = run ?? {};
  if (status === 'failed' && error !== undefined) return [failureLine(error, columns)];
  if (status === 'paused' && waiting !== undefined) {
    const failed = failureOfRun({ waiting });
    return [
      ...(failed === undefined ? [] : [failureLine(failed, columns)]),
      clip(`    ${waitWords(waiting)}`, columns),
      ...(run?.due === true ? [`    due; resume with: errand resume ${run.run}`] : []),
    ];
  }
  if (status === 'interrupted' && run !== undefined)
    return [`    ${isInCode(file) ? RESUME_IN_CODE : `resume with: errand resume ${run.run}`}`];
  return [];
}

function failureLine({ kind, message }: WaitFailure, columns: number): string {
  return clip(`    ${kind}: ${singleLine(message)}`, columns);
}

/** Removes the path of the file, which is private to this machine. */
function withoutFile({ file: _file, ...run }: ListedRun): Omit<ListedRun, 'file'> {
  return run;
}

function noneText({ status = [], workflow }: RunsOptions): string {
  const parts = [
    ...(status.length === 0 ? [] : [`with the status ${status.join(' or ')}`]),
    ...(workflow === undefined ? [] : [`of the workflow ${workflow}`]),
  ];
  return `There is no run ${parts.join(' ')}. All runs: errand runs`;
}

function listed(summary: RunSummary, nowMs: number): ListedRun {
  return { ...runRow(summary, nowMs), file: summary.file };
}

function statusesHeld({ status, due }: ListedRun): readonly string[] {
  return due === true ? [status, 'due'] : [status];
}

function statusesOf(written: string): readonly string[] {
  return written.split(',').map((part) => {
    const status = part.trim();
    if (STATUSES.some((known) => known === status)) return status;
    const meant = suggest(status, STATUSES);
    throw refusal(
      `${status === '' ? 'An empty text' : status} is not a run status`,
      `${meant === undefined ? '' : `Did you mean ${meant}? `}Give --status one of ${STATUSES.join(', ')}.`,
    );
  });
}

function limitOf(written: string): number {
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written);
  throw refusal(`${written} is not a number of runs`, 'Give --limit a whole number of at least 1.');
}
