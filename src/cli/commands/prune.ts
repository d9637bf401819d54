/** `errand prune`: removes the runs that are over and old enough; unless told so, it only lists them. */
import { isKind } from '../../errors/errand-error.ts';
import { toReport } from '../../errors/to-report.ts';
import { renderLine } from '../../errors/render/line.ts';
import type { RunSummary, StandingStatus } from '../../machine/store-port.ts';
import { refusal } from '../exit.ts';
import type { Telling } from '../format.ts';
import { compactUnlessBusy, removeRun, withRemovalPlace, type RemovalPlace } from '../removal.ts';
import { shellWord, timeWords } from '../screen/words.ts';
import { tableLines } from '../screen/table.ts';
import { statusOf } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';
import { LATER } from './delete.ts';

export interface PruneOptions extends Telling {
  /** A number and its unit. */
  readonly olderThan?: string;
  readonly status?: string;
  readonly workflow?: string;
  /** Remove them. */
  readonly yes?: boolean;
}

/** What nobody can go on with, or somebody looked at; the others have to be asked for by name. */
const OVER: readonly StandingStatus[] = ['completed', 'failed', 'cancelled'];

/** Somebody may still want to go on with these. */
const KEPT: readonly StandingStatus[] = ['paused', 'interrupted'];

interface Pruned {
  readonly run: string;
  readonly workflow: string;
  readonly status: StandingStatus;
  readonly startedAt: string;
  readonly endedAt?: string;
}

export async function prune(options: PruneOptions, terminal: Terminal): Promise<number> {
  const { olderThan, status, workflow, yes = false } = options;
  if (olderThan === undefined && status === undefined && workflow === undefined)
    throw refusal(
      'Nothing says which runs to remove',
      'Say it with --older-than, --status or --workflow, such as: errand prune --older-than 30d',
    );
  const beforeMs = olderThan === undefined ? Infinity : Date.now() - ageOf(olderThan);
  return withRemovalPlace(undefined, async (place) => {
    const all = await place.store.list({
      onDamage: (damage) => terminal.err(renderLine(toReport(damage))),
    });
    const meant = all
      .map(toPruned)
      .filter((run) => workflow === undefined || run.workflow === workflow)
      .filter((run) => Date.parse(run.endedAt ?? run.startedAt) <= beforeMs);
    const chosen = meant.filter((run) =>
      status === undefined ? OVER.includes(run.status) : run.status === status,
    );
    const removed = yes ? await removeAll(place, chosen, terminal) : chosen;
    const isCompact = !yes || removed.length === 0 || (await compactUnlessBusy(place.store));
    if (options.format === 'json')
      terminal.out(JSON.stringify({ isDryRun: !yes, runs: removed }, null, 2));
    else if (options.quiet === true) for (const { run } of removed) terminal.out(run);
    else {
      const isKept = ({ status: each }: Pruned): boolean =>
        status === undefined && KEPT.includes(each);
      const others = meant.filter(isKept).length;
      tell(removed, { yes, again: againWith(options), others }, terminal);
      if (!isCompact) terminal.err(LATER);
    }
    return 0;
  });
}

function toPruned(found: RunSummary): Pruned {
  const { run, workflow, startedAt, endedAt } = found;
  const status = statusOf(found);
  return { run, workflow, status, startedAt, ...(endedAt === undefined ? {} : { endedAt }) };
}

/** One that goes on again meanwhile is left alone. */
async function removeAll(
  place: RemovalPlace,
  chosen: readonly Pruned[],
  terminal: Terminal,
): Promise<readonly Pruned[]> {
  const removed: Pruned[] = [];
  for (const each of chosen) {
    try {
      await removeRun(place, each.run);
      removed.push(each);
    } catch (thrown) {
      if (!isKind(thrown, 'run.already_active') && !isKind(thrown, 'run.not_found')) throw thrown;
      terminal.err(renderLine(toReport(thrown)));
    }
  }
  return removed;
}

function tell(
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
  const verb = runs.length === 1 ? 'is' : 'are';
  if (yes) terminal.err(`${count} ${verb} removed.`);
  else if (runs.length === 0) terminal.err('No run would be removed.');
  else
    terminal.err(
      `${count} would be removed. Remove ${runs.length === 1 ? 'it' : 'them'} with: ${again}`,
    );
  if (others > 0)
    terminal.err(
      `${others === 1 ? '1 more is' : `${others} more are`} paused or interrupted, and only removed by --status.`,
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

/** A store is kept for longer than any wait, so it is not a duration of a workflow. */
function ageOf(written: string): number {
  const { number, unit = '' } = /^(?<number>\d{1,6})(?<unit>[smhdw])$/.exec(written)?.groups ?? {};
  const unitMs = UNITS_MS[unit];
  if (number !== undefined && unitMs !== undefined) return Number(number) * unitMs;
  throw refusal(
    `${written} is not an age`,
    'Give --older-than a number and a unit: 12h, 30d or 8w.',
  );
}
