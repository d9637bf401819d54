/** A worker: executes the runs of one task queue on this machine until it is stopped. */
import { MACHINE_CLOCK } from '../../effects/clock.ts';
import type { InternalRecord } from '../../errors/thrown/internal-record.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import type { Extension } from '../../machine/ports/extension-port.ts';
import { Breakers } from '../run/breakers.ts';
import type { EffectHost } from '../run/effect-runner.ts';
import { Extensions } from '../loading/extensions.ts';
import { createEffectActivity } from './activities.ts';
import { DATA_CONVERTER } from './codec.ts';
import {
  connectionOptions,
  connectTemporal,
  ensureAttributes,
  unreachable,
  type TemporalConnection,
} from './connect.ts';
import { toTemporalFailure } from './temporal-failure.ts';
import {
  ACTIVITY_TYPE,
  LEG_ACTIVITY,
  STATE_ACTIVITY,
  type EffectTask,
  type StateTask,
  type TextPart,
} from './messages.ts';
import { connectionSecrets, type TemporalConfig } from './config.ts';
import type { TelemetryPort } from '../run/telemetry-port.ts';
import type { LegMessage, LegSink } from './legs/leg-messages.ts';
import { RunQueries } from './run-queries.ts';
import { askTemporal } from './still-awaited.ts';
import {
  loadActivityModule,
  loadWorkerModule,
  quietLogger,
  type ActivityModule,
  type Logger,
  type Worker,
  type WorkerModule,
  type WorkerSink,
} from './temporal-sdk.ts';
import { workflowBundle } from './workflow-bundle.ts';
import { LEG_SINK } from './legs/leg-sink-name.ts';
import { WatchedLegs, type LegListener } from './legs/watched-legs.ts';

export interface ErrandWorkerOptions extends Omit<
  EffectHost,
  'directory' | 'base' | 'functions' | 'extensions'
> {
  readonly config: TemporalConfig;
  /** Beside those that the workflow files name. */
  readonly extensions?: readonly Extension[];
  /** Paths of modules that export more of them. */
  readonly extensionModules?: readonly string[];
  /** Folder of workflow files, modules and scripts on this machine. */
  readonly base: string;
  readonly functions?: EffectHost['functions'];
  readonly secrets?: readonly string[];
  /** Effects at one time. Default: 100. */
  readonly concurrency?: number;
  /** How long running effects may take to end when the worker is stopped. Default: 30 s. */
  readonly drainMs?: number;
  /** How long a run waits for the worker that had it last. Default: 5 s. */
  readonly stickyMs?: number;
  /** Called with failures that belong to no run. */
  readonly onWarning?: (text: string) => void;
  readonly onInternal?: (record: InternalRecord) => void;
  /** A file that keeps the bundle of the workflow, made when it is not there. Default: one with Temporal's packages. */
  readonly bundleFile?: string;
}

export interface WatchedWorkerOptions extends ErrandWorkerOptions {
  /** Called with each secret that a task brings. */
  readonly onSecret?: (secret: string) => void;
  /** Called with each event of its runs, without inputs and outputs. */
  readonly onEvent?: LegListener;
  /** Watches the legs of its runs. Default: nobody does. */
  readonly telemetry?: TelemetryPort | undefined;
}

export interface ErrandWorker {
  /** Fulfilled when it has stopped. */
  readonly stopped: Promise<void>;
  /** Whether the namespace has the search attributes that Errand sets. */
  readonly hasAttributes: boolean;
  /** Takes nothing new and waits for effects; the outcome of those that do not end is unknown. */
  stop(): Promise<void>;
}

const DEFAULTS = { concurrency: 100, drainMs: 30_000, stickyMs: 5000 };
/** How soon an effect is aborted that is no longer wanted. */
const HEARTBEAT_THROTTLE_MS = 500;
/** For effects to stop what they started, after their time to end. */
const STOP_MS = 10_000;

/** Starts a worker for runs on Temporal. Rejects with `extension.*` or `store.unavailable`. */
export async function startWorker(options: WatchedWorkerOptions): Promise<ErrandWorker> {
  const { base, onWarning = () => undefined } = options;
  const extensions = new Extensions({
    registered: options.extensions ?? [],
    base,
    onWarning: ({ message }) => onWarning(message),
  });
  await extensions.load(options.extensionModules ?? []);
  await extensions.start();
  let temporal: TemporalConnection | undefined;
  const close = async (): Promise<void> => {
    await extensions.stop();
    await temporal?.close();
  };
  try {
    // the client's connection fails at once and with a clearer error than a worker's
    temporal = await connectTemporal(options.config);
    return await startWith({ extensions, temporal, close }, options);
  } catch (failure) {
    await close();
    throw failure;
  }
}

