/** Starts a run of a served workflow, once for each key: for HTTP and for MCP. */
import { createHash } from 'node:crypto';
import type { PreparedAnswer, RunHandle } from '../../engine/backend.ts';
import type { Engine } from '../../engine/errand.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { isForPeople } from '../../machine/gates/gate-answer.ts';
import { onlyPeople } from '../../machine/gates/refused-answer.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import { canonicalJson } from '../../workflow/plan/stable-hash.ts';
import { completeInput, inputAtFault } from '../../workflow/plan/inputs.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { toPointer } from '../../workflow/plan/pointer.ts';
import { withRoom, type RunCore } from '../core.ts';

export interface WantedRun {
  readonly workflow: string;
  readonly input?: JsonObject | undefined;
  /** Answers of its gates, beforehand. */
  readonly answers?: JsonObject | undefined;
  /** False: no person can be asked. */
  readonly gates?: false | undefined;
}

export interface Starter {
  /** The starter, as the audit shows it: keys belong to this name. */
  readonly by: string;
  /** Whether a program starts it, and no person. */
  readonly isByProgram: boolean;
  /** The same key and request again give the same run. */
  readonly key?: { readonly name: string; readonly request: JsonValue } | undefined;
  /** The context of the caller's trace. */
  readonly trace?: TraceCarrier | undefined;
}

export interface StartedRun {
  readonly run: string;
  /** False where the key was used before. */
  readonly isNew: boolean;
}

/** Resolves once the run is stored. A refused request has not used its key up. */
export async function startRun(
  core: RunCore,
  wanted: WantedRun,
  { by, isByProgram, key, trace }: Starter,
): Promise<StartedRun> {
  const engine = await core.engine();
  if (key === undefined) return begin(core, { engine, wanted, isByProgram, trace });
  const request = createHash('sha256').update(canonicalJson(key.request)).digest('base64url');
  for (let generation = 0; ; generation++) {
    const id = keyedId(by, key.name, generation);
    const there = await existing(engine, id);
    // a run that was removed has freed its key
    if (there === 'removed') continue;
    if (there === undefined)
      return begin(core, { engine, wanted, isByProgram, trace, id, request });
    if (there.request !== request) throw reused(id);
    return { run: id, isNew: false };
  }
}

interface Beginning {
  readonly engine: Engine;
  readonly wanted: WantedRun;
  readonly isByProgram: boolean;
  readonly trace: TraceCarrier | undefined;
  readonly id?: string;
  readonly request?: string;
}

async function begin(
  core: RunCore,
  { engine, wanted, isByProgram, ...named }: Beginning,
): Promise<StartedRun> {
  const served = await core.workflows.runnable(wanted.workflow);
  const input = checkedInput(served, wanted.input ?? {});
  const answers = checkedAnswers(served.plan, wanted.answers ?? {}, isByProgram);
  let isNew = false;
  const { id: run }: RunHandle = await withRoom(core, () =>
    engine.startFile(served.path, {
      ...named,
      input,
      answers,
      keepsAnswers: true,
      ...(wanted.gates === false ? { gates: false } : {}),
      ...(core.onlyStores ? { isLeft: true } : {}),
      // the client gets the failure, and can ask again with the same key
      onOutage: 'halt',
      onCreated: () => {
        isNew = true;
      },
    }),
  );
  return { run, isNew };
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
    message: `The key belongs to run ${run}, which another request started`,
    details: { run },
  });
}
