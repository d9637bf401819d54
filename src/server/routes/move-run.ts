/** Moves of a run: resume, answer, cancel. */
import { z } from '@hono/zod-openapi';
import { sleep } from '../../effects/clock.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { OpenQuestion } from '../../history/open-questions.ts';
import { carrierInHeaders } from '../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { withRoom, type ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { byOf, type CheckedRequest, type Route } from '../http/route.ts';
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
      description:
        'The opening that is answered, as `waiting` has it. Default: the one that is open.',
    }),
  })
  .openapi('AnswerRequest');

const CancelRequest = z
  .strictObject({ reason: z.string().max(2000).optional() })
  .openapi('CancelRequest');

const Answered = z
  .looseObject({ gate: z.string(), value: Json, by: z.string(), at: Timestamp.optional() })
  .openapi('Answered');

/** How long an answer or a cancellation may take to be stored before the answer is 202. */
const STORED_MS = 5000;
/** How long the end of a cancelled run may take to be seen once it is stored. */
const SETTLE_MS = 1000;
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
  const run = request.params['run'] ?? '';
  // checked against its schema
  const { input, ...how } = request.body as z.infer<typeof ResumeRequest>;
  const { workflow } = await core.reader.summary(run);
  const served = await core.workflows.find(workflow);
  if (served === undefined) throw notServed(workflow);
  const engine = await core.engine();
  const seq = (await engine.record(run)).head.nextSeq - 1;
  try {
    await withRoom(core, () =>
      engine.resume(run, {
        by: byOf(request),
        file: served.path,
        trace: carrierInHeaders(request.raw.headers),
        ...(how.from === undefined ? {} : { from: how.from }),
        ...(how.now === undefined ? {} : { now: how.now }),
        ...(how.acceptDrift === undefined ? {} : { acceptDrift: how.acceptDrift }),
        ...(how.gates === false ? { gates: false } : {}),
        ...(core.onlyStores ? { isLeft: true } : {}),
        // parsed from JSON
        ...(input === undefined ? {} : { input: input as JsonObject }),
      }),
    );
  } catch (refusal) {
    throw await withChanges(core, run, refusal);
  }
  // until then its row says how it was before
  await core.reader.eventAfter(run, seq, {
    fits: ({ type }) => type === 'run:resumed',
    waitMs: STORED_MS,
  });
  return movedAnswer(core, request, run);
}

/** The document of a drifted run lists what has changed. */
async function withChanges(core: ServerCore, run: string, refusal: unknown): Promise<unknown> {
  if (!isKind(refusal, 'run.drifted') || !(refusal instanceof ErrandError)) return refusal;
  const { record, fold } = await core.folds.of(run);
  const { plan } = (await core.workflows.find(record.workflow)) ?? {};
  const changed = plan === undefined ? [] : fold.drift(plan).changed;
  const { kind, message, details, action } = refusal.report;
  return new ErrandError(
    // changes are plain JSON
    { kind, message, details: { ...details, changed: changed as unknown as JsonValue }, action },
    { cause: refusal },
  );
}

async function answer(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = request.params['run'] ?? '';
  const { gate, value, opening } = request.body as {
    readonly gate?: string;
    readonly value: JsonValue;
    readonly opening?: number;
  };
  if (value === undefined)
    throw new ErrandError({ kind: 'request.invalid', message: 'The body has no field value' });
  const engine = await core.engine();
  const summary = await core.reader.summary(run);
  const { workflow, status } = summary;
  const seq = (await engine.record(run)).head.nextSeq - 1;
  const served = await core.workflows.find(workflow);
  const isByProgram = request.visitor?.isPerson !== true;
  const given = { gate, value, by: byOf(request), opening, isByProgram };
  // a run that rests is continued by the answer, and only where its workflow is
  const isLeft = isResting(status) && (served === undefined || core.carryOn()?.hasRoom() !== true);
  if (isLeft) return leftAnswer(await engine.leaveAnswer(run, given), given);
  const { questions } = await core.reader.digest(summary);
  const trace = carrierInHeaders(request.raw.headers);
  const file = served === undefined ? {} : { file: served.path };
  await engine.answer(run, given, { ...file, trace });
  const stored = await core.reader.eventAfter(run, seq, {
    fits: (event) => isAnswer(event, given),
    waitMs: STORED_MS,
  });
  if (stored?.type === 'gate:answered') {
    const { by, at, seq: storedAt, path } = stored;
    const href = (): string => valueHref(core.base, run, { of: 'answer', path, at: storedAt });
    return jsonAnswer({ gate: stored.gate, value: shownValue(stored.value, href), by, at });
  }
  const open = questions.find((each) => isNamed(each, gate));
  return leftAnswer(open?.gate, given);
}

interface GivenAnswer {
  readonly gate: string | undefined;
  readonly value: JsonValue;
  readonly by: string;
}

/** `name`: the name of the gate itself, which may be given by its path or its node, or not at all. */
function leftAnswer(name: string | undefined, { gate = '', value, by }: GivenAnswer): Response {
  return jsonAnswer({ gate: name ?? gate, value, by }, { status: 202, headers: RETRY });
}

function isAnswer(event: RunEvent, { gate, by }: GivenAnswer): boolean {
  return event.type === 'gate:answered' && event.by === by && isNamed(event, gate);
}

function isNamed(
  { gate, path, node }: Pick<OpenQuestion, 'gate' | 'path' | 'node'>,
  name: string | undefined,
): boolean {
  return name === undefined || [gate, path, node].includes(name);
}

async function cancel(core: ServerCore, request: CheckedRequest): Promise<Response> {
  const run = request.params['run'] ?? '';
  const engine = await core.engine();
  const { status } = await core.reader.summary(run);
  if (status !== 'cancelled') {
    const seq = (await engine.record(run)).head.nextSeq - 1;
    // checked against its schema
    const { reason } = request.body as z.infer<typeof CancelRequest>;
    const requested = engine.requestCancel(
      run,
      byOf(request),
      reason === undefined ? {} : { reason },
    );
    // effects are stopped first, and the client need not wait for the last of them
    await Promise.race([requested, sleep(core.clock, STORED_MS)]);
    requested.catch(() => {
      // too late to refuse: the run itself says what became of it
    });
    await core.reader.eventAfter(run, seq, {
      fits: ({ type }) => type === 'run:cancelled',
      waitMs: SETTLE_MS,
    });
  }
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

function notServed(workflow: string): ErrandError {
  return new ErrandError({
    kind: 'run.resume_mismatch',
    message: `The server has no workflow ${workflow}, so it cannot resume its runs`,
    action: {
      kind: 'fix_setup',
      detail: 'Resume it where its workflow is, or start the server with the file of the workflow.',
    },
  });
}
