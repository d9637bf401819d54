/**
 * Temporal's SDK as far as Errand uses it outside a workflow, and where it is found. Its types are
 * written down here because the packages are not there when Errand is built;
 * `test/temporal/sdk-types.ts` holds them to the real ones.
 */
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { createLoadPackage, exportsOf } from '../../effects/model/load-package.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

export interface Payload {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
}

export interface PayloadCodec {
  encode(payloads: Payload[]): Promise<Payload[]>;
  decode(payloads: Payload[]): Promise<Payload[]>;
}

export interface DataConverter {
  readonly payloadCodecs: PayloadCodec[];
}

export interface ConnectionOptions {
  readonly address: string;
  readonly tls?: boolean | TlsOptions;
  readonly apiKey?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface TlsOptions {
  readonly serverNameOverride?: string;
  readonly serverRootCACertificate?: Buffer;
  readonly clientCertPair?: { readonly crt: Buffer; readonly key: Buffer };
}

/** gRPC's interface for interceptors between a request and its connection. */
export type GrpcInterceptor = (options: object, next: (options: object) => GrpcCall) => GrpcCall;

export interface GrpcCall {
  start(metadata: GrpcMetadata, listener: GrpcListener): void;
  cancelWithStatus(code: number, details: string): void;
  sendMessage(message: unknown): void;
  sendMessageWithContext(context: object, message: unknown): void;
  startRead(): void;
  halfClose(): void;
  getPeer(): string;
  getAuthContext(): object | null;
}

export interface GrpcListener {
  onReceiveMetadata?(metadata: GrpcMetadata): void;
  onReceiveMessage?(message: unknown): void;
  onReceiveStatus?(status: GrpcStatus): void;
}

export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata: GrpcMetadata;
}

export interface GrpcMetadata {
  clone(): GrpcMetadata;
  getMap(): Readonly<Record<string, unknown>>;
  remove(name: string): void;
}

export interface OperatorService {
  listSearchAttributes(request: { namespace: string }): Promise<{
    readonly customAttributes?: Readonly<Record<string, unknown>> | null;
  }>;
  addSearchAttributes(request: {
    namespace: string;
    searchAttributes: Record<string, number>;
  }): Promise<unknown>;
}

export interface Connection {
  readonly operatorService: OperatorService;
  withDeadline<T>(deadline: number, run: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface WorkflowDescription {
  readonly workflowId: string;
  readonly runId: string;
  readonly taskQueue: string;
  readonly status: { readonly name: string };
  readonly startTime: Date;
  readonly closeTime?: Date;
  readonly memo?: Record<string, unknown>;
}

export interface WorkflowHandle {
  readonly workflowId: string;
  result(): Promise<unknown>;
  query<T>(name: string, ...args: unknown[]): Promise<T>;
  executeUpdate<T>(name: string, options: { args: unknown[] }): Promise<T>;
  signal(name: string, ...args: unknown[]): Promise<void>;
  cancel(): Promise<unknown>;
  describe(): Promise<WorkflowDescription>;
}

export interface WorkflowStartOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly args: unknown[];
  readonly memo: Record<string, unknown>;
  readonly searchAttributes?: Record<string, string[]>;
  readonly workflowIdReusePolicy: 'ALLOW_DUPLICATE' | 'REJECT_DUPLICATE';
  readonly workflowIdConflictPolicy: 'FAIL';
  readonly staticSummary?: string;
  /** In milliseconds. */
  readonly workflowTaskTimeout?: number;
}

export interface WorkflowClient {
  start(type: string, options: WorkflowStartOptions): Promise<WorkflowHandle>;
  getHandle(workflowId: string, runId?: string): WorkflowHandle;
  list(options: { query: string }): AsyncIterable<WorkflowDescription>;
}

/** Speaks for an activity from outside of it. */
export interface ActivityClient {
  heartbeat(taskToken: Uint8Array): Promise<void>;
}

export type Headers = Record<string, Payload>;

/** Stands between a request to the server and the client. */
export interface ClientInterceptor {
  startWithDetails<
    Input extends {
      readonly headers: Headers;
      readonly options: { readonly args: readonly unknown[] };
    },
    Output,
  >(
    input: Input,
    next: (input: Input) => Output,
  ): Output;
  startUpdate<
    Input extends { readonly headers: Headers; readonly args: readonly unknown[] },
    Output,
  >(
    input: Input,
    next: (input: Input) => Output,
  ): Output;
}

export interface ClientModule {
  readonly Connection: {
    connect(
      options: ConnectionOptions & {
        connectTimeout?: number;
        interceptors?: GrpcInterceptor[];
      },
    ): Promise<Connection>;
  };
  makeGrpcRetryInterceptor(options: object): GrpcInterceptor;
  defaultGrpcRetryOptions(): object;
  readonly Client: new (options: {
    connection: Connection;
    namespace: string;
    dataConverter: DataConverter;
    interceptors: { readonly workflow: ClientInterceptor[] };
  }) => { readonly workflow: WorkflowClient; readonly activity: ActivityClient };
}

/** A text of its own, or the file that has it. */
export type ConfigSource = { readonly path: string } | { readonly data: string | Uint8Array };

export interface ConnectionProfile {
  readonly address?: string;
  readonly namespace?: string;
  readonly apiKey?: string;
  readonly tls?: {
    readonly disabled?: boolean;
    readonly serverName?: string;
    readonly serverCACert?: ConfigSource;
    readonly clientCert?: ConfigSource;
    readonly clientKey?: ConfigSource;
  };
  readonly grpcMeta?: Readonly<Record<string, string>>;
}

export interface EnvconfigModule {
  loadClientConfigProfile(options: { overrideEnvVars: Record<string, string> }): ConnectionProfile;
}

export interface ActivityInfo {
  readonly taskToken: Uint8Array;
  readonly currentAttemptScheduledTimestampMs: number;
  readonly startToCloseTimeoutMs: number;
  readonly heartbeatTimeoutMs?: number;
}

export interface ActivityContext {
  readonly info: ActivityInfo;
  readonly cancellationSignal: AbortSignal;
  readonly cancellationDetails: { readonly workerShutdown: boolean } | undefined;
  heartbeat(): void;
}

export interface ActivityModule {
  readonly Context: { current(): ActivityContext };
  readonly ApplicationFailure: {
    create(options: {
      message?: string;
      type?: string;
      nonRetryable?: boolean;
      details?: unknown[];
      nextRetryDelay?: number;
    }): Error;
  };
}

export interface WorkflowBundle {
  readonly code: string;
}

export interface Worker {
  run(): Promise<void>;
  shutdown(): void;
  getState(): string;
}

export interface WebpackConfig {
  resolve?: { modules?: string[] };
  module?: { rules?: WebpackRule[] };
}

export interface WebpackRule {
  use?: { options?: { jsc?: { target?: string } } };
}

export interface Logger {
  log(level: string, message: string, meta?: object): void;
  trace(message: string, meta?: object): void;
  debug(message: string, meta?: object): void;
  info(message: string, meta?: object): void;
  warn(message: string, meta?: object): void;
  error(message: string, meta?: object): void;
}

const drop = (): void => undefined;

/** Drops everything but errors: the log of the SDK repeats the reports of failing runs. */
export function quietLogger(onError: (message: string) => void = drop): Logger {
  return {
    log: drop,
    trace: drop,
    debug: drop,
    info: drop,
    warn: drop,
    error: (message) => onError(message),
  };
}

export interface NativeConnection {
  close(): Promise<void>;
}

/** Receives calls from workflows, by name. */
export type WorkerSink = Readonly<
  Record<string, { fn(info: object, ...sent: unknown[]): void; callDuringReplay?: boolean }>
>;

export interface WorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly workflowBundle: WorkflowBundle;
  readonly activities: Readonly<Record<string, (task: never) => Promise<unknown>>>;
  readonly sinks: Readonly<Record<string, WorkerSink>>;
  readonly dataConverter: DataConverter;
  readonly maxConcurrentActivityTaskExecutions: number;
  readonly maxHeartbeatThrottleInterval: number;
  readonly stickyQueueScheduleToStartTimeout: number;
  readonly shutdownGraceTime: number;
  readonly shutdownForceTime: number;
}

