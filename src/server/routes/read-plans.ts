/** Plans: of a workflow as it is now, and of a run as it is stored. A client of its own shows runs with them. */
import { z } from '@hono/zod-openapi';
import { runRow } from '../../history/run-row.ts';
import { shownFile } from '../../engine/shown-run.ts';
import type { ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { runOf, type Route } from '../http/http-route.ts';
import { shownValue, valueHref } from '../runs/shown-values.ts';
import { Json, RunStatus, Timestamp } from '../schemas/common.ts';
import { shownOf } from '../workflows/served-workflows.ts';

const Plan = z
  .looseObject({ name: z.string() })
  .openapi('Plan', { description: 'A workflow as it runs. Its form may change with the version.' });

const RunRecord = z
  .looseObject({
    run: z.string(),
    workflow: z.string(),
    status: RunStatus,
    startedAt: Timestamp,
    file: z.string().nullable(),
    input: Json,
    plan: Plan,
    seq: z.int(),
  })
  .openapi('RunRecord');

export function planRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      operationId: 'getPlan',
      method: 'get',
      path: '/v1/workflows/{name}/plan',
      summary: 'Read the plan of a workflow, as its file is now',
      role: 'read',
      answers: {
        200: {
          description: 'The plan, with the tag of its file.',
          content: {
            'application/json': z
              .looseObject({ plan: Plan, etag: z.string() })
              .openapi('WorkflowPlan'),
          },
        },
      },
      refusals: ['workflow.not_found', 'validation.workflow', 'store.unavailable'],
      handle: async ({ params }) => {
        const { plan, redactor, etag } = await core.workflows.runnable(params['name'] ?? '');
        return jsonAnswer({ plan: shownOf(shownOf(plan, redactor), core.redactor), etag });
      },
    },
    {
      operationId: 'getRecord',
      method: 'get',
      path: '/v1/runs/{run}/record',
      summary: 'Read how a run was started, with its plan',
      role: 'read',
      answers: {
        200: { description: 'The run.', content: { 'application/json': RunRecord } },
      },
      refusals: ['run.not_found', 'store.unavailable', 'store.corrupt'],
      handle: async ({ params }) => {
        const run = runOf({ params });
        const engine = await core.engine();
        const record = await engine.record(run);
        const { status } = await engine.summary(run);
        return jsonAnswer({
          ...runRow({ ...record, status }, core.clock.now()),
          file: shownFile(record.file, core.directory),
          input: shownValue(record.input, () => valueHref(core.base, run, { of: 'input', at: 1 })),
          // written by a backend, and the row's checksum is verified
          plan: JSON.parse(record.plan) as unknown,
          seq: record.head.nextSeq - 1,
        });
      },
    },
  ];
}
