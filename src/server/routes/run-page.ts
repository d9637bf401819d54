/** What the page of a run opens with: its view, from which it follows the events, and its moves. */
import { z } from '@hono/zod-openapi';
import { runGraph } from '../../history/workflow-graph.ts';
import { viewToJson } from '../../history/run-view/wire.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, isUnchanged, jsonAnswer } from '../http/answer.ts';
import type { CheckedRequest, Route } from '../http/route.ts';
import { movesOf, runTag } from '../runs/run-json.ts';
import { shownView } from '../runs/shown-view.ts';
import { AttentionName, Json, NextMove, RunStatus } from '../schemas/common.ts';

const MOVES = {
  run: z.string(),
  workflow: z.string(),
  file: z.string().nullable(),
  status: RunStatus,
  attention: AttentionName,
  seq: z.int(),
  nextMoves: z.array(NextMove),
  inDoubt: z.array(z.looseObject({})),
  questions: z.array(z.looseObject({ gate: z.string(), prompt: z.string() })),
};
const RunMovesShape = z.looseObject(MOVES).openapi('RunMoves');
const RunViewShape = z
  .looseObject({
    ...MOVES,
    graph: z.looseObject({}),
    view: Json,
  })
  .openapi('RunView', {
    description:
      'A run folded from its events up to `seq`. The form of `view` may change with the version.',
  });

export function runPageRoutes(core: ServerCore): readonly Route[] {
  const shared = {
    method: 'get',
    role: 'read',
    headers: { 'If-None-Match': 'The tag of what is known already.' },
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
      handle: (request) => answer(core, request, { isWhole: false }),
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
      handle: (request) => answer(core, request, { isWhole: true }),
    },
  ];
}

async function answer(
  core: ServerCore,
  request: CheckedRequest,
  { isWhole }: { readonly isWhole: boolean },
): Promise<Response> {
  const folded = await core.folds.of(request.params['run'] ?? '');
  const { fold, status } = folded;
  const etag = runTag(fold.view.seq, status);
  if (isUnchanged(request.raw, etag)) return emptyAnswer({ status: 304, headers: { etag } });
  const moves = await movesOf(core, folded);
  if (!isWhole) return jsonAnswer(moves, { headers: { etag } });
  const view = viewToJson(shownView(fold.view, core.base));
  return jsonAnswer({ ...moves, graph: runGraph(fold.plan), view }, { headers: { etag } });
}
