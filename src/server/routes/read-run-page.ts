/** The first answer to the page of a run: its view, from which it follows the events, and its moves. */
import { z } from '@hono/zod-openapi';
import { lastSeq, type FoldedRun } from '../../engine/build-run-page.ts';
import { RunFold } from '../../engine/run-fold.ts';
import { layoutGraph } from '../../history/graph-layout/layout-graph.ts';
import { RESUME_OBSTACLES } from '../../history/next-moves.ts';
import type { RunMoves } from '../../history/run-page.ts';
import { runGraph } from '../../history/workflow-graph.ts';
import { stepToJson, viewToJson } from '../../history/run-view/sent-view.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, isUnchanged, jsonAnswer } from '../http/answer.ts';
import { runOf, type CheckedRequest, type Route } from '../http/http-route.ts';
import { movesOf } from '../runs/run-json.ts';
import { shownView } from '../runs/shown-view.ts';
import { shownOf } from '../workflows/served-workflows.ts';
import {
  AttentionName,
  Json,
  NextMove,
  Report,
  RunStatus,
  wholeNumber,
} from '../schemas/common.ts';

const MOVES = {
  run: z.string(),
  workflow: z.string(),
  file: z.string().nullable(),
  status: RunStatus,
  attention: AttentionName,
  seq: z.int(),
  nextMoves: z.array(NextMove),
  resumeObstacle: z.enum(RESUME_OBSTACLES).optional(),
  inDoubt: z.array(z.looseObject({})),
  questions: z.array(z.looseObject({ gate: z.string(), prompt: z.string() })),
  nextTry: z.looseObject({ path: z.string(), at: z.string() }).optional(),
  error: Report.optional(),
};
const RunMovesShape = z.looseObject(MOVES).openapi('RunMoves');
const RunViewShape = z
  .looseObject({
    ...MOVES,
    layout: z.looseObject({}),
    view: Json,
  })
  .openapi('RunView', {
    description:
      'A run folded from its events up to `seq`. The form of `view` may change with the version.',
  });

const StepsQuery = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: wholeNumber(1, 2000).optional(),
});
const StepsPage = z
  .looseObject({ steps: z.array(z.looseObject({ path: z.string() })), next: z.int().optional() })
  .openapi('StepsPage');
const DEFAULT_STEPS = 1000;

export function runPageRoutes(core: ServerCore): readonly Route[] {
  const shared = {
    method: 'get',
    role: 'read',
    headers: { 'If-None-Match': 'The tag of the version that the client has.' },
    refusals: ['run.not_found', 'store.unavailable', 'store.corrupt'],
  } as const;
  const unchanged = { 304: { description: 'The run has not changed.' } };
  return [
    {
      ...shared,
      operationId: 'getMoves',
      path: '/v1/runs/{run}/moves',
      summary: 'Read what can be done with a run now',
      answers: {
        200: { description: 'The moves.', content: { 'application/json': RunMovesShape } },
        ...unchanged,
      },
      handle: (request) => movesAnswer(core, request),
    },
    {
      ...shared,
      operationId: 'getView',
      path: '/v1/runs/{run}/view',
      summary: 'Read a run as its page shows it',
      answers: {
        200: { description: 'The view.', content: { 'application/json': RunViewShape } },
        ...unchanged,
      },
      handle: (request) => viewAnswer(core, request),
    },
    {
      ...shared,
      operationId: 'getSteps',
      path: '/v1/runs/{run}/steps',
      summary: 'Read the steps of a run, a page at a time',
      query: StepsQuery,
      headers: {},
      answers: { 200: { description: 'The steps.', content: { 'application/json': StepsPage } } },
      handle: (request) => stepsAnswer(core, request),
    },
  ];
}

async function movesAnswer(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const folded = await readyFold(core, runOf(request));
  const moves = await movesOf(core, folded, request);
  const etag = pageTag(moves, lastSeq(folded));
  if (isUnchanged(request.raw, etag)) return emptyAnswer({ status: 304, headers: { etag } });
  return jsonAnswer(moves, { headers: { etag } });
}

/** Moves also change with the server's files, and then the run has no new event. */
function pageTag({ status, nextMoves, resumeObstacle }: RunMoves, seq: number): string {
  const moves = new Set(nextMoves.flatMap(({ move, needs = [] }) => [move, ...needs]));
  return `"${[seq, status, ...moves, ...(resumeObstacle === undefined ? [] : [resumeObstacle])].join('-')}"`;
}

async function viewAnswer(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const folded = await core.folds.pageOf(runOf(request));
  const { fold, view } = folded;
  const moves = await movesOf(core, folded, request);
  const etag = pageTag(moves, view.seq);
  if (isUnchanged(request.raw, etag)) return emptyAnswer({ status: 304, headers: { etag } });
  const sent = viewToJson(shownView(view, core.base));
  const own = (await core.workflows.find(moves.workflow))?.redactor ?? core.redactor;
  const graph = shownOf(shownOf(runGraph(fold.plan), own), core.redactor);
  return jsonAnswer({ ...moves, layout: layoutGraph(graph), view: sent }, { headers: { etag } });
}

/**
 * An ended run asks nobody and waits for nothing. If nothing was saved of it, its page does not
 * wait until the log is read to show that. Unknown outcomes come with the view.
 */
async function readyFold(core: ServerCore, run: string): Promise<FoldedRun> {
  const engine = await core.engine();
  const { status } = await engine.summary(run);
  const isOver = status === 'completed' || status === 'cancelled';
  if (!isOver || core.folds.has(run)) return core.folds.of(run);
  const record = await engine.record(run);
  return { record, status, fold: new RunFold(record) };
}

/** `after`: how many steps the caller has; they never change their places. */
async function stepsAnswer(core: ServerCore, request: CheckedRequest): Promise<Response> {
  // checked against its schema
  const { after = 0, limit = DEFAULT_STEPS } = request.query as z.output<typeof StepsQuery>;
  const { steps } = (await core.folds.viewOf(runOf(request))).view;
  const next = after + limit < steps.length ? { next: after + limit } : {};
  return jsonAnswer({ steps: steps.slice(after, after + limit).map(stepToJson), ...next });
}
