/**
 * Starts OpenTelemetry's SDK for a command, if the environment names a receiver and the package is
 * installed. An application that uses the library brings its own SDK.
 */
import { createLoadPackage } from '../../effects/model/load-package.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { SCOPE } from '../names.ts';
import { createIdGenerator } from './span-ids.ts';
import { API_PACKAGE, loadOtelApi, registered } from './otel-api.ts';

export const SDK_PACKAGE = '@opentelemetry/sdk-node';

type Environment = Record<string, string | undefined>;

export interface StartedSdk {
  /** Sends everything, and ends. Returns one sentence that says why data was lost, if any was. */
  stop(): Promise<string | undefined>;
}

interface NodeSdk {
  start(): void;
  shutdown(): Promise<void>;
}

/** The most that an unreachable receiver costs a command. */
const AWAY_MS = 1500;
/** The longest wait for a slow receiver: a hanging request would have failed by then. */
const SLOW_MS = 10_000;
/** The time for one request with its retries; shorter than the wait for it. */
const REQUEST_MS = '1000';
/** A run of thousands of quick steps makes spans faster than they are sent. */
const QUEUED_SPANS = '65536';

/** Whether the environment asks for it. */
export function wantsSdk(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return endpointOf(env) !== undefined;
}

/** The packages that the environment needs and that are missing. */
export function missingPackages(directory: string): readonly string[] {
  const load = createLoadPackage();
  return [API_PACKAGE, SDK_PACKAGE].filter((name) => load(name, directory).type !== 'loaded');
}

/**
 * The variable whose value is not the address of a receiver. The SDK would send to an address of
 * its own, or blame the protocol if only the host is empty.
 */
export function wrongEndpoint(env: Environment): string | undefined {
  return ENDPOINTS.find((name) => {
    const value = env[name]?.trim() ?? '';
    return value !== '' && !isGrpc(env, name) && !/^https?:$/.test(protocolOf(value));
  });
}

/** With gRPC an address may be only a host and a port. */
function isGrpc(env: Environment, endpoint: string): boolean {
  const own = env[endpoint.replace(/ENDPOINT$/, 'PROTOCOL')];
  return (own ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'])?.trim() === 'grpc';
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : '';
}

/** The action for `wrongEndpoint`. */
export const ENDPOINT_ADVICE = 'Give it an address such as http://localhost:4318, or unset it.';

/**
 * Throws `validation.input` for a receiver without an address.
 *
 * Undefined if nothing asks for it, if it is not installed, or if another SDK is registered.
 * `isServer`: the caller has promised to stop quickly.
 */
export function startSdk(
  env: Environment,
  directory: string,
  { isServer = false }: { readonly isServer?: boolean } = {},
): StartedSdk | undefined {
  if (!wantsSdk(env) || registered() !== undefined) return undefined;
  const loading = createLoadPackage()(SDK_PACKAGE, directory);
  const NodeSDK = loading.type === 'loaded' ? readProperty(loading.exports, 'NodeSDK') : undefined;
  if (typeof NodeSDK !== 'function') return undefined;
  const wrong = wrongEndpoint(env);
  if (wrong !== undefined)
    throw new ErrandError({
      kind: 'validation.input',
      // the value may hold credentials
      message: `Nothing is sent to OpenTelemetry: ${wrong} is no http:// or https:// address`,
      details: { variable: wrong },
      action: { kind: 'fix_setup', detail: ENDPOINT_ADVICE },
    });
  const problems = new Problems();
  problems.listen(directory);
  const sdk = withDefaults(env, () => {
    // true: the package's documented interface
    const made = new (NodeSDK as new (options: object) => NodeSdk)({
      serviceName: serviceName(env),
      instrumentations: [],
      idGenerator: createIdGenerator(),
      // otherwise the SDK warns that it has not started, which is wrong for the other signals
      ...(process.env['OTEL_TRACES_EXPORTER'] === 'none' ? { spanProcessors: [] } : {}),
    });
    made.start();
    return made;
  });
  // settings that the SDK does not know do not explain lost data
  problems.error = undefined;
  // the SDK may have set a logger of its own
  problems.listen(directory);
  const hasOwnTimeout = Object.keys(env).some((name) =>
    /^OTEL_EXPORTER_OTLP_(?:\w+_)?TIMEOUT$/.test(name),
  );
  const longestMs = hasOwnTimeout || isServer ? AWAY_MS : SLOW_MS;
  const receiver = shownAddress(endpointOf(env) ?? '');
  return { stop: () => stopSdk(sdk, problems, { receiver, longestMs }) };
}

async function stopSdk(
  sdk: NodeSdk,
  problems: Problems,
  { receiver, longestMs }: { readonly receiver: string; readonly longestMs: number },
): Promise<string | undefined> {
  const sent = sdk.shutdown().then(
    () => 'sent' as const,
    (thrown: unknown) => {
      problems.note(wordsOf(thrown));
      return 'refused' as const;
    },
  );
  const first = await within(sent, AWAY_MS);
  const isStuck = first === undefined && problems.error !== undefined;
  const end = first ?? (isStuck ? undefined : await within(sent, longestMs - AWAY_MS));
  if (end === 'sent' && problems.error === undefined) return problems.warning;
  const why = problems.error ?? (end === undefined ? 'it takes too long to answer' : undefined);
  return `Not all spans and metrics could be sent to ${receiver}${why === undefined ? '' : `: ${why}`}`;
}

/** Undefined if the work takes longer. */
async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    // a running timer would keep the process alive
    clearTimeout(timer);
  }
}

