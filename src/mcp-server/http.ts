/**
 * MCP over HTTP. No request depends on an earlier one, so any server on the store answers it, even
 * after a restart. The exception is a client of the older protocol that shows questions to its
 * person: the server asks it during a call, and the answer arrives as another request, so both
 * belong to a session.
 */
import { randomUUID } from 'node:crypto';
import { isPlainObject, readProperty } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { CallsUnderWay } from './calls-under-way.ts';
import { canAsk, type TokenHolder } from './caller.ts';
import type { McpHost } from './host.ts';
import {
  TOOLS_CHANGED,
  type McpServerSdk,
  type SdkEventBus,
  type SdkHttpHandler,
  type SdkServer,
  type SdkSession,
} from './sdk.ts';
import { createMcpServer } from './server.ts';
import { ToolChanges } from './tool-changes.ts';

/** The most sessions that are kept: the least recently used one is forgotten first. */
const MOST_SESSIONS = 500;
const SESSION = 'mcp-session-id';
const READER = 'read';

export interface McpRequest {
  readonly request: Request;
  /** The body as `readMessage` returns it. */
  readonly body: unknown;
  readonly holder: TokenHolder;
}

interface Session {
  readonly transport: SdkSession;
  readonly server: SdkServer;
  readonly holder: TokenHolder;
}

export class McpOverHttp {
  readonly #sdk: McpServerSdk;
  readonly #host: McpHost;
  readonly #handler: SdkHttpHandler;
  readonly #sessions = new Map<string, Session>();
  readonly #calls = new CallsUnderWay();
  readonly #changes: ToolChanges;
  #isClosed = false;

  constructor({ sdk, host }: { readonly sdk: McpServerSdk; readonly host: McpHost }) {
    this.#sdk = sdk;
    this.#host = host;
    this.#changes = new ToolChanges(host);
    this.#handler = sdk.httpHandler(({ era, authInfo }) => {
      const { clientId: name = '', scopes = [] } = authInfo ?? {};
      const holder = { name, isReader: scopes.includes(READER) };
      // the older protocol would need a stream besides its requests
      const announcesTools = era === 'modern';
      return createMcpServer({ sdk, host, era, calls: this.#calls, holder, announcesTools });
    }, this.#bus());
  }

  /** Rejects with `store.unavailable` after it is closed. */
  async fetch(asked: McpRequest): Promise<Response> {
    if (this.#isClosed)
      throw new ErrandError({ kind: 'store.unavailable', message: 'The server has stopped' });
    const { request, body, holder } = asked;
    const authInfo = {
      token: '',
      clientId: holder.name,
      scopes: holder.isReader ? [READER] : [],
    };
    const options = { authInfo, parsedBody: body };
    const session = await this.#sessionFor(asked);
    if (session === undefined) return this.#handler.fetch(request, options);
    return session.transport.handleRequest(request, options);
  }

  /** Resolves when open calls are answered. */
  settled(): Promise<void> {
    return this.#calls.settled();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#changes.close();
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all([this.#handler.close(), ...open.map(({ server }) => server.close())]);
  }

  /** A bus for changes of files alone, so nobody else publishes anything. */
  #bus(): SdkEventBus {
    return {
      publish: () => undefined,
      subscribe: (listener) => this.#changes.listen(() => listener(TOOLS_CHANGED)),
    };
  }

  /**
   * Ignores a session that this server does not know, or that belongs to another token: the request
   * is then answered without one. Also ignores a session that began with another role, because
   * roles change while a session is open.
   */
  async #sessionFor({ request, body, holder }: McpRequest): Promise<Session | undefined> {
    if (!(await this.#sdk.isLegacyRequest(request, body))) return undefined;
    const id = request.headers.get(SESSION);
    const known = id === null ? undefined : this.#sessions.get(id);
    if (id !== null && known !== undefined && isSameHolder(known.holder, holder)) {
      this.#keep(id, known);
      return known;
    }
    if (id !== null || !asksForQuestions(body)) return undefined;
    return this.#begin(holder);
  }

  async #begin(holder: TokenHolder): Promise<Session> {
    const id = randomUUID();
    const transport = this.#sdk.newSession(id);
    const [sdk, host, calls] = [this.#sdk, this.#host, this.#calls];
    const announced = { announcesTools: false };
    const server = createMcpServer({ sdk, host, era: 'legacy', calls, holder, ...announced });
    await server.connect(transport);
    const session = { transport, server, holder };
    this.#keep(id, session);
    return session;
  }

  #keep(id: string, session: Session): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size <= MOST_SESSIONS || oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].server.close();
  }
}

function isSameHolder(one: TokenHolder, other: TokenHolder): boolean {
  return one.name === other.name && one.isReader === other.isReader;
}

/** Whether this is the handshake of a client that can ask its person. */
function asksForQuestions(body: unknown): boolean {
  if (!isPlainObject(body) || body['method'] !== 'initialize') return false;
  return canAsk(readProperty(body['params'], 'capabilities'));
}
