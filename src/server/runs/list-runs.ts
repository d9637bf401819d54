/** Lists the runs of the store, newest first, a page at a time. For HTTP and for MCP. */
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { Attention } from '../../history/attention.ts';
import { failureOfRun, runRow, type RowRetry, type RunRow } from '../../history/run-row.ts';
import type { RunStatusName, RunSummary } from '../../machine/ports/store-port.ts';
import type { RunCore } from '../core.ts';
import { shownAttention } from './run-reader.ts';

export interface RunQuery {
  readonly status?: readonly RunStatusName[] | undefined;
  readonly attention?: readonly Attention[] | undefined;
  readonly workflow?: string | undefined;
  readonly kind?: string | undefined;
  readonly since?: string | undefined;
  readonly limit?: number | undefined;
  /** The run that the page before ended with. */
  readonly before?: string | undefined;
}

export interface RunList {
  readonly runs: readonly (RunRow & { readonly attention: Attention; readonly retry?: RowRetry })[];
  /** The last run of the page, if there are more. */
  readonly last?: string;
}

const DEFAULT_LIMIT = 50;
/** Rows to read at once when most of them may not match. */
const BATCH = 200;

/** The statuses in the store that runs of each attention can have. */
const STATUSES_OF: Readonly<Record<Attention, readonly RunStatusName[]>> = {
  failed: ['failed'],
  interrupted: ['interrupted'],
  in_doubt: ['paused', 'running'],
  waiting_person: ['paused', 'running'],
  retrying: ['paused', 'running'],
  waiting_time: ['paused'],
  none: ['completed', 'cancelled', 'running'],
};

export async function listRuns(core: RunCore, query: RunQuery): Promise<RunList> {
  const { limit = DEFAULT_LIMIT } = query;
  const page = await pageOf(core, query, limit + 1);
  const shown = page.slice(0, limit);
  const last = page.length > limit ? shown.at(-1)?.summary.run : undefined;
  const nowMs = core.clock.now();
  const runs = await Promise.all(
    shown.map(async ({ summary, attention }) => {
      const where = await core.reader.places.of(summary);
      const retry = attention === 'retrying' ? await core.reader.nextTry(summary) : undefined;
      return {
        ...runRow(summary, nowMs),
        ...(where === undefined ? {} : { where }),
        ...(retry === undefined ? {} : { retry }),
        attention,
      };
    }),
  );
  return { runs, ...(last === undefined ? {} : { last }) };
}

interface ListedRun {
  readonly summary: RunSummary;
  readonly attention: Attention;
}

async function pageOf(core: RunCore, query: RunQuery, most: number): Promise<readonly ListedRun[]> {
  const engine = await core.engine();
  const found: ListedRun[] = [];
  const isFiltered = Object.keys(query).some((name) => name !== 'limit' && name !== 'before');
  const size = isFiltered ? Math.max(BATCH, most) : most;
  const statuses = wantedStatuses(query);
  let { before } = query;
  for (;;) {
    const batch = await listBefore(before, (bound) =>
      engine.list({
        limit: size,
        ...(statuses === undefined ? {} : { statuses }),
        ...bound,
      }),
    );
    for (const summary of batch) {
      if (!fits(summary, query)) continue;
      // most rows say it themselves, and need no wait
      const attention = shownAttention(summary) ?? (await core.reader.attention(summary));
      if (query.attention !== undefined && !query.attention.includes(attention)) continue;
      found.push({ summary, attention });
      if (found.length >= most) return found;
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < size) return found;
    before = last.run;
  }
}

/** Undefined: all. */
function wantedStatuses({ status, attention }: RunQuery): readonly RunStatusName[] | undefined {
  if (attention === undefined) return status;
  const possible = new Set(attention.flatMap((each) => STATUSES_OF[each]));
  return status === undefined ? [...possible] : status.filter((each) => possible.has(each));
}

function fits(summary: RunSummary, query: RunQuery): boolean {
  const { workflow, startedAt } = summary;
  const { kind, since } = query;
  if (query.workflow !== undefined && workflow !== query.workflow) return false;
  if (kind !== undefined && !matchesKind(failureOfRun(summary)?.kind ?? '', kind)) return false;
  return since === undefined || Date.parse(startedAt) >= Date.parse(since);
}

async function listBefore(
  before: string | undefined,
  list: (bound: { readonly before?: string }) => Promise<readonly RunSummary[]>,
): Promise<readonly RunSummary[]> {
  try {
    return await list(before === undefined ? {} : { before });
  } catch (thrown) {
    if (before === undefined || !isKind(thrown, 'run.not_found')) throw thrown;
    throw new ErrandError(
      { kind: 'request.invalid', message: 'The cursor leads to a run that is gone; begin anew' },
      { cause: thrown },
    );
  }
}
