/** `GET /v1/gates`: the open questions of all runs, the oldest deadline first. */
import { z } from '@hono/zod-openapi';
import type { OpenQuestion } from '../../history/open-questions.ts';
import type { ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { decodeCursor, encodeCursor, nextLink } from '../http/list-cursor.ts';
import type { CheckedRequest, Route } from '../http/http-route.ts';
import { Json, Report, Timestamp, wholeNumber } from '../schemas/common.ts';

const Query = z.strictObject({
  workflow: z.string().optional(),
  limit: wholeNumber(1, 200).optional(),
  cursor: z.string().max(2000).optional(),
});

const Gates = z
  .looseObject({
    gates: z.array(
      z.looseObject({
        run: z.string(),
        workflow: z.string(),
        gate: z.string(),
        prompt: z.string(),
        options: z.array(Json),
        raises: z.enum(['usd', 'tokens']).optional(),
        deadline: Timestamp.optional(),
        answeredBy: z.literal('person').optional(),
        error: Report.optional(),
      }),
    ),
    next: z.string().optional(),
  })
  .openapi('Gates');

const DEFAULT_LIMIT = 50;

export function gatesRoute(core: ServerCore): Route {
  return {
    operationId: 'listGates',
    method: 'get',
    path: '/v1/gates',
    summary: 'List open questions, the oldest deadline first',
    role: 'read',
    query: Query,
    answers: {
      200: {
        description: 'A page of questions.',
        content: { 'application/json': Gates },
        headers: { Link: 'The next page, as `rel="next"`.' },
      },
    },
    refusals: ['store.unavailable'],
    handle: (request) => listGates(core, request),
  };
}

interface ListedGate {
  readonly listed: OpenQuestion & { readonly run: string; readonly workflow: string };
  /** By the deadline, those without one last; then as they were asked. The rest of it keeps two apart. */
  readonly order: string;
}

async function listGates(core: ServerCore, request: CheckedRequest): Promise<Response> {
  // checked against its schema
  const { workflow, limit = DEFAULT_LIMIT, cursor } = request.query as z.output<typeof Query>;
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const all = (await openGates(core, workflow)).toSorted((a, b) => (a.order < b.order ? -1 : 1));
  const rest = after === undefined ? all : all.filter(({ order }) => order > after);
  const shown = rest.slice(0, limit);
  const last = shown.at(-1);
  const next = rest.length > limit && last !== undefined ? encodeCursor(last.order) : undefined;
  return jsonAnswer(
    { gates: shown.map(({ listed }) => listed), ...(next === undefined ? {} : { next }) },
    next === undefined ? {} : { headers: nextLink(request, next) },
  );
}

async function openGates(
  core: ServerCore,
  wanted: string | undefined,
): Promise<readonly ListedGate[]> {
  const engine = await core.engine();
  const runs = await engine.list({
    statuses: ['paused', 'running', 'interrupted'],
    onDamage: () => undefined,
  });
  const gates: ListedGate[] = [];
  for (const summary of runs) {
    const { run, workflow, status, waiting } = summary;
    if (wanted !== undefined && workflow !== wanted) continue;
    if (status === 'paused' && waiting?.all.every(({ gate }) => gate === undefined) === true)
      continue;
    const { questions, askedAt } = await core.reader.digest(summary);
    for (const question of questions) {
      const { deadline = '~', opening = 0, gate } = question;
      const place = [deadline, askedAt.get(opening) ?? '~', run, String(opening).padStart(12, '0')];
      gates.push({
        listed: { run, workflow, ...question },
        order: [...place, gate].join(' '),
      });
    }
  }
  return gates;
}
