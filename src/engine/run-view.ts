/** A run as it is shown to people and programs: its status, its output, and what it cost. */
import { relative, resolve } from 'node:path';
import { isPlainObject, type JsonValue } from '../errors/support/safe-json.ts';
import { forPerson, type PersonReport } from '../errors/report/audiences.ts';
import {
  namedUnknownOutcomes,
  type NamedUnknownOutcome,
} from '../machine/policy/unknown-outcome.ts';
import type { RunEvent, Waiting } from '../machine/state/events.ts';
import type { RunState } from '../machine/state/state.ts';
import { costsOf, type Costs } from '../history/cost-ledger.ts';
import { nodeTimelines, type NodeTimeline } from '../history/node-timeline.ts';
import type { RunRecord, RunStatusName } from '../machine/ports/store-port.ts';
import { IN_CODE } from '../workflow/plan/plan.ts';
import { foldRun } from './run/recover.ts';

export interface RunView {
  readonly run: string;
  readonly workflow: string;
  /** Seen from the current folder; `code:NAME` for a workflow made in code. */
  readonly file: string | null;
  readonly status: RunStatusName;
  /** As it is now: what a resumption replaced is part of it. */
  readonly input: JsonValue;
  readonly output?: JsonValue;
  readonly error?: PersonReport;
  readonly waiting?: Waiting;
  /** Effects that may have happened: whatever leads back to one of them asks first. */
  readonly in_doubt: readonly NamedUnknownOutcome[];
  readonly nodes: readonly NodeTimeline[];
  readonly costs: Costs;
}

export interface ViewedRun {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  /** A run whose process is gone says `running` in the store and is not. */
  readonly status: RunStatusName;
  /** The folder that the path of the file is relative to. */
  readonly directory: string;
  /** The state that the events fold into, where the caller has it. */
  readonly state?: RunState;
}

export function runView(viewed: ViewedRun): RunView {
  const { record, events, status, directory } = viewed;
  const { state = foldRun(record, events) } = viewed;
  const { run, workflow, waiting } = record;
  const last = events.at(-1);
  return {
    run,
    workflow,
    file: shownFile(record.file, directory),
    status,
    input: inputOf(record.input, events),
    ...outputOf(last),
    ...(last?.type === 'run:failed' ? { error: forPerson(last.error) } : {}),
    ...(status === 'paused' && waiting !== undefined ? { waiting } : {}),
    in_doubt: namedUnknownOutcomes(state),
    nodes: nodeTimelines(events),
    costs: costsOf(events),
  };
}

/** Relative to the folder of the caller, so that no path of the machine is shown. */
export function shownFile(file: string | null, directory: string): string | null {
  if (file === null || file.startsWith(IN_CODE)) return file;
  return relative(directory, resolve(directory, file)) || file;
}

function inputOf(started: JsonValue, events: readonly RunEvent[]): JsonValue {
  const replaced = events.flatMap((event) =>
    event.type === 'run:resumed' && event.input !== undefined ? [event.input] : [],
  );
  const whole = isPlainObject(started) ? started : {};
  return replaced.length === 0
    ? started
    : replaced.reduce((input, change) => ({ ...input, ...change }), whole);
}

/** A failed termination has an output too. */
function outputOf(last: RunEvent | undefined): { readonly output?: JsonValue } {
  if (last?.type !== 'run:completed' && last?.type !== 'run:failed') return {};
  return last.output === undefined ? {} : { output: last.output };
}