/** The first error and the first warning of the SDK, which prints them unless somebody listens. */
class Problems {
  error: string | undefined;
  warning: string | undefined;

  listen(directory: string): void {
    const drop = (): void => undefined;
    const api = loadOtelApi(directory);
    api?.diag.setLogger(
      {
        error: (message) => {
          this.warn([message]);
          this.note(message);
        },
        warn: (...said) => this.warn(said),
        info: drop,
        debug: drop,
        verbose: drop,
      },
      { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
  }

  /** The arguments after the message belong to it. */
  warn(said: readonly unknown[]): void {
    const text = said.filter((part) => typeof part === 'string').map(reasonIn);
    this.warning ??= `OpenTelemetry warns: ${text.join(' ')}`;
  }

  note(message: string): void {
    this.error ??= reasonIn(message);
  }
}

/** The receiver's answer that the SDK rejects carries its status. */
function wordsOf(thrown: unknown): string {
  const status = readProperty(thrown, 'code');
  const message = describe(thrown);
  return typeof status === 'number' ? `it answered ${status} ${message}`.trimEnd() : message;
}

/** The SDK writes an error as JSON with its stack, which nobody should see. */
function reasonIn(message: string): string {
  const line = saidIn(message).split('\n')[0] ?? '';
  // the metric reader puts its exporter's reason into brackets
  return /\(error (?:\w*Error: )?(?<reason>.+)\)$/.exec(line)?.groups?.['reason'] ?? line;
}

function saidIn(message: string): string {
  try {
    const said: unknown = readProperty(JSON.parse(message), 'message');
    return typeof said === 'string' ? said : message;
  } catch {
    // not JSON: the message is plain text
    return message;
  }
}

/** Removes the credentials that an address may hold. */
function shownAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}

/** The receiver that the environment names, for any signal that Errand sends. */
function endpointOf(env: Environment): string | undefined {
  return ENDPOINTS.map((name) => env[name]?.trim()).find(
    (value) => value !== undefined && value !== '',
  );
}

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
];

/**
 * The SDK reads the environment of the process while it is made. For that moment this sets what the
 * user has not set: no detectors, because they send paths and the arguments of the command, and no
 * signal without a receiver.
 */
function withDefaults<T>(env: Environment, make: () => T): T {
  const has = (signal: string): boolean =>
    [ENDPOINTS[0] ?? '', `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
      (name) => (env[name] ?? '') !== '',
    );
  const defaults: Readonly<Record<string, string>> = {
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    OTEL_TRACES_EXPORTER: has('TRACES') ? 'otlp' : 'none',
    OTEL_METRICS_EXPORTER: has('METRICS') ? 'otlp' : 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_EXPORTER_OTLP_TIMEOUT: REQUEST_MS,
    OTEL_BSP_MAX_QUEUE_SIZE: QUEUED_SPANS,
  };
  const added = Object.keys(defaults).filter((name) => (process.env[name] ?? '') === '');
  for (const name of added) process.env[name] = defaults[name];
  try {
    return make();
  } finally {
    for (const name of added) delete process.env[name];
  }
}

function serviceName(env: Environment): string {
  const named = /(?:^|,)\s*service\.name=(?<name>[^,]+)/.exec(
    env['OTEL_RESOURCE_ATTRIBUTES'] ?? '',
  );
  return env['OTEL_SERVICE_NAME']?.trim() || named?.groups?.['name']?.trim() || SCOPE;
}
