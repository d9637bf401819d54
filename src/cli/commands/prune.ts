/** `errand prune`: removes the runs that have ended and are old enough; without `--yes` it only lists them. */
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { renderLine } from '../../errors/render/line.ts';
import type { RunSummary, RunStatusName } from '../../machine/ports/store-port.ts';
import { refusal } from '../exit.ts';
import type { OutputOptions } from '../format.ts';
import {
  removeRun,
  warnOfUnsent,
  withRemovalContext,
  type RemovalContext,
} from '../project/remove-runs.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import { timeWords } from '../screen/number-words.ts';
import { tableLines } from '../screen/table-lines.ts';
import type { Terminal } from '../terminal.ts';
import { LATER } from './delete.ts';

export interface PruneOptions extends OutputOptions {
  /** A number and its unit, such as `30d`. */
  readonly olderThan?: string;
  readonly status?: string;
  readonly workflow?: string;
  /** Remove the runs instead of listing them. */
  readonly yes?: boolean;
}

/** The statuses that are pruned by default; others only when `--status` names them. */
const OVER: readonly RunStatusName[] = ['completed', 'failed', 'cancelled'];

/** A person may still want to resume these. */
const KEPT: readonly RunStatusName[] = ['paused', 'interrupted'];

interface Pruned {
  readonly run: string;
  readonly workflow: string;
  readonly status: RunStatusName;
  readonly startedAt: string;
  readonly endedAt?: string;
}

export async function prune(options: PruneOptions, terminal: Terminal): Promise<number> {
  const { olderThan, status, workflow, yes = false } = options;
  if (olderThan === undefined && status === undefined && workflow === undefined)
    throw refusal(
      'It is not clear which runs to remove',
      'Use --older-than, --status or --workflow, for example: errand prune --older-than 30d',
    );
  const beforeMs = olderThan === undefined ? Infinity : Date.now() - ageOf(olderThan);
  return withRemovalContext(undefined, async (context) => {
    const all = await context.runs.list({
      onDamage: (damage) => terminal.err(renderLine(toReport(damage))),
    });
    const matching = all
      .map(toPruned)
      .filter((run) => workflow === undefined || run.workflow === workflow)
      .filter((run) => Date.parse(run.endedAt ?? run.startedAt) <= beforeMs);
    const chosen = matching.filter((run) =>
      status === undefined ? OVER.includes(run.status) : run.status === status,
    );
    const removed = yes ? await removeAll(context, chosen, terminal) : chosen;
    const isCompact = !yes || removed.length === 0 || (await context.archive.compact());
    if (options.format === 'json')
      terminal.out(JSON.stringify({ isDryRun: !yes, runs: removed }, null, 2));
    else if (options.quiet === true) for (const { run } of removed) terminal.out(run);
    else {
      const isKept = ({ status: each }: Pruned): boolean =>
        status === undefined && KEPT.includes(each);
      const others = matching.filter(isKept).length;
      printRuns(removed, { yes, again: againWith(options), others }, terminal);
      if (!isCompact) terminal.err(LATER);
    }
    return 0;
  });
}

function toPruned(found: RunSummary): Pruned {
  const { run, workflow, status, startedAt, endedAt } = found;
  return { run, workflow, status, startedAt, ...(endedAt === undefined ? {} : { endedAt }) };
}

/** Skips a run that was resumed or removed meanwhile. */
async function removeAll(
  context: RemovalContext,
  chosen: readonly Pruned[],
  terminal: Terminal,
): Promise<readonly Pruned[]> {
  const removed: Pruned[] = [];
  for (const each of chosen) {
    try {
      warnOfUnsent(await removeRun(context, each.run), terminal);
      removed.push(each);
    } catch (thrown) {
      if (!isKind(thrown, 'run.already_active') && !isKind(thrown, 'run.not_found')) throw thrown;
      terminal.err(renderLine(toReport(thrown)));
    }
  }
  return removed;
}

function printRuns(
  runs: readonly Pruned[],
  {
    yes,
    again,
    others,
  }: { readonly yes: boolean; readonly again: string; readonly others: number },
  terminal: Terminal,
): void {
  const rows = runs.map(({ run, status, endedAt, startedAt, workflow }) => [
    run,
    status,
    timeWords(endedAt ?? startedAt),
    workflow,
  ]);
  const heads = ['RUN', 'STATUS', 'ENDED', 'WORKFLOW'];
  if (runs.length > 0)
    for (const line of tableLines([heads, ...rows], terminal.columns)) terminal.out(line);
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  if (yes) terminal.err(`Removed ${count}.`);
  else if (runs.length === 0) terminal.err('No run would be removed.');
  else
    terminal.err(
      `${count} would be removed. Remove ${runs.length === 1 ? 'it' : 'them'} with: ${again}`,
    );
  if (others > 0)
    terminal.err(
      `${others === 1 ? '1 more is' : `${others} more are`} paused or interrupted; add --status to include ${others === 1 ? 'it' : 'them'}.`,
    );
}

function againWith({ olderThan, status, workflow }: PruneOptions): string {
  const words = ['errand prune'];
  if (olderThan !== undefined) words.push('--older-than', olderThan);
  if (status !== undefined) words.push('--status', status);
  if (workflow !== undefined) words.push('--workflow', shellWord(workflow));
  return [...words, '--yes'].join(' ');
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Ages may be longer than the durations of workflow files, so they have a syntax of their own. */
function ageOf(written: string): number {
  const { number, unit = '' } = /^(?<number>\d{1,6})(?<unit>[smhdw])$/.exec(written)?.groups ?? {};
  const unitMs = UNITS_MS[unit];
  if (number !== undefined && unitMs !== undefined) return Number(number) * unitMs;
  throw refusal(
    `${written} is not a valid age`,
    'Give --older-than a number and a unit: 12h, 30d or 8w.',
  );
}
