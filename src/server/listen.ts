/** Listens on a socket and passes requests to a server. Bounds headers, bodies and idle connections. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { ErrandServer } from './options.ts';

export interface Listening {
  readonly port: number;
  /** Takes no new connection; resolves when the last one is closed, at most after that time. */
  close(withinMs: number): Promise<void>;
}

/** A client that sends slower than this is no client. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const KEEP_ALIVE_MS = 5000;
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 4096;

/** Rejects with `validation.input` for a port in use or an address that is not here. */
export async function listen(
  server: ErrandServer,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpBindings;
      return server.fetch(request, { address: incoming.socket.remoteAddress ?? 'unknown' });
    },
    { overrideGlobalObjects: false },
  );
  const http = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2000,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (incoming, outgoing) => void listener(incoming, outgoing),
  );
  http.maxConnections = MAX_CONNECTIONS;
  await bound(http, host, port);
  return {
    port: (http.address() as AddressInfo).port,
    close: (withinMs) => closed(http, withinMs),
  };
}

function bound(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(unusable(error, host, port)));
    http.listen({ host, port }, resolve);
  });
}

function unusable(error: NodeJS.ErrnoException, host: string, port: number): ErrandError {
  const reason =
    error.code === 'EADDRINUSE' ? 'another program uses it' : (error.code ?? 'unknown');
  return new ErrandError(
    {
      kind: 'validation.input',
      message: `Cannot listen on ${host}, port ${port}: ${reason}`,
      action: {
        kind: 'change_input',
        detail: 'Give another --port (0 takes a free one) or --host.',
      },
    },
    { cause: error },
  );
}

function closed(http: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), withinMs);
    http.close(() => {
      clearTimeout(timer);
      resolve();
    });
    http.closeIdleConnections();
  });
}
