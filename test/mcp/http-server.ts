/** The test server at an address of this machine, in three manners of the protocol. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../loopback-server.ts';
import { newServer, SDKS } from './tools.ts';

const requireSdk = createRequire(`${SDKS}package.json`);
const { createMcpHandler } = requireSdk('@modelcontextprotocol/server');
const { NodeStreamableHTTPServerTransport, toNodeHandler } = requireSdk(
  '@modelcontextprotocol/node',
);

export interface TestServer {
  readonly url: string;
  readonly did: string[];
  /** The `authorization` of each request. */
  readonly authorizations: Set<string | undefined>;
  /** The key of each request that had one. */
  readonly keys: string[];
  /**
   * From now on a gateway answers every request with a key for the server; `ID` in the body becomes
   * the request's id.
   */
  fail(status: number, headers?: Readonly<Record<string, string>>, body?: string): void;
  /** Forgets every session, like a restarted server. */
  forget(): void;
  close(): Promise<void>;
}

/** Where every server once was. */
export const MOVED = '/moved';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** `stateless` speaks the newest protocol, `sessions` the one before, `sse` the oldest. */
export async function serve(
  manner: 'stateless' | 'sessions' | 'sse',
  port = 0,
): Promise<TestServer> {
  const did: string[] = [];
  const keys: string[] = [];
  let gateway: Parameters<TestServer['fail']> | undefined;
  const authorizations = new Set<string | undefined>();
  const make = (): unknown =>
    newServer({ did: (what) => void did.push(what), crash: () => server.cut() });
  const sessions = new Map<string, Handler>();
  const manners: Readonly<Record<typeof manner, () => Handler>> = {
    stateless: () => toNodeHandler(createMcpHandler(make)) as Handler,
    sessions: () => withSessions(make, sessions),
    sse: () => withEvents(make, sessions),
  };
  const handle = manners[manner]();
  const server = await startLoopbackServer((request, response) => {
    authorizations.add(request.headers.authorization);
    const key = request.headers['idempotency-key'];
    if (typeof key === 'string') keys.push(key);
    if (typeof key === 'string' && gateway !== undefined) {
      const [status, headers, body = ''] = gateway;
      void text(request).then((asked) => {
        const { id } = JSON.parse(asked) as { readonly id: unknown };
        response.writeHead(status, headers).end(body.replaceAll('ID', JSON.stringify(id)));
      });
      return;
    }
    if (request.url === MOVED) {
      response.writeHead(307, { location: '/mcp' }).end();
      return;
    }
    void Promise.resolve(handle(request, response));
  }, port);
  return {
    url: `${server.url}/mcp`,
    did,
    authorizations,
    keys,
    fail: (...answer) => {
      gateway = answer;
    },
    forget: () => sessions.clear(),
    close: () => server.close(),
  };
}

function withSessions(make: () => unknown, sessions: Map<string, Handler>): Handler {
  return async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known(request, response);
    if (typeof id === 'string') {
      response.writeHead(404).end();
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session: string) =>
        sessions.set(session, (again, answer) => transport.handleRequest(again, answer)),
    });
    await (make() as { connect(transport: unknown): Promise<void> }).connect(transport);
    return transport.handleRequest(request, response);
  };
}

/** The oldest manner, which the server package has dropped. */
function withEvents(make: () => unknown, sessions: Map<string, Handler>): Handler {
  return async (request, response) => {
    const id = new URL(request.url ?? '', 'http://here').searchParams.get('session') ?? '';
    const known = sessions.get(id);
    if (known !== undefined) return known(request, response);
    const session = randomUUID();
    const transport = {
      onmessage: undefined as ((message: unknown) => void) | undefined,
      onclose: undefined as (() => void) | undefined,
      start: async () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: /mcp?session=${session}\n\n`);
      },
      send: async (message: unknown) => {
        response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      },
      close: async () => void response.end(),
    };
    sessions.set(session, async (posted, answer) => {
      let body = '';
      for await (const chunk of posted) body += String(chunk);
      answer.writeHead(202).end();
      transport.onmessage?.(JSON.parse(body));
    });
    await (make() as { connect(transport: unknown): Promise<void> }).connect(transport);
  };
}
