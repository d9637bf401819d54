/** A connection to a Temporal server, and what it means when there is none. */
import { readFileSync } from 'node:fs';
import { ErrandError } from '../../errors/errand-error.ts';
import { readProperty } from '../../errors/json.ts';
import { describe } from '../../errors/to-report.ts';
import { DATA_CONVERTER } from './codec.ts';
import { ATTRIBUTES } from './messages.ts';
import type { TemporalPlace } from './place.ts';
import {
  loadClientModule,
  type Connection,
  type ConnectionOptions,
  type WorkflowClient,
} from './sdk.ts';

export interface TemporalConnection {
  readonly connection: Connection;
  readonly workflows: WorkflowClient;
}

/** Throws `store.unavailable` where no server answers. */
export async function connectTemporal(place: TemporalPlace): Promise<TemporalConnection> {
  const { Connection, Client } = loadClientModule(place.directory);
  try {
    const connection = await Connection.connect({
      ...connectionOptions(place),
      connectTimeout: CONNECT_MS,
    });
    const client = new Client({
      connection,
      namespace: place.namespace,
      dataConverter: DATA_CONVERTER,
    });
    return { connection, workflows: client.workflow };
  } catch (thrown) {
    throw unreachable(place, thrown);
  }
}

const CONNECT_MS = 10_000;

export function connectionOptions({ address, apiKey, tls }: TemporalPlace): ConnectionOptions {
  const pair =
    tls === undefined
      ? undefined
      : { crt: readFileSync(tls.certificate), key: readFileSync(tls.key) };
  return {
    address,
    ...(apiKey === undefined ? {} : { apiKey, tls: true }),
    ...(pair === undefined ? {} : { tls: { clientCertPair: pair } }),
  };
}

/** gRPC's codes for a server that is away or slow, and for one that does not let us in. */
const AWAY: readonly unknown[] = [4, 14];
/** Of a query: no worker in time, or none for a while. */
const UNANSWERED: readonly unknown[] = [4, 9];
const REFUSED: readonly unknown[] = [7, 16];

export function unreachable(place: TemporalPlace, thrown: unknown): ErrandError {
  const { address, namespace } = place;
  const { what, detail } = troubleWith(place, thrown);
  return new ErrandError(
    {
      kind: 'store.unavailable',
      message: `The Temporal server at ${address} ${what}`,
      details: { address, namespace, said: describe(thrown) },
      action: { kind: 'fix_setup', detail },
    },
    { cause: thrown },
  );
}

function troubleWith(
  { namespace }: TemporalPlace,
  thrown: unknown,
): { readonly what: string; readonly detail: string } {
  if (isNoNamespace(thrown))
    return {
      what: `has no namespace ${namespace}`,
      detail: 'Name an existing namespace with --namespace or TEMPORAL_NAMESPACE.',
    };
  if (REFUSED.includes(codeIn(thrown)))
    return {
      what: 'does not let us in',
      detail:
        'Check TEMPORAL_API_KEY, or the files of TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH.',
    };
  return {
    what: 'does not answer',
    detail:
      'Start one with `temporal server start-dev`, or name yours with --address or TEMPORAL_ADDRESS.',
  };
}

/** Whether the server cannot be used at present; the run itself is safe there. */
export function isAway(thrown: unknown): boolean {
  const code = codeIn(thrown);
  return AWAY.includes(code) || REFUSED.includes(code) || isNoNamespace(thrown);
}

/** Whether there is a server, and nobody behind it who could answer. */
export function isUnanswered(thrown: unknown): boolean {
  return UNANSWERED.includes(codeIn(thrown));
}

function isNoNamespace(thrown: unknown): boolean {
  return readProperty(thrown, 'name') === 'NamespaceNotFoundError';
}

/** The gRPC code, which the SDK puts under a wrapper of its own. */
function codeIn(thrown: unknown): unknown {
  return readProperty(thrown, 'code') ?? readProperty(readProperty(thrown, 'cause'), 'code');
}

/** Whether the namespace has our search attributes; one that is not to be asked has none. */
export async function hasAttributes(connection: Connection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + CONNECT_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    const known = Object.keys(customAttributes ?? {});
    return Object.values(ATTRIBUTES).every((name) => known.includes(name));
  } catch {
    // Temporal Cloud gives this service to nobody; the memo has the same facts
    return false;
  }
}

/** Of Temporal's table of types. */
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
    // whoever may do it does it by hand; the guide says how
    return false;
  }
}
