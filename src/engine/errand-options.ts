/** The options with which an application opens an Errand and starts runs. */
import type { CredentialSource } from '../effects/model/credentials.ts';
import type { RegisteredProvider, SdkModel } from '../effects/model/model-host.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { InternalRecord } from '../errors/thrown/internal-record.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { Extension } from '../machine/ports/extension-port.ts';
import type { RunStore } from '../machine/ports/store-port.ts';
import type { Guard } from '../workflow/authoring/guard.ts';
import type { FetchOptions, WorkflowPlan } from '../workflow/plan/plan.ts';
import type { TemporalOptions } from './temporal/config.ts';

export type { CredentialRequest, CredentialSource } from '../effects/model/credentials.ts';
export type { RegisteredProvider, SdkModel } from '../effects/model/model-host.ts';

export interface ErrandOptions {
  /**
   * Runs at a Temporal server, where workers execute them (`startWorker` of `errand/temporal`). What is
   * left out comes from Temporal's own variables of the environment. Functions, tools and models that
   * are given here are only checked for; the workers have their own. Default: runs in `store`.
   */
  readonly temporal?: TemporalOptions;
  /**
   * `memory`, `sqlite:` and a path, `postgres://` and the rest of its URL, or what an extension opens.
   * Default: `sqlite:.errand/errand.db`.
   */
  readonly store?: string | RunStore;
  /** The functions that `call` nodes may call; they win over those of a workflow's module. */
  readonly functions?: Callables;
  /** The tools that `tool` nodes and agents may use; they win over those of a workflow's module. */
  readonly tools?: Callables;
  /**
   * Workflows made in code, so that their runs are found again by name after a restart: by `answer`,
   * `resume` and `adopt`. There may be several versions of one name; a run keeps its own.
   */
  readonly workflows?: readonly RunnableWorkflow[];
  /** Gives workflows the tool `http_fetch`, for these hosts. Default: there is none. */
  readonly fetch?: FetchOptions;
  /** Is asked about each call of a tool; it can deny, or ask for a person, and never allow more. */
  readonly guard?: Guard;
  /** AI SDK models by the name that workflows use, such as `house/small`. */
  readonly models?: Readonly<Record<string, SdkModel>>;
  /** AI SDK providers by name: `house` makes `house/any-model`. */
  readonly providers?: Readonly<Record<string, RegisteredProvider>>;
  /**
   * Returns a provider's key by the provider's name, when it is needed: for keys that expire. A key
   * is kept until the provider refuses it; then this is called once more with `isRefresh`, and the
   * model call repeated.
   */
  readonly credentials?: Readonly<Record<string, CredentialSource>>;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The folder that paths are relative to. Default: the folder of the process. */
  readonly directory?: string;
  /** Key values that must not be shown anywhere. */
  readonly secrets?: readonly string[];
  /** Called with internal records: they alone hold what was thrown, with stacks and host paths. */
  readonly onInternal?: (record: InternalRecord) => void;
  /** Extensions: they add tools, node types, models, stores, renderers and sinks, beside those of the files. */
  readonly extensions?: readonly Extension[];
  /** Called with problems outside the runs, such as a sink that fails. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
  /**
   * Whether to resume runs that can continue, for as long as this Errand is open: parked ones and
   * expired gates when their time has come; those of a dead process within moments on this machine,
   * and on another when their lease ends, after 30 seconds. Runs that somebody stopped are left
   * alone. Keeps the process alive until `close`. Default: false.
   */
  readonly adopt?: boolean;
}

/** Names of the options that a server takes too. A table, so that none can be forgotten. */
export const SHARED_OPTIONS: Readonly<
  Record<keyof Omit<ErrandOptions, 'temporal' | 'adopt'>, true>
> = {
  store: true,
  functions: true,
  tools: true,
  workflows: true,
  fetch: true,
  guard: true,
  models: true,
  providers: true,
  credentials: true,
  env: true,
  directory: true,
  secrets: true,
  onInternal: true,
  extensions: true,
  onWarning: true,
};

/** A workflow from a file, or one made by `workflow({…})`. */
export interface RunnableWorkflow {
  readonly plan: WorkflowPlan;
  readonly file?: string;
  /** Values of the file that must not be shown anywhere. */
  readonly secrets?: readonly string[];
  /** A function may declare its parameters more exactly; it always gets JSON. */
  readonly functions?: Readonly<Record<string, (input: never, context: never) => unknown>>;
}
