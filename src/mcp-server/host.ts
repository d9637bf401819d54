/** The runs behind an MCP server, as the host provides them. Types only. */
import type { RunView } from '../engine/shown-run.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { Attention } from '../history/attention.ts';
import type { FailureHistory } from '../history/failure-history.ts';
import type { NextMove } from '../history/next-moves.ts';
import type { OpenQuestion } from '../history/open-questions.ts';
import type { RunRow } from '../history/run-row.ts';
import type { RunStatusName } from '../machine/ports/store-port.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';

/** Every method rejects with an error of the catalog, the same as on every surface. */
export interface McpHost {
  /** Lists each name once, from the current files. */
  workflows(): Promise<readonly McpWorkflow[]>;
  /** Resolves to the id of the run, once it is stored. */
  start(wanted: WantedRun): Promise<string>;
  /** Resolves when the run has ended or paused, after that time, or when the signal is aborted. */
  waitWhileRunning(run: string, waitMs: number, signal: AbortSignal): Promise<void>;
  read(run: string): Promise<ReadRun>;
  value(run: string, wanted: WantedValue): Promise<JsonValue>;
  list(query: ListQuery): Promise<{ readonly runs: readonly RunRow[] }>;
  /** Resolves to false if no process has taken the answer within that time. */
  answer(run: string, answer: GivenAnswer, waitMs: number): Promise<boolean>;
  resume(run: string, how: Resumption): Promise<void>;
  cancel(run: string, how: { readonly by: string; readonly reason?: string }): Promise<void>;
  explainRun(run: string): Promise<ExplainedRun>;
  /** The row of the catalog. */
  explainKind(kind: string): object;
  validate(workflow: string, text?: string): Promise<WorkflowVerdict>;
  /** The report of any value that a call threw, without secrets. */
  report(thrown: unknown): ErrorReport;
  /** The key that signs the states of calls: the same at every server on the store. */
  stateKey(): Promise<string>;
  now(): number;
  /** Calls back once after that time, unless the returned function was called before. */
  after(ms: number, fire: () => void): () => void;
  /** Aborted when the server stops: open calls then return what is known. */
  readonly over: AbortSignal;
}

export interface McpWorkflow {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its inputs; null if the file cannot run. */
  readonly input: JsonObject | null;
}

export interface WantedRun {
  readonly workflow: string;
  readonly input: JsonObject;
  readonly by: string;
  /** The same key and request again give the same run. */
  readonly key?: string;
  /** The context of the caller's trace. */
  readonly trace?: TraceCarrier | undefined;
}

export interface ReadRun {
  readonly view: RunView;
  readonly status: RunStatusName;
  readonly nextMoves: readonly NextMove[];
  readonly questions: readonly OpenQuestion[];
}

export interface WantedValue {
  readonly of: 'input' | 'output';
  /** The path of a node. Default: the run itself. */
  readonly path?: string;
}

export interface ListQuery {
  readonly attention?: readonly Attention[];
  readonly status?: readonly RunStatusName[];
  readonly workflow?: string;
  readonly limit?: number;
}

export interface GivenAnswer {
  readonly gate?: string;
  readonly opening?: number;
  readonly value: JsonValue;
  readonly by: string;
  /** Whether the agent answers, rather than a person. */
  readonly isByProgram: boolean;
  readonly trace?: TraceCarrier | undefined;
}

export interface Resumption {
  readonly by: string;
  readonly from?: string;
  readonly input?: JsonObject;
  readonly now?: boolean;
  readonly acceptDrift?: boolean;
  readonly trace?: TraceCarrier | undefined;
}

export interface ExplainedRun {
  readonly run: string;
  readonly error: unknown;
  readonly life: readonly FailureHistory[];
}
