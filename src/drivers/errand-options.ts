/** What an application opens an Errand with, and what it runs there. */
import type { FetchOptions } from '../effects/fetch/fetch-options.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { InternalRecord } from '../errors/internal-record.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { Extension } from '../machine/extension-port.ts';
import type { RunStore } from '../machine/store-port.ts';
import type { Guard } from '../workflow/guard.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { EffectHost } from './effect-runner.ts';

export interface ErrandOptions {
  /**
   * `memory`, `sqlite:` and a path, `postgres://` and the rest of its URL, or what an extension opens.
   * Default: `sqlite:.errand/errand.db`.
   */
  readonly store?: string | RunStore;
  /** What `call` nodes may call, before those of a workflow's module. */
  readonly functions?: Callables;
  /** What `tool` nodes and agents may use, before those of a workflow's module. */
  readonly tools?: Callables;
  /**
   * Workflows made in code, so that their runs are found again by name after a restart: by `signal`,
   * `resume` and `adopt`. Several versions of one name may be given; a run goes on with its own.
   */
  readonly workflows?: readonly RunnableWorkflow[];
  /** Gives workflows the tool `http_fetch`, for these hosts. Default: there is none. */
  readonly fetch?: FetchOptions;
  /** Is asked about each call of a tool; it can deny, or ask for a person, and never allow more. */
  readonly guard?: Guard;
  /** AI SDK models by the name that workflows use, such as `house/small`. */
  readonly models?: NonNullable<EffectHost['models']>;
  /** AI SDK providers by name: `house` makes `house/any-model`. */
  readonly providers?: NonNullable<EffectHost['providers']>;
  /**
   * Gives the key of a provider when it is needed, by its name: for keys that expire. It is kept until
   * the provider refuses it; then it is asked for once more with `isRefresh`, and the call made again.
   */
  readonly credentials?: NonNullable<EffectHost['credentials']>;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What paths are relative to. Default: the folder of the process. */
  readonly directory?: string;
  /** Key values that must not be shown anywhere. */
  readonly secrets?: readonly string[];
  /** Keeps what only the internal record may hold: what was thrown, with stacks and host paths. */
  readonly onInternal?: (record: InternalRecord) => void;
  /** What adds tools, node types, models, stores, renderers and sinks; those of files come to them. */
  readonly extensions?: readonly Extension[];
  /** Hears what is wrong beside the runs, such as a sink that fails. Default: a warning of the process. */
  readonly onWarning?: (error: ErrorReport) => void;
  /**
   * Whether runs whose process is gone are taken over, for as long as this Errand is open: those of
   * this machine within moments, those of another when their lease is over, after 30 seconds. It keeps
   * the process alive until `close`. Default: false.
   */
  readonly adopt?: boolean;
}

/** A workflow from a file, or one made by `workflow({…})`. */
export interface RunnableWorkflow {
  readonly plan: WorkflowPlan;
  readonly file?: string;
  /** Values of the file that must not be shown anywhere. */
  readonly secrets?: readonly string[];
  /** A function may say more exactly what it takes; what it is given is JSON. */
  readonly functions?: Readonly<Record<string, (input: never, context: never) => unknown>>;
}
