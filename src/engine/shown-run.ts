/** A run as it is shown to people and programs: its status, its output, and what it cost. */
import { relative, resolve } from 'node:path';
import type { JsonValue } from '../errors/support/safe-json.ts';
import type { PersonReport } from '../errors/report/audiences.ts';
import {
  namedUnknownOutcomes,
  type NamedUnknownOutcome,
} from '../machine/policy/unknown-outcome.ts';
import type { RunEvent, Waiting } from '../machine/state/events.ts';
import { ledgerOf, type Costs } from '../history/cost-ledger.ts';
import { nodeTimelines, type NodeTimeline } from '../history/node-timeline.ts';
import { beginView, foldView } from '../history/run-view.ts';
import { eventForPerson } from '../history/run-view/event-for-person.ts';
import type { RunView as FoldedView } from '../history/run-view/view.ts';
import type { RunRecord, RunStatusName } from '../machine/ports/store-port.ts';
import { IN_CODE } from '../workflow/plan/plan.ts';
import { foldRun } from './run/recover.ts';
import { planFrom } from './run/plan-text.ts';

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
  /** Leads to the trace of its latest leg, where there is one. */
  readonly traceparent?: string;
}

export interface ViewedRun {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  /** A run whose process is gone says `running` in the store and is not. */
  readonly status: RunStatusName;
  /** The folder that the path of the file is relative to. */
  readonly directory: string;
}

export function runView(viewed: ViewedRun): RunView {
  const { record, events } = viewed;
  const inDoubt = namedUnknownOutcomes(foldRun(record, events));
  return shownView(foldedView(record, events), { ...viewed, inDoubt });
}

/** The view of a run from its log. */
export function foldedView(record: RunRecord, events: Iterable<RunEvent>): FoldedView {
  return foldView(newView(record), forPeople(events));
}

/** The view of a run before its first event. */
export function newView({ run, workflow, startedAt, input, plan }: RunRecord): FoldedView {
  const { budgetUsdMicros, budgetTokens } = planFrom(plan).limits;
  const budget = {
    ...(budgetUsdMicros === undefined ? {} : { usdMicros: budgetUsdMicros }),
    ...(budgetTokens === undefined ? {} : { tokens: budgetTokens }),
  };
  return beginView({ run, workflow, startedAt, input, budget });
}

function* forPeople(events: Iterable<RunEvent>): Iterable<RunEvent> {
  for (const event of events) yield eventForPerson(event);
}

/** The part of it that commands and programs get. */
export function shownView(
  view: FoldedView,
  { record, status, directory, inDoubt }: Shown,
): RunView {
  const { run, workflow, waiting } = record;
  const { output, error, traceparent } = view;
  return {
    run,
    workflow,
    file: shownFile(record.file, directory),
    status,
    input: view.input,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(status === 'paused' && waiting !== undefined ? { waiting } : {}),
    in_doubt: inDoubt,
    nodes: nodeTimelines(view),
    costs: ledgerOf(view.costs),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

interface Shown extends Pick<ViewedRun, 'record' | 'status' | 'directory'> {
  readonly inDoubt: readonly NamedUnknownOutcome[];
}

/** Relative to the folder of the caller, so that no path of the machine is shown. */
export function shownFile(file: string | null, directory: string): string | null {
  if (file === null || file.startsWith(IN_CODE)) return file;
  return relative(directory, resolve(directory, file)) || file;
}
