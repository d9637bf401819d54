/** `errand runs`: the runs of this project, newest first. */
import { durationWords } from '../../errors/render/words.ts';
import { hideHostPaths } from '../../errors/host-paths.ts';
import { singleLine } from '../../errors/printable.ts';
import { clip } from '../../errors/render/columns.ts';
import type { RunSummary } from '../../machine/store-port.ts';
import { refusal } from '../exit.ts';
import type { Format } from '../format.ts';
import { isInCode, RESUME_IN_CODE, waitWords } from '../screen/ending-text.ts';
import { tableLines } from '../screen/table.ts';
import { timeWords, usdWords } from '../screen/words.ts';
import { statusOf, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

type ListedRun = Pick<
  RunSummary,
  'run' | 'workflow' | 'status' | 'startedAt' | 'endedAt' | 'error' | 'waiting' | 'costUsdMicros'
> &
  Partial<Pick<RunSummary, 'file'>>;

export async function runs(
  options: { readonly format: Format; readonly limit?: string; readonly quiet?: boolean },
  terminal: Terminal,
): Promise<number> {
  const limit = options.limit === undefined ? {} : { limit: limitOf(options.limit) };
  return withStore(async (store) => {
    const all = (await store.list(limit)).map(listed);
    if (options.format === 'json') terminal.out(JSON.stringify(all.map(told), null, 2));
    else if (options.quiet !== true) terminal.out(runsText(all, terminal.columns));
    else if (all.length > 0) terminal.out(all.map(({ run }) => run).join('\n'));
    return 0;
  });
}

export function runsText(all: readonly ListedRun[], columns: number): string {
  if (all.length === 0) return 'No runs yet. Start one with: errand run FILE';
  const rows = all.map(({ run, status, workflow, startedAt, endedAt, costUsdMicros }) => [
    run,
    status,
    timeWords(startedAt),
    endedAt === undefined ? '' : durationWords(Date.parse(endedAt) - Date.parse(startedAt)),
    usdWords(costUsdMicros),
    workflow,
  ]);
  const [head = '', ...lines] = tableLines(
    [['RUN', 'STATUS', 'STARTED', 'TOOK', 'COST', 'WORKFLOW'], ...rows],
    columns,
  );
  return [head, ...lines.flatMap((line, at) => [line, ...remarks(all[at], columns)])].join('\n');
}

/** Why it is not completed, where there is something to say. */
function remarks(run: ListedRun | undefined, columns: number): string[] {
  const { status, error, waiting, file } = run ?? {};
  if (status === 'failed' && error !== undefined)
    return [clip(`    ${error.kind}: ${singleLine(error.message)}`, columns)];
  if (status === 'paused' && waiting !== undefined)
    return [clip(`    ${waitWords(waiting)}`, columns)];
  if (status === 'interrupted' && run !== undefined)
    return [
      clip(
        `    ${isInCode(file) ? RESUME_IN_CODE : `go on with: errand resume ${run.run}`}`,
        columns,
      ),
    ];
  return [];
}

/** Where it lies on this machine is nobody else's business. */
function told({ file: _file, ...run }: ListedRun): Omit<ListedRun, 'file'> {
  return run;
}

function listed(summary: RunSummary): ListedRun {
  const { run, workflow, file, startedAt, endedAt, error, waiting, costUsdMicros } = summary;
  return {
    run,
    workflow,
    file,
    status: statusOf(summary),
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(error === undefined ? {} : { error: { ...error, message: hideHostPaths(error.message) } }),
    ...(waiting === undefined ? {} : { waiting }),
    costUsdMicros,
  };
}

function limitOf(written: string): number {
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written);
  throw refusal(`${written} is not a number of runs`, 'Give --limit a whole number from 1 on.');
}
