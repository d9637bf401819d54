/** `GET /v1/runs/{run}` and what belongs to one run: its result, values, costs, audit, failures, drift. */
import { z } from '@hono/zod-openapi';
import type { PlanOfFile } from '../../engine/run-drift.ts';
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { auditTrail } from '../../history/audit-trail.ts';
import { costsOf } from '../../history/cost-ledger.ts';
import type { ServerCore } from '../core.ts';
import { emptyAnswer, isUnchanged, jsonAnswer } from '../http/answer.ts';
import { waitOf } from '../http/prefer.ts';
import { problemResponse } from '../http/problem-response.ts';
import { runOf, type CheckedRequest, type Route } from '../http/http-route.ts';
import { driftFrom } from '../runs/file-drift.ts';
import { runTag, shownRun } from '../runs/run-json.ts';
import { storedValue } from '../runs/run-values.ts';
import { explainRun } from '../runs/explain-failures.ts';
import { invalidWorkflow, verdictOf } from '../workflows/served-workflows.ts';
import { VALUES } from '../runs/shown-values.ts';
import { Costs, Json, Report, Run, Timestamp, wholeNumber, word } from '../schemas/common.ts';

const PREFER = { Prefer: '`wait=N`: answer when the run rests, or after N seconds.' };

const ValueQuery = z.strictObject({
  path: z.string().optional(),
  of: word(VALUES).optional(),
  at: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
});

const Audit = z
  .array(z.looseObject({ at: Timestamp, who: z.string(), what: z.string(), detail: z.string() }))
  .openapi('Audit');

const Explanation = z
  .looseObject({
    run: z.string(),
    error: z.union([Report, z.null()]),
    life: z.array(z.looseObject({})),
  })
  .openapi('Explanation');

const Drift = z
  .looseObject({
    changed: z.array(
      z.looseObject({ node: z.string(), pointer: z.string(), isFinished: z.boolean() }),
    ),
    needsAccept: z.boolean(),
  })
  .openapi('Drift');

export function readRunRoutes(core: ServerCore): readonly Route[] {
  return [...wholeRunRoutes(core), ...aboutRunRoutes(core)];
}

const READ = { method: 'get', role: 'read' } as const;
const REFUSALS = ['run.not_found', 'store.unavailable', 'store.corrupt'] as const;

/** The run, its result, and its values. */
function wholeRunRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      ...READ,
      operationId: 'getRun',
      path: '/v1/runs/{run}',
      summary: 'Read a run',
      headers: { ...PREFER, 'If-None-Match': 'The tag of the version that the client has.' },
      answers: {
        200: {
          description: 'The run.',
          content: { 'application/json': Run },
          headers: { ETag: 'Changes with the run.' },
        },
        304: { description: 'The run has not changed.' },
      },
      refusals: REFUSALS,
      handle: (request) => getRun(core, request),
    },
    {
      ...READ,
      operationId: 'getResult',
      path: '/v1/runs/{run}/result',
      summary: 'Read the result of a run',
      headers: PREFER,
      answers: {
        200: {
          description: 'The output of a completed run.',
          content: { 'application/json': z.looseObject({ output: Json }).openapi('Result') },
        },
        202: {
          description: 'The run has no result yet.',
          content: { 'application/json': Run },
          headers: { 'Retry-After': 'Seconds.' },
        },
      },
      refusals: [...REFUSALS, 'cancelled.run'],
      answersRunFailures: true,
      handle: (request) => getResult(core, request),
    },
    {
      ...READ,
      operationId: 'getValue',
      path: '/v1/runs/{run}/value',
      summary: 'Read one whole value of a run',
      query: ValueQuery,
      answers: { 200: { description: 'The value.', content: { 'application/json': Json } } },
      refusals: [...REFUSALS, 'request.not_found'],
      handle: (request) => getValue(core, request),
    },
  ];
}

