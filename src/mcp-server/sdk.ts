/**
 * The part of the official MCP server package that Errand uses. Only this file knows
 * `@modelcontextprotocol/server`. It repeats the types because the package is not installed when
 * Errand is built.
 */
import { createLoadPackage, whyBroken } from '../effects/model/load-package.ts';
import { readProperty } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';

const MCP_SERVER_PACKAGE = '@modelcontextprotocol/server';

/** The two generations of the protocol: with a handshake, and since 2026-07-28 without one. */
export type Era = 'legacy' | 'modern';

export interface SdkRequest {
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface SdkContext {
  readonly mcpReq: {
    /** Aborted when the client cancels the request or goes away. */
    readonly signal: AbortSignal;
    /** The client's description of itself, with each request since 2026-07-28. */
    readonly envelope?: Readonly<Record<string, unknown>>;
    readonly inputResponses?: Readonly<Record<string, unknown>>;
    requestState(): unknown;
    /** Asks the client during its request, which only the older protocol supports. */
    send(request: object, options: object): Promise<unknown>;
    /** Notifies the client of something that belongs to its request. */
    notify(notification: object): Promise<void>;
  };
}

export interface SdkServer {
  onerror?: ((error: Error) => void) | undefined;
  setRequestHandler(
    method: string,
    handle: (request: SdkRequest, context: SdkContext) => Promise<object>,
  ): void;
  /** The capabilities from the handshake. */
  getClientCapabilities(): unknown;
  getClientVersion(): unknown;
  connect(transport: object): Promise<void>;
  sendToolListChanged(): Promise<void>;
  close(): Promise<void>;
}

/** Facts that the SDK passes when it asks for a server: over HTTP, who makes the request. */
export interface SdkOccasion {
  readonly era: Era;
  readonly authInfo?: SdkCaller;
}

export interface SdkCaller {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
}

export type SdkFactory = (occasion: SdkOccasion) => SdkServer;

interface RequestOptions {
  readonly authInfo: SdkCaller;
  readonly parsedBody: unknown;
}

export interface SdkHttpHandler {
  fetch(request: Request, options: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** Carries the requests of one session of the older protocol. */
export interface SdkSession {
  handleRequest(request: Request, options: RequestOptions): Promise<Response>;
  close(): Promise<void>;
}

/** A message of the protocol. */
export interface McpMessage {
  readonly jsonrpc?: '2.0';
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Carries the messages of one client. The SDK sets the three listeners before it starts. */
export interface SdkTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: McpMessage) => void) | undefined;
  start(): Promise<void>;
  send(message: McpMessage): Promise<void>;
  close(): Promise<void>;
}

interface NewServer {
  readonly version: string;
  readonly instructions: string;
  /** Whether clients learn that the list of tools has changed. */
  readonly announcesTools: boolean;
}

/** The stream of each subscribed client listens to it. */
export interface SdkEventBus {
  publish(event: object): void;
  subscribe(listener: (event: object) => void): () => void;
}

/** The event of a changed list of tools. */
export const TOOLS_CHANGED = { kind: 'tools_list_changed' };

export interface McpServerSdk {
  newServer(options: NewServer): SdkServer;
  unknownTool(message: string): Error;
  /** `bus` carries the events for subscribed clients. */
  httpHandler(factory: SdkFactory, bus: SdkEventBus): SdkHttpHandler;
  isLegacyRequest(request: Request, body: unknown): Promise<boolean>;
  /** Whether the package reads it; it drops any other message without a reply. */
  isMessage(value: unknown): boolean;
  newSession(id: string): SdkSession;
  serveStdio(
    factory: SdkFactory,
    options: { readonly transport: SdkTransport; readonly onerror: (error: Error) => void },
  ): { close(): Promise<void> };
}

const INVALID_PARAMS = -32_602;

type Constructor = new (...args: readonly unknown[]) => unknown;
type Callable = (...args: readonly unknown[]) => unknown;

/**
 * Looks in the folder, in the folder of the process, and beside Errand. Throws `extension.missing`
 * that names the package.
 */
export function loadMcpServerSdk(directory: string): McpServerSdk {
  const load = createLoadPackage();
  const names = [MCP_SERVER_PACKAGE, `${MCP_SERVER_PACKAGE}/stdio`];
  const [main, stdio] = names.map((name) => {
    const loading = load(name, directory);
    switch (loading.type) {
      case 'loaded':
        return loading.exports;
      case 'missing':
        throw notInstalled('is not installed', `Run \`npm install ${MCP_SERVER_PACKAGE}\`.`);
      case 'broken':
        throw notInstalled(
          'does not load',
          `Reinstall ${MCP_SERVER_PACKAGE}: ${whyBroken(loading.thrown)}.`,
          loading.thrown,
        );
    }
  });
  const sdk = toSdk(main, stdio);
  if (sdk !== undefined) return sdk;
  throw notInstalled(
    'is another version than Errand needs',
    `Run \`npm install ${MCP_SERVER_PACKAGE}@latest\`.`,
  );
}

function notInstalled(what: string, detail: string, thrown?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.missing',
      message: `${MCP_SERVER_PACKAGE} ${what}, so workflows cannot be served as MCP tools`,
      details: { package: MCP_SERVER_PACKAGE },
      action: { kind: 'install_package', detail },
    },
    { cause: thrown },
  );
}

/** Undefined if the package is not a usable version. */
function toSdk(main: unknown, stdio: unknown): McpServerSdk | undefined {
  const [Server, ProtocolError, Session] = [
    'Server',
    'ProtocolError',
    'WebStandardStreamableHTTPServerTransport',
  ].map((name) => functionIn<Constructor>(main, name));
  const [createHandler, isLegacy] = ['createMcpHandler', 'isLegacyRequest'].map((name) =>
    functionIn<Callable>(main, name),
  );
  const serveStdio = functionIn<Callable>(stdio, 'serveStdio');
  const parse = functionIn<Callable>(main, 'parseJSONRPCMessage');
  if (Server === undefined || ProtocolError === undefined || Session === undefined)
    return undefined;
  if (createHandler === undefined || isLegacy === undefined || serveStdio === undefined)
    return undefined;
  // the casts below hold for every version of the package that has all of these functions
  return {
    newServer: ({ version, instructions, announcesTools }) =>
      new Server(
        { name: 'errand', title: 'Errand', version },
        {
          capabilities: { tools: announcesTools ? { listChanged: true } : {} },
          instructions,
          // files may change, and roles see different tools
          cacheHints: { 'tools/list': { ttlMs: 0, cacheScope: 'private' } },
          // without a person to ask, the run stays paused, which the package would report as an
          // error
          inputRequired: { legacyShim: false },
        },
      ) as SdkServer,
    unknownTool: (message) => new ProtocolError(INVALID_PARAMS, message) as Error,
    httpHandler: (factory, bus) => createHandler(factory, { bus }) as SdkHttpHandler,
    isLegacyRequest: (request, body) => isLegacy(request, body) as Promise<boolean>,
    isMessage: (value) => parse === undefined || accepts(parse, value),
    newSession: (id) => new Session({ sessionIdGenerator: () => id }) as SdkSession,
    serveStdio: (factory, options) => serveStdio(factory, options) as { close(): Promise<void> },
  };
}

function accepts(parse: Callable, value: unknown): boolean {
  try {
    parse(value);
    return true;
  } catch {
    // the package refuses only by throwing
    return false;
  }
}

function functionIn<T>(exports: unknown, name: string): T | undefined {
  const found = readProperty(exports, name);
  // true: the package's documented interface
  return typeof found === 'function' ? (found as T) : undefined;
}
