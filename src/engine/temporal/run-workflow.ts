/**
 * The Temporal workflow that executes a run. It runs in Temporal's sandbox and holds nothing but the
 * machine: what it does in the world are activities, what it waits for are timers and updates, and a
 * replay comes to the same. Whatever is thrown in it ends the run typed, and never loops.
 */
import {
  CancellationScope,
  ContinueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { isArray, type JsonValue } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { answerEvent, type Answer } from '../../machine/gates/gate-answer.ts';
import type { Snapshot } from '../../machine/state/snapshot.ts';
import { checkResume, type ResumeRequest } from '../run/resume.ts';
import { RunExecution } from './execution.ts';
import { arrivedReport } from './temporal-failure.ts';
import {
  CANCELLED_BY,
  QUERIES,
  STATE_ACTIVITY,
  UPDATES,
  type EventsPage,
  type LegSettings,
  type RunFacts,
  type RunInput,
  type StateTask,
  type TextPart,
} from './messages.ts';
import { alreadyActive, refused, runFailed } from './refusals.ts';
import { readParts, StateParts } from './sizes/text-parts.ts';

const eventsQuery = defineQuery<EventsPage, [number, number?]>(QUERIES.events);
const recordQuery = defineQuery<RunFacts, []>(QUERIES.record);
const stateQuery = defineQuery<TextPart, [number, number?]>(QUERIES.state);
const cancelledBy = defineSignal<[string]>(CANCELLED_BY);
const resumeUpdate = defineUpdate<number, [ResumeRequest, LegSettings]>(UPDATES.resume);
const answerUpdate = defineUpdate<number, [Answer, ResumeRequest, LegSettings]>(UPDATES.answer);

export async function errandRun(input: RunInput): Promise<JsonValue> {
  let by = 'temporal';
  setHandler(cancelledBy, (name) => {
    by = name;
  });
  // awaits nothing where there is nothing to read: an execution must answer from its first moment on
  const isWhole = input.snapshot !== undefined || input.before === undefined;
  const snapshot = isWhole ? input.snapshot : await snapshotBefore(input);
  const execution = typed(() => new RunExecution(input, snapshot));
  listen(execution);
  CancellationScope.current().cancelRequested.catch(() => execution.cancel(by));
  try {
    return await CancellationScope.nonCancellable(() => execution.run());
  } catch (thrown) {
    throw isSaid(thrown) ? thrown : runFailed(toReport(thrown));
  }
}

interface Activities {
  readonly [STATE_ACTIVITY]: (task: StateTask) => Promise<TextPart>;
}

/** Repeated until a worker answers; ends only when the execution is gone. */
async function snapshotBefore({ identity: { run }, before }: RunInput): Promise<Snapshot> {
  const activities = proxyActivities<Activities>({
    startToCloseTimeout: READ_MS,
    summary: 'what the run knows',
  });
  const execution = before?.execution ?? '';
  try {
    const text = await CancellationScope.nonCancellable(() =>
      readParts((part, seq) => activities[STATE_ACTIVITY]({ run, execution, part, seq })),
    );
    // written by `StateParts`
    return JSON.parse(text) as Snapshot;
  } catch (thrown) {
    throw refused(arrivedReport(thrown)?.report ?? thrown);
  }
}

const READ_MS = 120_000;

/** Each returns the number of the first event that follows from it. */
function listen(execution: RunExecution): void {
  const { state, log } = execution;
  setHandler(eventsQuery, (fromSeq, part?: number) => log.page(fromSeq, part));
  setHandler(recordQuery, () => log.facts());
  const parts = new StateParts(state);
  setHandler(stateQuery, (part, seq?: number) => parts.part(part, seq));
  setHandler(
    resumeUpdate,
    (how, leg) =>
      typed(() => {
        execution.resume(how, leg);
        return state.seq + 1;
      }),
    {
      validator: (how) =>
        typed(() => {
          if (state.status !== 'paused' || execution.isOpening) throw alreadyActive(state.run);
          checkResume(state, how, Date.now());
        }),
    },
  );
  setHandler(
    answerUpdate,
    (answer, how, leg) =>
      typed(() => {
        execution.answer(answer, how, leg);
        return state.seq + 1;
      }),
    {
      validator: (answer, how) =>
        typed(() => {
          // it would be lost: the client sends it again
          if (execution.isOpening) throw alreadyActive(state.run);
          if (state.status === 'paused') checkResume(state, { ...how, answer }, Date.now());
          else answerEvent(state, answer, Date.now());
        }),
    },
  );
}

/** An error here would make Temporal retry the same task for ever. */
function typed<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw refused(thrown);
  }
}

/** Temporal's own ways to end an execution, and ours. */
function isSaid(thrown: unknown): boolean {
  if (thrown instanceof ContinueAsNew) return true;
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'CancelledFailure' || ('details' in thrown && isArray(thrown.details));
}
