/** Moves of a run: resume, answer, cancel. */
import { z } from '@hono/zod-openapi';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { carrierInHeaders } from '../../machine/ports/trace-carrier.ts';
import type { ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { runOf, byOf, type CheckedRequest, type Route } from '../http/http-route.ts';
import {
  answerGate,
  cancelRun,
  resumeRun,
  type GateAnswer,
  type Resumption,
} from '../runs/move-run.ts';
import { isResting } from '../runs/run-reader.ts';
import { shownRun } from '../runs/run-json.ts';
import { shownValue, valueHref } from '../runs/shown-values.ts';
import { Json, Run, Timestamp } from '../schemas/common.ts';
import { preferred } from './read-run.ts';

const ResumeRequest = z
  .strictObject({
    from: z.string().min(1).optional(),
    input: z.record(z.string(), Json).optional(),
    now: z.boolean().optional(),
    acceptDrift: z.boolean().optional(),
    gates: z.literal(false).optional(),
  })
  .openapi('ResumeRequest');

const AnswerRequest = z
  .strictObject({
    gate: z.string().min(1).optional(),
    value: Json,
    opening: z.int().min(1).optional().openapi({
      description: 'The opening to answer, as `waiting` has it. Default: the one that is open.',
    }),
  })
  .openapi('AnswerRequest');

const CancelRequest = z
  .strictObject({ reason: z.string().max(2000).optional() })
  .openapi('CancelRequest');

const Answered = z
  .looseObject({ gate: z.string(), value: Json, by: z.string(), at: Timestamp.optional() })
  .openapi('Answered');

const RETRY = { 'retry-after': '1' };
const PREFER = { Prefer: '`wait=N`: answer when the run rests, or after N seconds.' };

const MOVE = { method: 'post', role: 'run' } as const;
const ACCEPTED = {
  description: 'It is under way.',
  content: { 'application/json': Run },
  headers: { 'Retry-After': 'Seconds.' },
};
const REFUSALS = [
  'run.not_found',
  'run.already_ended',
  'store.unavailable',
  'store.corrupt',
] as const;

export function moveRunRoutes(core: ServerCore): readonly Route[] {
  return [resumeRoute(core), answerRoute(core), cancelRoute(core)];
}

function resumeRoute(core: ServerCore): Route {
  return {
    ...MOVE,
    operationId: 'resumeRun',
    path: '/v1/runs/{run}/resume',
    summary: 'Resume a run, or run it again from a node',
    headers: PREFER,
    body: { media: ['application/json'], schema: ResumeRequest },
    answers: {
      200: { description: 'The run, which rests.', content: { 'application/json': Run } },
      202: ACCEPTED,
    },
    refusals: [
      ...REFUSALS,
      'run.drifted',
      'run.already_active',
      'run.resume_mismatch',
      'validation.input',
      'validation.workflow',
      'request.limited',
    ],
    handle: (request) => resume(core, request),
  };
}

function answerRoute(core: ServerCore): Route {
  return {
    ...MOVE,
    operationId: 'answerGate',
    path: '/v1/runs/{run}/answers',
    summary: 'Answer a question of a run',
    body: { media: ['application/json'], schema: AnswerRequest },
    answers: {
      200: { description: 'The answer is stored.', content: { 'application/json': Answered } },
      202: {
        description: 'The answer was left for the process that executes the run.',
        content: { 'application/json': Answered },
        headers: { 'Retry-After': 'Seconds.' },
      },
    },
    refusals: [
      ...REFUSALS,
      'validation.input',
      'gate.closed',
      'run.drifted',
      'run.resume_mismatch',
    ],
    handle: (request) => answer(core, request),
  };
}

function cancelRoute(core: ServerCore): Route {
  return {
    ...MOVE,
    operationId: 'cancelRun',
    path: '/v1/runs/{run}/cancel',
    summary: 'Cancel a run for good',
    headers: PREFER,
    body: { media: ['application/json'], schema: CancelRequest },
    answers: {
      200: { description: 'The run is cancelled.', content: { 'application/json': Run } },
      202: ACCEPTED,
    },
    refusals: REFUSALS,
    handle: (request) => cancel(core, request),
  };
}

async function resume(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  // checked against its schema, and parsed from JSON
  const how = request.body as Resumption;
  const trace = carrierInHeaders(request.raw.headers);
  await resumeRun(core, run, { ...how, by: byOf(request), trace });
  return movedAnswer(core, request, run);
}

async function answer(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  const { gate, value, opening } = request.body as Pick<GateAnswer, 'gate' | 'value' | 'opening'>;
  if (value === undefined)
    throw new ErrandError({ kind: 'request.invalid', message: 'The body has no field value' });
  const by = byOf(request);
  const isByProgram = request.visitor?.isPerson !== true;
  const trace = carrierInHeaders(request.raw.headers);
  const answered = await answerGate(core, run, { gate, value, by, opening, isByProgram, trace });
  const { stored } = answered;
  if (stored === undefined)
    return jsonAnswer(
      { gate: answered.gate ?? gate ?? '', value, by },
      { status: 202, headers: RETRY },
    );
  const { at, seq, path } = stored;
  const href = (): string => valueHref(core.base, run, { of: 'answer', path, at: seq });
  return jsonAnswer({
    gate: stored.gate,
    value: shownValue(stored.value, href),
    by: stored.by,
    at,
  });
}

async function cancel(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = runOf(request);
  // checked against its schema
  const { reason } = request.body as z.infer<typeof CancelRequest>;
  await cancelRun(core, run, { by: byOf(request), reason });
  const waited = await preferred(core, request, run);
  const shown = await shownRun(core, run, request);
  const isCancelled = shown.status === 'cancelled';
  return jsonAnswer(shown.body, {
    status: isCancelled ? 200 : 202,
    headers: { etag: shown.etag, ...(isCancelled ? {} : RETRY), ...waited },
  });
}

async function movedAnswer(
  core: ServerCore,
  request: CheckedRequest,
  run: string,
): Promise<Response> {
  const waited = await preferred(core, request, run);
  const { body, status, etag } = await shownRun(core, run, request);
  const rests = isResting(status);
  return jsonAnswer(body, {
    status: rests ? 200 : 202,
    headers: { etag, ...(rests ? {} : RETRY), ...waited },
  });
}
