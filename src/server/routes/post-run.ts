/** `POST /v1/runs`: starts a run of a served workflow, once for each idempotency key. */
import { z } from '@hono/zod-openapi';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { waitOf } from '../http/prefer.ts';
import { byOf, type CheckedRequest, type Route } from '../http/http-route.ts';
import { shownRun } from '../runs/run-json.ts';
import { carrierInHeaders } from '../../machine/ports/trace-carrier.ts';
import { startRun, type WantedRun } from '../runs/start-run.ts';
import { Json, Run } from '../schemas/common.ts';

const StartRequest = z
  .strictObject({
    workflow: z.string().min(1),
    input: z.record(z.string(), Json).optional(),
    answers: z.record(z.string(), Json).optional(),
    gates: z.literal(false).optional(),
  })
  .openapi('StartRequest');

const MAX_KEY_CHARS = 255;

export function startRunRoute(core: ServerCore): Route {
  return {
    operationId: 'startRun',
    method: 'post',
    path: '/v1/runs',
    summary: 'Start a run',
    role: 'run',
    headers: {
      'Idempotency-Key': 'A name for this request: the same key and body again give the same run.',
      Prefer: '`wait=N`: answer when the run rests, or after N seconds.',
      traceparent: 'The trace that the run belongs to.',
    },
    body: { media: ['application/json'], schema: StartRequest },
    answers: {
      201: {
        description: 'The run was started.',
        content: { 'application/json': Run },
        headers: { Location: 'The path of the run.', 'Preference-Applied': 'How long it waited.' },
      },
      200: {
        description: 'The key was used before with this body: the run as it is now.',
        content: { 'application/json': Run },
        headers: { 'Idempotent-Replayed': 'true' },
      },
    },
    refusals: [
      'validation.input',
      'validation.workflow',
      'request.key_reused',
      'workflow.not_found',
      'request.limited',
      'store.unavailable',
      'store.corrupt',
    ],
    handle: (request) => startedRun(core, request),
  };
}

async function startedRun(core: ServerCore, request: CheckedRequest): Promise<Response> {
  // checked against its schema, and parsed from JSON
  const wanted = request.body as WantedRun;
  const key = idempotencyKey(request.raw.headers.get('idempotency-key'));
  const { run, isNew } = await startRun(core, wanted, {
    by: byOf(request),
    isByProgram: request.visitor?.isPerson !== true,
    trace: carrierInHeaders(request.raw.headers),
    key: key === undefined ? undefined : { name: key, request: request.json },
  });
  return started(core, request, run, isNew);
}

async function started(
  core: ServerCore,
  request: CheckedRequest,
  run: string,
  isNew: boolean,
): Promise<Response> {
  const { raw, href } = request;
  const wait = waitOf(raw.headers.get('prefer'));
  if (wait !== undefined) await core.reader.waitWhileRunning(run, wait.seconds * 1000, raw.signal);
  const { body, etag } = await shownRun(core, run, request);
  return jsonAnswer(body, {
    status: isNew ? 201 : 200,
    headers: {
      etag,
      ...(isNew ? { location: href(`/v1/runs/${run}`) } : { 'idempotent-replayed': 'true' }),
      ...(wait === undefined ? {} : { 'preference-applied': wait.applied }),
    },
  });
}

/** Quoted as a structured field, or bare. */
function idempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(header.trim()) ?? [];
  const key = quoted?.replaceAll(/\\(.)/g, '$1') ?? header.trim();
  if (key.length > 0 && key.length <= MAX_KEY_CHARS) return key;
  throw new ErrandError({
    kind: 'request.invalid',
    message: `The Idempotency-Key has ${key.length} characters; it may have 1 to ${MAX_KEY_CHARS}`,
  });
}
