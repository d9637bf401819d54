/** A connection to a Temporal server, and what it means when there is none. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { codeOf } from '../../effects/process/system-code.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { unavailable } from '../../stores/store-failure.ts';
import { CANCELLED, Closing } from './close-connection.ts';
import { DATA_CONVERTER } from './codec.ts';
import { TRACE_HEADER } from './legs/trace-header.ts';
import { tryHandshake, type Handshake } from './handshake.ts';
import { ATTRIBUTES } from './messages.ts';
import type { Pem, TemporalConfig, TemporalTls } from './config.ts';
import {
  loadClientModule,
  type ActivityClient,
  type Connection,
  type ConnectionOptions,
  type TlsOptions,
  type WorkflowClient,
} from './temporal-sdk.ts';

export interface TemporalConnection {
  readonly connection: Connection;
  readonly workflows: WorkflowClient;
  readonly activities: ActivityClient;
  /** Ends open requests too. */
  close(): Promise<void>;
}

/** Throws `store.unavailable` where no server answers, `validation.input` for wrong settings. */
export async function connectTemporal(config: TemporalConfig): Promise<TemporalConnection> {
  const sdk = loadClientModule(config.directory);
  const options = connectionOptions(config);
  const closing = new Closing();
  try {
    const connection = await sdk.Connection.connect({
      ...options,
      connectTimeout: CONNECT_MS,
      interceptors: closing.interceptors(sdk),
    });
    const client = new sdk.Client({
      connection,
      namespace: config.namespace,
      dataConverter: DATA_CONVERTER,
      interceptors: { workflow: [TRACE_HEADER] },
    });
    const close = async (): Promise<void> => {
      closing.close();
      await connection.close();
    };
    return { connection, workflows: client.workflow, activities: client.activity, close };
  } catch (thrown) {
    closing.close();
    throw unreachable(config, thrown, isSlow(thrown) ? await tryHandshake(options) : undefined);
  }
}

const CONNECT_MS = 10_000;

/** Throws `validation.input` for a file that cannot be read. */
export function connectionOptions(config: TemporalConfig): ConnectionOptions {
  const { address, apiKey, tls, metadata } = config;
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(tls === undefined ? {} : { tls: tls === false ? false : tlsOptions(tls) }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function tlsOptions({ serverName, serverCa, client }: TemporalTls): TlsOptions {
  return {
    ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
    ...(serverCa === undefined
      ? {}
      : { serverRootCACertificate: readPem(serverCa, 'certificate of the server’s authority') }),
    ...(client === undefined
      ? {}
      : {
          clientCertPair: {
            crt: readPem(client.certificate, 'client’s certificate'),
            key: readPem(client.key, 'client’s key'),
          },
        }),
  };
}

function readPem(pem: Pem, what: string): Buffer {
  if ('data' in pem) return Buffer.from(pem.data);
  try {
    return readFileSync(pem.path);
  } catch (thrown) {
    const file = basename(pem.path);
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `The ${what} for Temporal cannot be read from ${file} (${codeOf(thrown)})`,
        details: { file },
        action: {
          kind: 'fix_setup',
          detail:
            'Correct the path in TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_KEY_PATH or TEMPORAL_TLS_SERVER_CA_CERT_PATH, or in the profile.',
        },
      },
      { cause: thrown },
    );
  }
}

/** gRPC's codes: the connection is closed, the server is away or slow, or it refuses access. */
const AWAY: readonly unknown[] = [CANCELLED, 4, 14];
/** A query's failure: no worker in time, or none for a while. */
const UNANSWERED: readonly unknown[] = [4, 9];
const REFUSED: readonly unknown[] = [7, 16];
const INVALID = 3;

export function unreachable(
  config: TemporalConfig,
  thrown: unknown,
  handshake: Handshake = { type: 'away' },
): ErrandError {
  const { address, namespace } = config;
  if (codeIn(thrown) === CANCELLED) return unavailable('closed', { address, namespace }, thrown);
  const { what, detail } = troubleWith(config, thrown, handshake);
  return new ErrandError(
    {
      kind: 'store.unavailable',
      message: `The Temporal server at ${address} ${what}`,
      details: {
        address,
        namespace,
        said: describe(thrown),
        ...(handshake.type === 'refused' ? { tls: handshake.code } : {}),
      },
      action: { kind: 'fix_setup', detail },
    },
    { cause: thrown },
  );
}

