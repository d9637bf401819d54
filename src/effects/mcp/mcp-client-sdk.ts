/**
 * The part of the official MCP client that Errand uses. Only this file knows
 * `@modelcontextprotocol/client`; its types are repeated here because the package is not installed when
 * Errand is built.
 */
import { readProperty } from '../../errors/support/safe-json.ts';

export const MCP_PACKAGE = '@modelcontextprotocol/client';

/** A message of the protocol; only the transports read it. */
export interface McpMessage {
  readonly jsonrpc?: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Carries messages to a server. The client sets the three listeners before it starts. */
export interface McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: McpMessage, extra?: unknown) => void) | undefined;
  start(): Promise<void>;
  send(message: McpMessage, options?: object): Promise<void>;
  close(): Promise<void>;
  setProtocolVersion?(version: string): void;
  setSupportedProtocolVersions?(versions: readonly string[]): void;
  readonly sessionId?: string | undefined;
  readonly hasPerRequestStream?: boolean;
}

export interface McpCallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: unknown) => void;
  /** With this the client neither lists the tools nor repeats a call. */
  readonly toolDefinition?: unknown;
}

export interface McpClient {
  connect(transport: McpTransport, options?: McpCallOptions): Promise<void>;
  listTools(params?: undefined, options?: McpCallOptions): Promise<unknown>;
  callTool(params: object, options?: McpCallOptions): Promise<unknown>;
  close(): Promise<void>;
  /** Undefined before it is connected. */
  getNegotiatedProtocolVersion?(): string | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

export interface HttpOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** `legacy`: the handshake of servers before 2026-07-28; `auto` negotiates first. */
export type ProtocolMode = 'legacy' | 'auto';

export interface McpSdk {
  newClient(mode: ProtocolMode): McpClient;
  httpTransport(url: URL, options: HttpOptions): McpTransport;
  sseTransport(url: URL, options: HttpOptions): McpTransport;
}

/**
 * A stream that ended is not opened again: the package counts its attempts anew after each stream that
 * opens, and waits as long as the server says, so one call could lead to any number of requests.
 */
const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
} as const;

type Constructor = new (...args: readonly unknown[]) => unknown;

/** Undefined if the package is not a usable version of the client. */
export function toMcpSdk(exports: unknown): McpSdk | undefined {
  const client = readConstructor(exports, 'Client');
  const http = readConstructor(exports, 'StreamableHTTPClientTransport');
  const sse = readConstructor(exports, 'SSEClientTransport');
  if (client === undefined || http === undefined || sse === undefined) return undefined;
  return {
    newClient: (mode) =>
      new client(
        { name: 'errand', version: '1' },
        {
          capabilities: {},
          // questions of a server during a call are not supported, and the client would repeat
          // the call with each answer
          inputRequired: { autoFulfill: false },
          versionNegotiation: { mode },
        },
      ) as McpClient,
    httpTransport: (url, { headers, fetch }) =>
      new http(url, {
        requestInit: { headers },
        fetch,
        reconnectionOptions: NO_RECONNECTION,
      }) as McpTransport,
    sseTransport: (url, { headers, fetch }) =>
      new sse(url, { requestInit: { headers }, fetch }) as McpTransport,
  };
}

function readConstructor(value: unknown, key: string): Constructor | undefined {
  const found = readProperty(value, key);
  // true: the package's documented interface
  return typeof found === 'function' ? (found as Constructor) : undefined;
}