/** Views that are derived from its log. */
function aboutRunRoutes(core: ServerCore): readonly Route[] {
  return [
    {
      ...READ,
      operationId: 'getCosts',
      path: '/v1/runs/{run}/costs',
      summary: 'Read what a run cost, attempt by attempt',
      answers: { 200: { description: 'The costs.', content: { 'application/json': Costs } } },
      refusals: REFUSALS,
      handle: async (request) => jsonAnswer(costsOf((await stored(core, request)).events)),
    },
    {
      ...READ,
      operationId: 'getAudit',
      path: '/v1/runs/{run}/audit',
      summary: 'Read who did what to a run',
      answers: { 200: { description: 'The audit.', content: { 'application/json': Audit } } },
      refusals: REFUSALS,
      handle: async (request) => {
        const trail = auditTrail((await stored(core, request)).events);
        return jsonAnswer(
          trail.map((entry) => ({ ...entry, detail: hideInternals(entry.detail) })),
        );
      },
    },
    {
      ...READ,
      operationId: 'explainRun',
      path: '/v1/runs/{run}/explain',
      summary: 'Read the failures of a run, and how each ended',
      answers: {
        200: { description: 'The failures.', content: { 'application/json': Explanation } },
      },
      refusals: REFUSALS,
      handle: async (request) => jsonAnswer(await explainRun(core, runOf(request))),
    },
    {
      ...READ,
      operationId: 'getDrift',
      path: '/v1/runs/{run}/drift',
      summary: 'Read what a resume would find changed in the file',
      answers: { 200: { description: 'The drift.', content: { 'application/json': Drift } } },
      refusals: [...REFUSALS, 'run.resume_mismatch', 'validation.workflow'],
      handle: (request) => drift(core, request),
    },
    {
      operationId: 'previewDrift',
      method: 'post',
      role: 'read',
      path: '/v1/runs/{run}/drift',
      summary: 'Read what a resume would find changed in a text in place of the file',
      body: { media: ['application/yaml', 'text/yaml'] },
      answers: { 200: { description: 'The drift.', content: { 'application/json': Drift } } },
      refusals: [...REFUSALS, 'run.resume_mismatch', 'validation.workflow'],
      handle: (request) => drift(core, request),
    },
  ];
}

async function stored(core: ServerCore, request: CheckedRequest) {
  return (await core.engine()).stored(runOf(request));
}

/** Waits as the request prefers; returns the header that says so. */
export async function preferred(
  core: ServerCore,
  { raw }: CheckedRequest,
  run: string,
): Promise<Readonly<Record<string, string>>> {
  const wait = waitOf(raw.headers.get('prefer'));
  if (wait === undefined) return {};
  await core.reader.waitWhileRunning(run, wait.seconds * 1000, raw.signal);
  return { 'preference-applied': wait.applied };
}

async function getRun(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  const waited = await preferred(core, request, run);
  const engine = await core.engine();
  if (request.raw.headers.has('if-none-match')) {
    const [record, { status }] = [await engine.record(run), await engine.summary(run)];
    const etag = runTag(record.head.nextSeq - 1, status);
    if (isUnchanged(request.raw, etag))
      return emptyAnswer({ status: 304, headers: { etag, ...waited } });
  }
  const { body, etag } = await shownRun(core, run, request);
  return jsonAnswer(body, { headers: { etag, ...waited } });
}

const RETRY = { 'retry-after': '1' };

async function getResult(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  const waited = await preferred(core, request, run);
  const { events, status } = await stored(core, request);
  const last = events.at(-1);
  switch (status) {
    case 'completed':
      return jsonAnswer(
        { output: last?.type === 'run:completed' ? last.output : null },
        { headers: waited },
      );
    case 'failed': {
      if (last?.type !== 'run:failed') break;
      return problemResponse(last.error, { source: 'run', base: core.base, headers: waited });
    }
    case 'cancelled': {
      const by = last?.type === 'run:cancelled' ? last.by : 'someone';
      const cancelled = new ErrandError({
        kind: 'cancelled.run',
        message: `The run was cancelled by ${by}`,
      });
      return problemResponse(toReport(cancelled), {
        source: 'run',
        base: core.base,
        headers: waited,
      });
    }
    case 'running':
    case 'paused':
    case 'interrupted':
      break;
  }
  const { body, etag } = await shownRun(core, run, request);
  return jsonAnswer(body, { status: 202, headers: { etag, ...RETRY, ...waited } });
}

async function getValue(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  // checked against its schema
  const { of = 'output', path, at } = request.query as z.output<typeof ValueQuery>;
  return jsonAnswer(await storedValue(core, run, { of, path: path || undefined, at }));
}

async function drift(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const folded = await core.folds.of(runOf(request));
  const { workflow } = folded.record;
  const served = await core.workflows.find(workflow);
  if (served === undefined)
    throw new ErrandError({
      kind: 'run.resume_mismatch',
      message: `The server has no workflow ${workflow}`,
    });
  return jsonAnswer(await driftFrom(core, folded, await fileOf(core, workflow, request.text)));
}

/** The plan of the file as it is, or of a text in its place. */
async function fileOf(
  core: ServerCore,
  workflow: string,
  text: string | undefined,
): Promise<PlanOfFile> {
  if (text === undefined) return core.workflows.runnable(workflow);
  const served = await core.workflows.get(workflow);
  const judged = await (await core.engine()).inspect(served.path, { text });
  const { plan, secrets } = judged;
  if (plan !== undefined) return { plan, secrets };
  throw invalidWorkflow(served.file, verdictOf(judged));
}
