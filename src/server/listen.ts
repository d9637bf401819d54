/** Listens on a socket and passes requests to a server. Bounds headers, bodies and idle connections. */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { hostInUrl } from './access/hosts.ts';
import type { HostedServer } from './errand-server.ts';

export interface Listening {
  readonly port: number;
  /** Takes no new connections, and closes idle ones. */
  stop(): void;
  /**
   * Resolves when the last connection is closed; cuts those that are still open after that time.
   */
  ended(withinMs: number): Promise<void>;
}

export interface TimeLimits {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** To the end of its body. */
  readonly requestMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
}

/** A client that sends more slowly than this is cut off. */
const LIMITS: TimeLimits = { headersMs: 10_000, requestMs: 30_000, checkMs: 2000 };
/**
 * Longer than proxies keep a connection that they share (60 s in nginx and in many load balancers):
 * the side that sends also closes first, so no request meets a closing connection.
 */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_CONNECTIONS = 4096;
/** Bytes that wait in memory for a reader that has stopped. */
const UNREAD_BYTES = 16 * 1024;

/** Rejects with `validation.input` for a port in use or an address that is not here. */
export async function listen(
  server: Pick<HostedServer, 'fetch' | 'refusal'>,
  {
    host,
    port,
    limits = LIMITS,
  }: { readonly host: string; readonly port: number; readonly limits?: TimeLimits },
): Promise<Listening> {
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpBindings;
      return server.fetch(request, { address: incoming.socket.remoteAddress ?? 'unknown' });
    },
    {
      overrideGlobalObjects: false,
      errorHandler: () =>
        refuse.response('request.not_found', 'No path can be read from the request'),
    },
  );
  const refuse = refusals(server);
  const http = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      highWaterMark: UNREAD_BYTES,
      // a request without a Host is refused below, as a problem; Node would answer with no body
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      // a request that no URL can be made of never reaches the server
      if (respellHost(incoming)) void listener(incoming, outgoing);
      else
        void refuse.over(outgoing, 'request.forbidden', 'The request has no Host that can be read');
    },
  );
  http.on('clientError', (error, socket) => void refuse.broken(error, socket));
  http.on('checkExpectation', (_, outgoing: ServerResponse) => {
    void refuse.over(outgoing, 'request.invalid', 'The server expects nothing but 100-continue');
  });
  http.on('connect', (_, socket) => {
    void refuse.raw(socket, 'request.method', 'The server is not a proxy');
  });
  http.maxConnections = MAX_CONNECTIONS;
  await bound(http, host, port);
  return listening(http);
}

function listening(http: Server): Listening {
  const { port } = http.address() as AddressInfo;
  const closed = new Promise<void>((resolve) => http.once('close', () => resolve()));
  return {
    port,
    stop: () => {
      http.close();
      http.closeIdleConnections();
    },
    ended: async (withinMs) => {
      const timer = setTimeout(() => http.closeAllConnections(), withinMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/**
 * Spells the Host as a URL does, because the listener drops a request whose Host a URL spells
 * differently; the server judges the header as it came. False for a host that no URL can have.
 */
function respellHost({ headers }: IncomingMessage): boolean {
  const host = hostInUrl(headers.host ?? null);
  if (host !== undefined) headers.host = host;
  return host !== undefined;
}

interface Refusals {
  response(kind: RefusalKind, message: string): Response;
  over(outgoing: ServerResponse, kind: RefusalKind, message: string): Promise<void>;
  /** Refuses a request that has no response object; the socket ends with the refusal. */
  raw(socket: Duplex, kind: RefusalKind, message: string): Promise<void>;
  /** For a request that is not HTTP. */
  broken(error: NodeJS.ErrnoException, socket: Duplex): Promise<void>;
}

type RefusalKind =
  | 'request.forbidden'
  | 'request.invalid'
  | 'request.method'
  | 'request.not_found'
  | 'request.too_large';

/** By the code of Node. */
const BROKEN: Readonly<Record<string, readonly [RefusalKind, string] | undefined>> = {
  HPE_HEADER_OVERFLOW: ['request.too_large', 'The headers are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request.invalid', 'The request took too long to arrive'],
};

/** Refusals of requests that the server itself never sees, in the form of all others. */
function refusals(server: Pick<HostedServer, 'refusal'>): Refusals {
  const response = (kind: RefusalKind, message: string): Response =>
    server.refusal(new ErrandError({ kind, message }));
  const raw: Refusals['raw'] = async (socket, kind, message) => {
    const { status, headers, text } = await parts(response(kind, message));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      ...lines,
      ...(kind === 'request.method' ? ['allow: GET, HEAD, POST, PUT, DELETE'] : []),
      'connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  };
  return {
    response,
    raw,
    over: async (outgoing, kind, message) => {
      const { status, headers, text } = await parts(response(kind, message));
      outgoing.writeHead(status, headers).end(text);
    },
    broken: async (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
      const [kind, message] = BROKEN[error.code ?? ''] ?? [
        'request.invalid',
        'The request is not HTTP',
      ];
      return raw(socket, kind, message);
    },
  };
}

async function parts(
  response: Response,
): Promise<{ status: number; headers: Record<string, string>; text: string }> {
  const text = await response.text();
  const length = { 'content-length': String(Buffer.byteLength(text)) };
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...length },
    text,
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