export interface WorkerModule {
  readonly Runtime: {
    install(options: {
      logger: Logger;
      shutdownSignals: [];
      telemetryOptions: { logging: { forward: object; filter: string } };
    }): unknown;
  };
  readonly NativeConnection: { connect(options: ConnectionOptions): Promise<NativeConnection> };
  readonly Worker: { create(options: WorkerOptions): Promise<Worker> };
  bundleWorkflowCode(options: {
    workflowsPath: string;
    logger: Logger;
    webpackConfigHook: (config: WebpackConfig) => WebpackConfig;
  }): Promise<WorkflowBundle>;
}

const load = createLoadPackage();

/** Each throws `extension.missing`. Searches for the packages in that folder first. */
export function loadClientModule(directory: string): ClientModule {
  return loadModule('client', directory) as ClientModule;
}

export function loadActivityModule(directory: string): ActivityModule {
  return loadModule('activity', directory) as ActivityModule;
}

export function loadWorkerModule(directory: string): WorkerModule {
  return loadModule('worker', directory) as WorkerModule;
}

export function loadEnvconfigModule(directory: string): EnvconfigModule {
  return loadModule('envconfig', directory) as EnvconfigModule;
}

/** The folder of packages that a workflow's own imports are resolved from. */
export function workflowPackages(directory: string): string {
  return dirname(dirname(sdkPackage('workflow', directory)));
}

/** The folder of one of the SDK's packages. */
export function sdkPackage(part: 'worker' | 'workflow', directory: string): string {
  const name = `@temporalio/${part}`;
  for (const base of [resolve(directory, 'package.json'), import.meta.url]) {
    try {
      return dirname(createRequire(base).resolve(`${name}/package.json`));
    } catch {
      // the next folder may have it
    }
  }
  throw missing(name, 'is not installed');
}

/** Uses only the package's documented interface. */
function loadModule(
  part: 'client' | 'worker' | 'activity' | 'envconfig',
  directory: string,
): unknown {
  const name = `@temporalio/${part}`;
  return exportsOf(load(name, directory), (why, thrown) => missing(name, why, thrown));
}

function missing(name: string, why: string, thrown?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.missing',
      message: `Temporal needs the package ${name}, which ${why}`,
      details: { package: name },
      action: {
        kind: 'install_package',
        detail:
          'Run `npm install @temporalio/client @temporalio/worker @temporalio/workflow @temporalio/activity @temporalio/envconfig`.',
      },
    },
    { cause: thrown },
  );
}
