/** `POST /v1/runs`: starts a run of a served workflow, once for each idempotency key. */
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { PreparedAnswer, RunHandle } from '../../engine/backend.ts';
import type { Engine } from '../../engine/errand.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { isForPeople, onlyPeople } from '../../machine/gates/gate-answer.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import { completeInput, inputAtFault } from '../../workflow/plan/inputs.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';
import { withRoom, type ServerCore } from '../core.ts';
import { jsonAnswer } from '../http/answer.ts';
import { waitOf } from '../http/prefer.ts';
import { byOf, type CheckedRequest, type Route } from '../http/route.ts';
import { shownRun } from '../runs/run-json.ts';
import { carrierInHeaders, type TraceCarrier } from '../../machine/ports/trace-carrier.ts';
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
    handle: (request) => startRun(core, request),
  };
}

async function startRun(core: ServerCore, request: CheckedRequest): Promise<Response> {
  // checked against its schema
  const body = request.body as z.infer<typeof StartRequest>;
  const key = idempotencyKey(request.raw.headers.get('idempotency-key'));
  const engine = await core.engine();
  const isByProgram = request.visitor?.isPerson !== true;
  const trace = carrierInHeaders(request.raw.headers);
  if (key === undefined) {
    const { handle } = await begin(core, { engine, body, isByProgram, trace });
    return started(core, request, handle.id, true);
  }
  const fingerprint = createHash('sha256').update(canonicalJson(request.json)).digest('base64url');
  for (let generation = 0; ; generation++) {
    const id = keyedId(byOf(request), key, generation);
    const there = await existing(engine, id);
    // a run that was removed has freed its key
    if (there === 'removed') continue;
    if (there === undefined) {
      const { handle, isNew } = await begin(core, {
        engine,
        body,
        isByProgram,
        trace,
        id,
        request: fingerprint,
      });
      return started(core, request, handle.id, isNew);
    }
    if (there.request !== fingerprint) throw reused(id);
    return started(core, request, id, false);
  }
}

interface Beginning {
  readonly engine: Engine;
  readonly body: z.infer<typeof StartRequest>;
  /** Whether a program makes the request, and no person. */
  readonly isByProgram: boolean;
  readonly trace: TraceCarrier | undefined;
  readonly id?: string;
  readonly request?: string;
}

/** A request that is refused here has used no key up. */
async function begin(
  core: ServerCore,
  { engine, body, isByProgram, ...named }: Beginning,
): Promise<{ readonly handle: RunHandle; readonly isNew: boolean }> {
  const served = await core.workflows.runnable(body.workflow);
  const input = checkedInput(served, (body.input ?? {}) as JsonObject);
  const given = (body.answers ?? {}) as JsonObject;
  const answers = checkedAnswers(served.plan, given, isByProgram);
  let isNew = false;
  const handle = await withRoom(core, () =>
    engine.startFile(served.path, {
      ...named,
      input,
      answers,
      keepsAnswers: true,
      ...(body.gates === false ? { gates: false } : {}),
      ...(core.onlyStores ? { isLeft: true } : {}),
      // the client gets the failure, and can ask again with the same key
      onOutage: 'halt',
      onCreated: () => {
        isNew = true;
      },
    }),
  );
  return { handle, isNew };
}

/** A refusal has the pointer of the input in the body, so that a form can show it at its field. */
function checkedInput(
  { plan, secrets }: { readonly plan: WorkflowPlan; readonly secrets: readonly string[] },
  input: JsonObject,
): JsonObject {
  const advice = `Send the input as the schema of ${plan.name} describes it.`;
  try {
    return completeInput(plan, input, { advice, secrets });
  } catch (refusal) {
    const name = inputAtFault(plan, input);
    if (name === undefined || !(refusal instanceof ErrandError)) throw refusal;
    const { message, action } = refusal.report;
    const details = { pointer: toPointer(['input', name]) };
    throw new ErrandError(
      { kind: 'validation.input', message, action, details },
      { cause: refusal },
    );
  }
}

/** A path is checked only when the run has reached it, also whether a program may answer there. */
function checkedAnswers(
  plan: WorkflowPlan,
  answers: JsonObject,
  isByProgram: boolean,
): PreparedAnswer[] {
  const files = [plan, ...Object.values(plan.children)];
  const nodes = files.flatMap((file) => allNodes(file));
  return Object.entries(answers).map(([gate, value]) => {
    const named = nodes.filter(({ name }) => name === gate);
    if (isByProgram && named.some(isForPeople)) throw onlyPeople(gate);
    if (named.length > 0 || /[/[#]/.test(gate))
      return { gate, value, ...(isByProgram ? { isByProgram } : {}) };
    throw new ErrandError({
      kind: 'validation.input',
      message: `The answers name ${gate.slice(0, 80)}, but no node has that name`,
      action: { kind: 'change_input', detail: 'Name the nodes that ask, each with its answer.' },
    });
  });
}

async function started(
  core: ServerCore,
  request: CheckedRequest,
  run: string,
  isNew: boolean,
): Promise<Response> {
  const { raw, href } = request;
  const wait = waitOf(raw.headers.get('prefer'));
  if (wait !== undefined) await core.reader.rested(run, wait.seconds * 1000, raw.signal);
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

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARS = 24;

/** The id that a key stands for: it has the form of any other, and belongs to one caller. */
function keyedId(by: string, key: string, generation: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([by, key, generation]))
    .digest();
  return Array.from(digest.subarray(0, ID_CHARS), (byte) => LETTERS[byte % LETTERS.length]).join(
    '',
  );
}

/** The fingerprint of the request that started the run; undefined where there is no run. */
async function existing(
  engine: Engine,
  run: string,
): Promise<{ readonly request: string | undefined } | 'removed' | undefined> {
  try {
    for await (const event of engine.history(run))
      return { request: event.type === 'run:started' ? event.request : undefined };
    return undefined;
  } catch (thrown) {
    if (!isKind(thrown, 'run.not_found')) throw thrown;
    const { details } = thrown instanceof ErrandError ? thrown.report : { details: undefined };
    return details?.['removedAt'] === undefined ? undefined : 'removed';
  }
}

function reused(run: string): ErrandError {
  return new ErrandError({
    kind: 'request.key_reused',
    message: `The Idempotency-Key belongs to run ${run}, which another body started`,
    details: { run },
  });
}