interface Trouble {
  readonly what: string;
  readonly detail: string;
}

function troubleWith(config: TemporalConfig, thrown: unknown, handshake: Handshake): Trouble {
  if (isNoNamespace(thrown))
    return {
      what: `has no namespace ${config.namespace}`,
      detail: 'Name an existing namespace with --namespace or TEMPORAL_NAMESPACE.',
    };
  if (REFUSED.includes(codeIn(thrown)))
    return {
      what: 'refuses access',
      detail:
        'Check TEMPORAL_API_KEY, or the files of TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
    };
  switch (handshake.type) {
    case 'refused':
      return {
        what: `failed the TLS handshake (${handshake.code})`,
        detail:
          'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of its authority, and TEMPORAL_TLS_SERVER_NAME to the host name in its certificate. For a server without TLS, set TEMPORAL_TLS=false.',
      };
    case 'done':
      return {
        what: 'accepts the connection but does not respond',
        detail: isPlain(config)
          ? 'Check that it is a Temporal server. If it requires TLS, set TEMPORAL_TLS=true or TEMPORAL_API_KEY.'
          : 'Check that it is a Temporal server. If it requires a client certificate, set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
      };
    case 'away':
      return {
        what: 'does not respond',
        detail:
          'Start one with `temporal server start-dev`, or name yours with --address or TEMPORAL_ADDRESS.',
      };
  }
}

function isPlain({ tls, apiKey }: TemporalConfig): boolean {
  return tls === false || (tls === undefined && apiKey === undefined);
}

/** The SDK's word for everything that kept it from connecting in time. */
function isSlow(thrown: unknown): boolean {
  return !REFUSED.includes(codeIn(thrown)) && !isNoNamespace(thrown);
}

/** Whether the server cannot be used at present; the run itself is safe there. */
export function isAway(thrown: unknown): boolean {
  const code = codeIn(thrown);
  return AWAY.includes(code) || REFUSED.includes(code) || isNoNamespace(thrown);
}

/** Whether the server rejects the request itself, independent of the sender and the time. */
export function isInvalid(thrown: unknown): boolean {
  return codeIn(thrown) === INVALID;
}

/** Whether there is a server, and no worker behind it. */
export function isUnanswered(thrown: unknown): boolean {
  return isEarly(thrown) || UNANSWERED.includes(codeIn(thrown));
}

/** Whether the execution has just begun and is still loading its state. */
export function isEarly(thrown: unknown): boolean {
  return readProperty(thrown, 'name') === 'QueryNotRegisteredError';
}

function isNoNamespace(thrown: unknown): boolean {
  return readProperty(thrown, 'name') === 'NamespaceNotFoundError';
}

/** The gRPC code, which the SDK puts under a wrapper of its own. */
function codeIn(thrown: unknown): unknown {
  return readProperty(thrown, 'code') ?? readProperty(readProperty(thrown, 'cause'), 'code');
}

/** Whether the namespace has our search attributes; one that cannot be asked has none. */
export async function hasAttributes(connection: Connection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + CONNECT_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    const known = Object.keys(customAttributes ?? {});
    return Object.values(ATTRIBUTES).every((name) => known.includes(name));
  } catch {
    // Temporal Cloud does not offer this service; the memo has the same facts
    return false;
  }
}

/** From Temporal's table of types. */
const KEYWORD = 2;

/** Makes the search attributes that are missing; false where that is not allowed. */
export async function ensureAttributes(
  connection: Connection,
  namespace: string,
): Promise<boolean> {
  if (await hasAttributes(connection, namespace)) return true;
  const names = Object.values(ATTRIBUTES).map((name) => [name, KEYWORD] as const);
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(names),
    });
    return true;
  } catch {
    // someone with the right to do it does it by hand; the guide says how
    return false;
  }
}
