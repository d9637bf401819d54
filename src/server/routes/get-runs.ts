/** `GET /v1/runs`: the runs of the store, newest first, a page at a time. */
import { z } from '@hono/zod-openapi';
import { ATTENTIONS } from '../../history/attention.ts';
import type { ServerCore } from '../core.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { jsonTextAnswer } from '../http/answer.ts';
import { decodeCursor, encodeCursor, nextLink } from '../http/list-cursor.ts';
import type { CheckedRequest, Route } from '../http/http-route.ts';
import { KeptPages, type ListPage } from '../runs/kept-pages.ts';
import { RUN_STATUSES } from '../../machine/ports/store-port.ts';
import { listRuns } from '../runs/list-runs.ts';
import { quoted, RunRow, wholeNumber, words } from '../schemas/common.ts';

const Query = z.strictObject({
  status: words(RUN_STATUSES).optional(),
  attention: words(ATTENTIONS).optional(),
  workflow: z.string().optional(),
  kind: z
    .string()
    .regex(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.\*)?$/, 'it is not a kind')
    .optional(),
  since: z
    .union([z.iso.datetime({ offset: true }), z.iso.date()], {
      error: ({ input }) =>
        `${quoted(input)} is not a date or a time with its zone, as 2026-11-18 or 2026-11-18T09:30:00Z`,
    })
    .optional(),
  limit: wholeNumber(1, 200).optional(),
  cursor: z.string().max(500).optional(),
});

const Page = z
  .looseObject({ runs: z.array(RunRow), next: z.string().optional() })
  .openapi('RunPage');

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
        listedRuns(core, request),
      );
      return jsonTextAnswer(text, link === undefined ? {} : { headers: { link } });
    },
  };
}

async function listedRuns(core: ServerCore, request: CheckedRequest): Promise<ListPage> {
  // checked against its schema
  const { cursor, ...query } = request.query as z.output<typeof Query>;
  const { runs, last } = await listRuns(core, {
    ...query,
    ...(cursor === undefined ? {} : { before: decodeCursor(cursor) }),
  });
  const next = last === undefined ? undefined : encodeCursor(last);
  const text = jsonText({ runs, ...(next === undefined ? {} : { next }) });
  return { text, ...(next === undefined ? {} : nextLink(request, next)) };
}
