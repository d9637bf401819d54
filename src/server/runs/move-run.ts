/** Moves of a run: resume, answer, cancel. For HTTP and for MCP. */
import { sleep } from '../../effects/clock.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { OpenQuestion } from '../../history/open-questions.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { withRoom, type RunCore } from '../core.ts';
import { driftFrom } from './file-drift.ts';
import { isResting } from './run-reader.ts';

/** How long an answer or a cancellation may take to be stored. */
const STORED_MS = 5000;
/** How long the end of a cancelled run may take to be seen once it is stored. */
const SETTLE_MS = 1000;

export interface Resumption {
  /** The node that it runs again from. */
  readonly from?: string | undefined;
  readonly input?: JsonObject | undefined;
  readonly now?: boolean | undefined;
  readonly acceptDrift?: boolean | undefined;
  readonly gates?: false | undefined;
  /** The context of the caller's trace. */
  readonly trace?: TraceCarrier | undefined;
}

/** Resolves once the resumption is stored. Rejects as the engine does, and where the workflow is not served. */
export async function resumeRun(
  core: RunCore,
  run: string,
  { by, from, input, now, acceptDrift, gates, trace }: Resumption & { readonly by: string },
): Promise<void> {
  const { workflow } = await core.reader.summary(run);
  const served = await core.workflows.find(workflow);
  if (served === undefined) throw notServed(workflow);
  const engine = await core.engine();
  const seq = (await engine.record(run)).head.nextSeq - 1;
  try {
    await withRoom(core, () =>
      engine.resume(run, {
        by,
        file: served.path,
        trace,
        ...(from === undefined ? {} : { from }),
        ...(now === undefined ? {} : { now }),
        ...(acceptDrift === undefined ? {} : { acceptDrift }),
        ...(gates === false ? { gates } : {}),
        ...(core.onlyStores ? { isLeft: true } : {}),
        ...(input === undefined ? {} : { input }),
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
}

/** The refusal of a drifted run lists what has changed. */
async function withChanges(core: RunCore, run: string, refusal: unknown): Promise<unknown> {
  if (!isKind(refusal, 'run.drifted') || !(refusal instanceof ErrandError)) return refusal;
  const folded = await core.folds.of(run);
  const { plan, secrets = [] } = (await core.workflows.find(folded.record.workflow)) ?? {};
  const { changed } =
    plan === undefined ? { changed: [] } : await driftFrom(core, folded, { plan, secrets });
  const { kind, message, details, action } = refusal.report;
  return new ErrandError(
    // changes are plain JSON
    { kind, message, details: { ...details, changed: changed as unknown as JsonValue }, action },
    { cause: refusal },
  );
}

export interface GateAnswer {
  /** By its own name, its path or its node. Default: the one that is open. */
  readonly gate?: string | undefined;
  readonly value: JsonValue;
  readonly by: string;
  /** The event that opened it. Default: its present opening. */
  readonly opening?: number | undefined;
  /** Whether a program answers, and no person. */
  readonly isByProgram: boolean;
  /** The context of the caller's trace. */
  readonly trace?: TraceCarrier | undefined;
}

/** The answer as it is stored; or the name of the gate, if another process has yet to store it. */
export type AnsweredGate =
  | { readonly stored: Extract<RunEvent, { type: 'gate:answered' }> }
  | { readonly stored?: undefined; readonly gate: string | undefined };

export async function answerGate(
  core: RunCore,
  run: string,
  { trace, ...given }: GateAnswer,
): Promise<AnsweredGate> {
  const engine = await core.engine();
  const summary = await core.reader.summary(run);
  const { workflow, status } = summary;
  const seq = (await engine.record(run)).head.nextSeq - 1;
  const served = await core.workflows.find(workflow);
  // the answer continues a resting run, and only where its workflow is
  const isLeft = isResting(status) && (served === undefined || core.carryOn()?.hasRoom() !== true);
  if (isLeft) return { gate: await engine.leaveAnswer(run, given) };
  const { questions } = await core.reader.digest(summary);
  const file = served === undefined ? {} : { file: served.path };
  const answered = engine.answer(run, given, { ...file, trace });
  // a store that is away holds it up, and the client need not wait for that
  await Promise.race([answered, sleep(core.clock, STORED_MS)]);
  answered.catch(() => {
    // too late to refuse: the gate is still open
  });
  const stored = await core.reader.eventAfter(run, seq, {
    fits: (event) => isAnswer(event, given),
    waitMs: STORED_MS,
  });
  if (stored?.type === 'gate:answered') return { stored };
  return { gate: questions.find((each) => isNamed(each, given.gate))?.gate };
}

function isAnswer(event: RunEvent, { gate, by }: GateAnswer): boolean {
  return event.type === 'gate:answered' && event.by === by && isNamed(event, gate);
}

function isNamed(
  { gate, path, node }: Pick<OpenQuestion, 'gate' | 'path' | 'node'>,
  name: string | undefined,
): boolean {
  return name === undefined || [gate, path, node].includes(name);
}

/** Resolves when the cancellation is stored, or takes too long: the run then shows its result. */
export async function cancelRun(
  core: RunCore,
  run: string,
  { by, reason }: { readonly by: string; readonly reason?: string | undefined },
): Promise<void> {
  const engine = await core.engine();
  const { status } = await core.reader.summary(run);
  if (status === 'cancelled') return;
  const seq = (await engine.record(run)).head.nextSeq - 1;
  const requested = engine.requestCancel(run, by, reason === undefined ? {} : { reason });
  // effects are stopped first, and the client need not wait for the last of them
  await Promise.race([requested, sleep(core.clock, STORED_MS)]);
  requested.catch(() => {
    // too late to refuse: the run itself shows its result
  });
  await core.reader.eventAfter(run, seq, {
    fits: ({ type }) => type === 'run:cancelled',
    waitMs: SETTLE_MS,
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
