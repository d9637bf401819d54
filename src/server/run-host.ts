/**
 * The host of served runs: one engine, opened when it is first needed, the core over it, and its
 * work besides requests. The servers for HTTP and for MCP both use it.
 */
import { resolve } from 'node:path';
import { MACHINE_CLOCK } from '../effects/clock.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { openEngine, type Engine } from '../engine/errand.ts';
import type { Progress } from '../engine/run/running-effects.ts';
import { createRedactor } from '../errors/redaction/redact.ts';
import { renderLine } from '../errors/render/line.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { unavailable } from '../stores/store-failure.ts';
import { createTelemetry, telemetryFault } from '../telemetry/telemetry.ts';
import { beginCarryOn, type CarryOn, type CarryOnOptions } from './begin-carry-on.ts';
import type { RunCore } from './core.ts';
import type { HostedServerOptions } from './server-options.ts';
import { AllChanges } from './runs/all-changes.ts';
import { Metrics } from './runs/server-metrics.ts';
import { RunFolds } from './runs/run-folds.ts';
import { RunReader } from './runs/run-reader.ts';
import { Chunks } from './stream/chunks.ts';
import { LogPages } from './stream/log-pages.ts';
import { OpenStreams } from './stream/open-streams.ts';
import { ServedWorkflows } from './workflows/served-workflows.ts';
import { WorkflowFiles } from './workflows/workflow-files.ts';

/** Effects under way have that long to end when a server stops. */
const GRACE_MS = 8000;

export interface RunHostOptions extends HostedServerOptions {
  /** Prefix of every path, which is checked. Default: none. */
  readonly base?: string;
  /** Secrets of the interface itself, which no script and no answer gets. Default: none. */
  readonly ownSecrets?: readonly string[];
  readonly webhooks?: CarryOnOptions['webhooks'];
}

export class RunHost {
  readonly core: RunCore;
  readonly #options: RunHostOptions;
  #opening: Promise<Engine> | undefined;
  #carryOn: CarryOn | undefined;
  #closing: Promise<void> | undefined;

  /** Throws `validation.input` for a named file that is not there. */
  constructor(options: RunHostOptions) {
    this.#options = options;
    const { env = process.env, clock = MACHINE_CLOCK, base = '', allowEdit = false } = options;
    const directory = resolve(options.directory ?? '.');
    const engine = (): Promise<Engine> => this.#engine();
    const folds = new RunFolds(engine);
    const files = new WorkflowFiles(directory, options.files ?? [], () => clock.now());
    this.core = {
      engine,
      reader: new RunReader({ engine, clock, folds }),
      folds,
      workflows: new ServedWorkflows({ files, base: directory, engine }),
      streams: new OpenStreams(),
      chunks: new Chunks(),
      pages: new LogPages(engine, base),
      changes: new AllChanges({ engine, clock }),
      metrics: new Metrics(),
      clock,
      redactor: createRedactor([
        ...keyValuesIn(env),
        ...(options.secrets ?? []),
        ...(options.ownSecrets ?? []),
      ]),
      base,
      directory,
      allowEdit,
      lastRehearsal: options.lastRehearsal ?? (() => undefined),
      onlyStores: options.carryOn === false,
      carryOn: () => this.#carryOn,
    };
  }

  /** Passes on the text of a model that another engine of this process calls. */
  noteProgress(progress: Progress): void {
    this.core.chunks.note(progress);
  }

  /** Opens the store, and begins to continue runs. Rejects with `store.*`. */
  async open(): Promise<void> {
    await this.#engine();
  }

  /** Ends streams and waits: clients that wait for a run get it as it is. */
  stop(): void {
    this.core.streams.stop();
    this.core.reader.changes.wakeAll();
  }

  /** Stops, gives effects time to end, and leaves every run resumable. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.stop();
    const engine = await this.#opening?.catch(() => undefined);
    await this.#carryOn?.stop({ graceMs: GRACE_MS });
    await engine?.close();
  }

  /** A store that is away may be back at the next request; a closed one is not opened again. */
  async #engine(): Promise<Engine> {
    if (this.#opening === undefined && this.#closing !== undefined) throw unavailable('closed');
    this.#opening ??= this.#open().catch((thrown: unknown) => {
      this.#opening = undefined;
      throw thrown;
    });
    return this.#opening;
  }

  async #open(): Promise<Engine> {
    const { onWarning = this.#warn, carryOn = true, readOnly = false } = this.#options;
    const engine = await this.#newEngine(onWarning);
    try {
      await engine.open();
      if (carryOn && !readOnly)
        this.#carryOn = await beginCarryOn(engine, {
          workflows: this.core.workflows,
          maxRuns: this.#options.maxRuns ?? Infinity,
          clock: this.core.clock,
          webhooks: this.#options.webhooks ?? { addresses: [], secrets: [] },
          onWarning,
        });
      return engine;
    } catch (thrown) {
      await engine.extensions.stop();
      throw thrown;
    }
  }

  #newEngine(onWarning: (error: ErrorReport) => void): Promise<Engine> {
    const { engine: own = {}, secrets = [], ownSecrets = [] } = this.#options;
    const { store, env, functions, tools, workflows, fetch, guard, models } = this.#options;
    const { providers, credentials, onInternal, extensions } = this.#options;
    const { reader, chunks, changes, metrics, directory } = this.core;
    return openEngine({
      ...definedOnly({ store, env, functions, tools, workflows, fetch, guard, models, providers }),
      ...definedOnly({ credentials, onInternal, extensions }),
      directory,
      secrets: [...secrets, ...ownSecrets],
      onWarning,
      telemetry: createTelemetry({
        env: env ?? process.env,
        directory,
        onFault: (thrown) => onWarning(telemetryFault(thrown)),
      }),
      ...own,
      onEvent: (event) => {
        chunks.noteEvent(event);
        reader.note(event);
        changes.note(event);
        metrics.note(event);
        this.#carryOn?.note(event);
        this.#options.onEvent?.(event, async () => (await this.#engine()).events(event.run));
      },
      onProgress: (progress) => chunks.note(progress),
      onStoreCall: (seconds) => metrics.noteStore(seconds),
      keepsViews: true,
    });
  }

  readonly #warn = (error: ErrorReport): void => {
    this.#options.onLog?.(renderLine(error));
  };
}

/** Options that are left out stay out. */
function definedOnly<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // the keys that are left have values
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