interface Around {
  readonly extensions: Extensions;
  readonly temporal: TemporalConnection;
  /** Closes both connections. */
  readonly close: () => Promise<void>;
}

async function startWith(
  { extensions, temporal, close }: Around,
  options: WatchedWorkerOptions,
): Promise<ErrandWorker> {
  const { config, bundleFile: file, onWarning = () => undefined } = options;
  const sdk = loadWorkerModule(config.directory);
  const logger = quietLogger(onWarning);
  installRuntime(sdk, logger);
  const attributes = await ensureAttributes(temporal.connection, config.namespace);
  const queries = new RunQueries(config, temporal, READ_STATE_MS);
  const breakers = ownBreakers(onWarning);
  const activities = loadActivityModule(config.directory);
  const legs = new WatchedLegs(options.telemetry, options.onEvent);
  const activity = createEffectActivity(
    {
      functions: {},
      ...options,
      secrets: [...(options.secrets ?? []), ...connectionSecrets(config)],
      extensions,
      breakers,
      awaited: { ask: askTemporal(temporal, config), now: Date.now },
      legs,
    },
    activities,
  );
  const connection = await nativeConnection(sdk, config);
  const worker = await sdk.Worker.create({
    connection,
    namespace: config.namespace,
    taskQueue: config.taskQueue,
    workflowBundle: await workflowBundle({ directory: config.directory, file, sdk, logger }),
    activities: {
      [ACTIVITY_TYPE]: (task: EffectTask) => activity.run(task),
      [STATE_ACTIVITY]: (task: StateTask) => readState(task, queries, activities),
      [LEG_ACTIVITY]: (leg: LegMessage) => Promise.resolve(legs.open(leg) ?? null),
    },
    sinks: { [LEG_SINK]: legSink(legs) },
    dataConverter: DATA_CONVERTER,
    maxConcurrentActivityTaskExecutions: options.concurrency ?? DEFAULTS.concurrency,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE_MS,
    stickyQueueScheduleToStartTimeout: options.stickyMs ?? DEFAULTS.stickyMs,
    shutdownGraceTime: options.drainMs ?? DEFAULTS.drainMs,
    shutdownForceTime: (options.drainMs ?? DEFAULTS.drainMs) + STOP_MS,
  });
  const stopped = runToEnd(worker, onWarning, async () => {
    await activity.close();
    legs.close();
    await connection.close();
    await close();
  });
  return {
    stopped,
    hasAttributes: attributes,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await stopped;
    },
  };
}

function ownBreakers(onWarning: (text: string) => void): Breakers {
  const store = openMemoryStore({ now: Date.now });
  return new Breakers(store, MACHINE_CLOCK, ({ message }) => onWarning(message));
}

/** Receives what the workflows send; a replay sends nothing. */
function legSink(legs: LegSink): WorkerSink {
  return {
    begin: { fn: (_info, leg) => legs.begin(leg as LegMessage) },
    reopen: { fn: (_info, ...sent) => legs.reopen(...(sent as Parameters<LegSink['reopen']>)) },
    note: { fn: (_info, ...sent) => legs.note(...(sent as Parameters<LegSink['note']>)) },
  };
}

/** For another worker to replay a long execution before it answers. */
const READ_STATE_MS = 60_000;

/** Fails retryably while a worker is away, and for good when the execution is gone. */
async function readState(
  task: StateTask,
  queries: RunQueries,
  { ApplicationFailure }: ActivityModule,
): Promise<TextPart> {
  try {
    return await queries.statePart(task);
  } catch (thrown) {
    throw ApplicationFailure.create(toTemporalFailure(toReport(thrown)));
  }
}

async function runToEnd(
  worker: Worker,
  onWarning: (text: string) => void,
  close: () => Promise<void>,
): Promise<void> {
  try {
    await worker.run();
  } catch (thrown) {
    // the SDK's name for effects that would not be stopped either
    if (readProperty(thrown, 'name') !== 'GracefulShutdownPeriodExpiredError') throw thrown;
    onWarning('Some effects did not stop in time; their outcome is unknown');
  } finally {
    await close();
  }
}

async function nativeConnection(sdk: WorkerModule, config: TemporalConfig) {
  const options = connectionOptions(config);
  try {
    return await sdk.NativeConnection.connect(options);
  } catch (thrown) {
    throw unreachable(config, thrown);
  }
}

let hasRuntime = false;

/** Once per process. Drops the SDK's log of failing runs, which repeats their reports. */
function installRuntime(sdk: WorkerModule, logger: Logger): void {
  if (hasRuntime) return;
  hasRuntime = true;
  // the host of the worker decides which process signals stop it
  sdk.Runtime.install({
    logger,
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}
