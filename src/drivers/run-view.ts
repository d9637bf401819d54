/** A run as it is shown to people and programs: how it stands, what it gave, and what it cost. */
import { relative } from 'node:path';
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import { forPerson, type PersonReport } from '../errors/project.ts';
import { namedDoubts, type NamedDoubt } from '../machine/doubt.ts';
import type { RunEvent, Waiting } from '../machine/events.ts';
import { costsOf, type Costs } from '../machine/ledger.ts';
import { nodesOf, type NodeHistory } from '../machine/node-history.ts';
import type { RunRecord, StandingStatus } from '../machine/store-port.ts';
import { IN_CODE } from '../workflow/model.ts';
import { foldRun } from './recover.ts';

export interface RunView {
  readonly run: string;
  readonly workflow: string;
  /** Seen from the current folder; `code:NAME` for a workflow made in code. */
  readonly file: string | null;
  readonly status: StandingStatus;
  /** As it is now: what a resumption replaced is part of it. */
  readonly input: JsonValue;
  readonly output?: JsonValue;
  readonly error?: PersonReport;
  readonly waiting?: Waiting;
  /** Effects that may have happened: whatever leads back to one of them asks first. */
  readonly in_doubt: readonly NamedDoubt[];
  readonly nodes: readonly NodeHistory[];
  readonly costs: Costs;
}

export interface ViewedRun {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  /** A run whose process is gone says `running` in the store and is not. */
  readonly status: StandingStatus;
  /** What the file is seen from. */
  readonly directory: string;
}

export function runView({ record, events, status, directory }: ViewedRun): RunView {
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
    in_doubt: namedDoubts(foldRun(record, events)),
    nodes: nodesOf(events),
    costs: costsOf(events),
  };
}

/** Where it lies on this machine is nobody's business but the person's who stands beside it. */
function shownFile(file: string | null, directory: string): string | null {
  if (file === null || file.startsWith(IN_CODE)) return file;
  return relative(directory, file) || file;
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
