/** Which server, namespace and task queue are meant, and how the server is to be reached. */
import { isSecretSetting } from '../../errors/redaction/secret-names.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { readProfile, settingsRefusal, variable } from './connection-profile.ts';
import type { ConfigSource, ConnectionProfile } from './temporal-sdk.ts';

const TASK_QUEUE = 'errand';

/** A PEM text, or the file that has it. */
export type Pem = { readonly path: string } | { readonly data: string };

export interface TemporalTls {
  /** The name in the server's certificate, where it is not that of the address. */
  readonly serverName?: string;
  /** Certificate authority of the server, where this machine does not trust it already. */
  readonly serverCa?: Pem;
  /** For mutual TLS. */
  readonly client?: { readonly certificate: Pem; readonly key: Pem };
}

export interface TemporalConfig {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly apiKey?: string;
  /** False: no TLS, also with an API key, which otherwise turns it on. */
  readonly tls?: TemporalTls | false;
  /** Sent with every call, for a proxy before the server. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Folder where Temporal's packages are searched first. */
  readonly directory: string;
}

/** Where runs are, for `openErrand`: what is left out comes from the environment. */
export interface TemporalOptions extends Partial<TemporalConfig> {
  /** A worker that is silent for so long is taken for dead. Default: 30 s. */
  readonly heartbeatMs?: number;
  /** Continue as new after so many events of the run. Default: when Temporal suggests so. */
  readonly maxHistoryEvents?: number;
  /** How long a worker may take to answer a query. Default: 10 s. */
  readonly queryMs?: number;
}

/**
 * Reads the connection settings: the arguments, else the variables of Temporal's own tools, else a
 * profile of their configuration file. Throws `validation.input` for settings that cannot be used, and
 * `extension.missing` without `@temporalio/envconfig` where more than an address and a namespace is set.
 * @example
 * ```ts
 * import { temporalConfig } from 'errand/temporal';
 *
 * const config = temporalConfig({ taskQueue: 'refunds' }, {}, '.');
 * console.log(config.taskQueue, config.namespace); // refunds default
 * ```
 */
export function temporalConfig(
  options: Partial<TemporalConfig>,
  env: Environment,
  directory: string,
): TemporalConfig {
  const from = options.directory ?? directory;
  const profile = readProfile(env, from);
  const apiKey = options.apiKey ?? profile.apiKey;
  // the SDK would repeat a value that a header cannot carry in its error
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw settingsRefusal(
      'The API key for Temporal contains a character that a key cannot have',
      'Copy the key again, without spaces and line breaks in it.',
    );
  const tls = options.tls ?? tlsIn(profile);
  const metadata = options.metadata ?? profile.grpcMeta;
  return {
    address: options.address ?? profile.address ?? '127.0.0.1:7233',
    namespace: options.namespace ?? profile.namespace ?? 'default',
    taskQueue: options.taskQueue ?? variable(env, 'TEMPORAL_TASK_QUEUE') ?? TASK_QUEUE,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
    directory: from,
  };
}

function tlsIn({ tls }: ConnectionProfile): TemporalTls | false | undefined {
  if (tls === undefined) return undefined;
  if (tls.disabled === true) return false;
  const { serverName, serverCACert, clientCert, clientKey } = tls;
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw settingsRefusal(
      `Only the ${clientKey === undefined ? 'certificate' : 'key'} of the client is set; TLS needs its certificate and its key`,
      'Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or neither.',
    );
  return {
    ...(serverName === undefined ? {} : { serverName }),
    ...(serverCACert === undefined ? {} : { serverCa: pemIn(serverCACert) }),
    ...(clientCert === undefined || clientKey === undefined
      ? {}
      : { client: { certificate: pemIn(clientCert), key: pemIn(clientKey) } }),
  };
}

function pemIn(source: ConfigSource): Pem {
  return 'path' in source ? source : { data: Buffer.from(source.data).toString() };
}

/** The values of a configuration that nothing stored or sent may contain. */
export function connectionSecrets({
  apiKey,
  tls,
  metadata = {},
}: TemporalConfig): readonly string[] {
  const key = tls === undefined || tls === false ? undefined : tls.client?.key;
  return [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...(key !== undefined && 'data' in key ? [key.data] : []),
    ...Object.keys(metadata).flatMap((name) =>
      isSecretSetting(name) ? (metadata[name] ?? []) : [],
    ),
  ];
}
