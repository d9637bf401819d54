/** `GET /v1/runs`: the runs of the store, newest first, a page at a time. */
import { z } from '@hono/zod-openapi';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { matchesKind } from '../../errors/catalog/kinds.ts';
import { ATTENTIONS, type Attention } from '../../history/attention.ts';
import { runRow } from '../../history/run-row.ts';
import type { RunStatusName, RunSummary } from '../../machine/ports/store-port.ts';
import type { ServerCore } from '../core.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { jsonTextAnswer } from '../http/answer.ts';
import { decodeCursor, encodeCursor, nextLink } from '../http/cursor.ts';
import type { CheckedRequest, Route } from '../http/route.ts';
import { KeptPages, type ListPage } from '../runs/kept-pages.ts';
import { shownAttention } from '../runs/run-reader.ts';
import { RunRow, wholeNumber, words } from '../schemas/common.ts';

const STATUSES = ['running', 'paused', 'completed', 'failed', 'cancelled', 'interrupted'] as const;

const Query = z.strictObject({
  status: words(STATUSES).optional(),
  attention: words(ATTENTIONS).optional(),
  workflow: z.string().optional(),
  kind: z
    .string()
    .regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.\*)?$/, 'it is no kind')
    .optional(),
  since: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
  limit: wholeNumber(1, 200).optional(),
  cursor: z.string().max(500).optional(),
});

const Page = z
  .looseObject({ runs: z.array(RunRow), next: z.string().optional() })
  .openapi('RunPage');

const DEFAULT_LIMIT = 50;
/** Rows that are read at once where most of them may not fit. */
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

export function listRunsRoute(core: ServerCore): Route {
  const kept = new KeptPages({
    writeMark: async () => (await core.engine()).writeMark(),
    clock: core.clock,
  });
  return {
    operationId: 'listRuns',
    method: 'get',
    path: '/v1/runs',
    summary: 'List runs, newest first',
    role: 'read',
    query: Query,
    answers: {
      200: {
        description: 'A page of runs.',
        content: { 'application/json': Page },
        headers: { Link: 'The next page, as `rel="next"`.' },
      },
    },
    refusals: ['store.unavailable'],
    handle: async (request) => {
      const { text, link } = await kept.of(new URL(request.raw.url).search, () =>
        listRuns(core, request),
      );
      return jsonTextAnswer(text, link === undefined ? {} : { headers: { link } });
    },
  };
}

async function listRuns(core: ServerCore, request: CheckedRequest): Promise<ListPage> {
  // checked against its schema
  const query = request.query as z.output<typeof Query>;
  const { limit = DEFAULT_LIMIT } = query;
  const page = await pageOf(core, query, limit + 1);
  const shown = page.slice(0, limit);
  const last = shown.at(-1);
  const next =
    page.length > limit && last !== undefined ? encodeCursor(last.summary.run) : undefined;
  const nowMs = core.clock.now();
  const runs = await Promise.all(
    shown.map(async ({ summary, attention }) => {
      const where = await core.reader.places.of(summary);
      return {
        ...runRow(summary, nowMs),
        ...(where === undefined ? {} : { where }),
        attention,
      };
    }),
  );
  const text = jsonText({ runs, ...(next === undefined ? {} : { next }) });
  return { text, ...(next === undefined ? {} : nextLink(request, next)) };
}

interface ListedRun {
  readonly summary: RunSummary;
  readonly attention: Attention;
}

async function pageOf(
  core: ServerCore,
  query: z.output<typeof Query>,
  most: number,
): Promise<readonly ListedRun[]> {
  const engine = await core.engine();
  const found: ListedRun[] = [];
  const isFiltered = Object.keys(query).some((name) => name !== 'limit' && name !== 'cursor');
  const size = isFiltered ? Math.max(BATCH, most) : most;
  const statuses = wantedStatuses(query);
  let before = query.cursor === undefined ? undefined : decodeCursor(query.cursor);
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
function wantedStatuses({
  status,
  attention,
}: z.output<typeof Query>): readonly RunStatusName[] | undefined {
  if (attention === undefined) return status;
  const possible = new Set(attention.flatMap((each) => STATUSES_OF[each]));
  return status === undefined ? [...possible] : status.filter((each) => possible.has(each));
}

function fits({ workflow, error, startedAt }: RunSummary, query: z.output<typeof Query>): boolean {
  const { kind, since } = query;
  if (query.workflow !== undefined && workflow !== query.workflow) return false;
  if (kind !== undefined && (error === undefined || !matchesKind(error.kind, kind))) return false;
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
