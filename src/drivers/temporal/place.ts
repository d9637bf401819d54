/** Which server, namespace and task queue are meant, and how the server is to be reached. */
import { ErrandError } from '../../errors/errand-error.ts';

const TASK_QUEUE = 'errand';

/** A PEM text, or the file that has it. */
export type Pem = { readonly path: string } | { readonly data: string };

export interface TemporalTls {
  /** The name in the server's certificate, where it is not that of the address. */
  readonly serverName?: string;
  /** Who signed the server's certificate, where it is nobody that this machine trusts already. */
  readonly serverCa?: Pem;
  /** For mutual TLS. */
  readonly client?: { readonly certificate: Pem; readonly key: Pem };
}

export interface TemporalPlace {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly apiKey?: string;
  /** False: none, also with an API key, which else asks for it. */
  readonly tls?: TemporalTls | false;
  /** Sent with every call, for whoever stands before the server. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Where Temporal's packages are looked for first. */
  readonly directory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What was said, else what the environment says in the words of Temporal's own tools. Throws
 * `validation.input` for settings that do not go together.
 */
export function temporalPlace(
  given: Partial<Pick<TemporalPlace, 'address' | 'namespace' | 'taskQueue'>>,
  env: Environment,
  directory: string,
): TemporalPlace {
  const read = (name: string): string | undefined => said(env, name);
  const apiKey = read('TEMPORAL_API_KEY');
  // what a header cannot carry, the SDK would repeat in its complaint
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw refusal(
      'TEMPORAL_API_KEY has characters that no key has',
      'Copy the key again, without spaces and line breaks in it.',
    );
  const tls = tlsIn(read);
  const metadata = metadataIn(env);
  return {
    address: given.address ?? read('TEMPORAL_ADDRESS') ?? '127.0.0.1:7233',
    namespace: given.namespace ?? read('TEMPORAL_NAMESPACE') ?? 'default',
    taskQueue: given.taskQueue ?? read('TEMPORAL_TASK_QUEUE') ?? TASK_QUEUE,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls }),
    ...(metadata === undefined ? {} : { metadata }),
    directory,
  };
}

/** A variable that is empty says nothing; a key read from a file ends in a line break. */
function said(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

type Read = (name: string) => string | undefined;

function tlsIn(read: Read): TemporalTls | false | undefined {
  const isWanted = booleanIn(read, 'TEMPORAL_TLS');
  if (isWanted === false) return false;
  if (booleanIn(read, 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION') === true)
    throw refusal(
      'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is set, and Temporal’s SDK for TypeScript always verifies the host',
      'Unset it; name who signed the certificate with TEMPORAL_TLS_SERVER_CA_CERT_PATH, and the name in it with TEMPORAL_TLS_SERVER_NAME.',
    );
  const serverName = read('TEMPORAL_TLS_SERVER_NAME');
  const serverCa = pemIn(read, 'TEMPORAL_TLS_SERVER_CA_CERT');
  const certificate = pemIn(read, 'TEMPORAL_TLS_CLIENT_CERT');
  const key = pemIn(read, 'TEMPORAL_TLS_CLIENT_KEY');
  if ((certificate === undefined) !== (key === undefined))
    throw refusal(
      `Of the client's certificate and its key only the ${key === undefined ? 'certificate' : 'key'} is set`,
      'Set both TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or neither.',
    );
  const tls: TemporalTls = {
    ...(serverName === undefined ? {} : { serverName }),
    ...(serverCa === undefined ? {} : { serverCa }),
    ...(certificate === undefined || key === undefined ? {} : { client: { certificate, key } }),
  };
  return isWanted === true || Object.keys(tls).length > 0 ? tls : undefined;
}

function pemIn(read: Read, name: string): Pem | undefined {
  const path = read(`${name}_PATH`);
  const data = read(`${name}_DATA`);
  if (path !== undefined && data !== undefined)
    throw refusal(`${name}_PATH and ${name}_DATA are both set`, 'Set one of the two.');
  if (path !== undefined) return { path };
  return data === undefined ? undefined : { data };
}

function booleanIn(read: Read, name: string): boolean | undefined {
  const text = read(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw refusal(`${name} is neither true nor false`, `Set ${name} to true or false.`);
}

const METADATA = 'TEMPORAL_GRPC_META_';

/** `TEMPORAL_GRPC_META_X_TEAM=a` is the header `x-team: a`. */
function metadataIn(env: Environment): TemporalPlace['metadata'] {
  const entries = Object.keys(env).flatMap((name) => {
    const value = name.startsWith(METADATA) ? said(env, name) : undefined;
    const header = name.slice(METADATA.length).toLowerCase().replaceAll('_', '-');
    return value === undefined || header === '' ? [] : [[header, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function refusal(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'fix_setup', detail },
  });
}
