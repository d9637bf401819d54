/** Connects to a server and lists its tools. A failed connection leaves no process or socket behind. */
import { resolve } from 'node:path';
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { EffectClock } from '../clock.ts';
import { attemptOf } from './call-key.ts';
import { ConnectionLife } from './connection-life.ts';
import { httpTransport } from './http-transport.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { resolveServer, type NamedServer, type ResolvedServer } from './resolve-server.ts';
import { ProcessTransport } from './process-transport.ts';
import type {
  McpCallOptions,
  McpClient,
  McpMessage,
  McpSdk,
  McpTransport,
  ProtocolMode,
} from './mcp-client-sdk.ts';
import { readTools, type ServerTool } from './tool-list.ts';
import { unreachable } from './unreachable.ts';
import { withCheckedResponses } from './checked-responses.ts';

/** The longest timer of Node: the client's own timeout must never fire before ours. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const UNSUPPORTED_VERSION = -32_022;

export interface ConnectOptions {
  readonly sdk: McpSdk;
  readonly env: Environment;
  /** Working directory of a server process. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly clock: EffectClock;
  /** Aborted when the connection is no longer needed. */
  readonly signal: AbortSignal;
}

export interface ServerConnection {
  readonly resolved: ResolvedServer;
  /** False when it was lost. */
  readonly isOpen: boolean;
  readonly tools: ReadonlyMap<string, ServerTool>;
  /** The version of the protocol that both speak. */
  readonly protocolVersion: string | undefined;
  /** Whether the server has a session, which it loses when it restarts. */
  readonly hasSession: boolean;
  /** Lists the tools again; rejects if the server does not respond in time. */
  refresh(timeoutMs: number): Promise<void>;
  call(params: object, options: McpCallOptions): Promise<unknown>;
  /** Whether a call with this metadata was sent. */
  wasSent(key: string): boolean;
  forget(key: string): void;
  /**
   * Closes it as soon as no call is under way. Over HTTP each call has its own request, which the
   * failure of another does not affect.
   */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** Rejects with `mcp.unreachable`, or with `tool.unavailable` when the setup is incomplete. */
export async function connect(
  server: NamedServer,
  options: ConnectOptions,
): Promise<ServerConnection> {
  if (server.settings.type === 'http') return connectBy('auto', server, options);
  try {
    // an older server process may exit on an unknown request, so the old handshake comes first
    return await connectBy('legacy', server, options);
  } catch (thrown) {
    if (server.settings.type === 'sse' || !isTooNew(thrown)) throw thrown;
    return connectBy('auto', server, options);
  }
}

/** The server supports only a newer protocol version. */
function isTooNew(thrown: unknown): boolean {
  return [...causeChain(thrown)].some((link) => readProperty(link, 'code') === UNSUPPORTED_VERSION);
}

async function connectBy(
  mode: ProtocolMode,
  server: NamedServer,
  options: ConnectOptions,
): Promise<ServerConnection> {
  const resolved = resolveServer(server, options.env);
  const transport = transportFor(resolved, options);
  const sent = watchSending(transport);
  const client = options.sdk.newClient(mode);
  // errors outside a call; a call that is affected fails by itself
  client.onerror = () => undefined;
  const life = new ConnectionLife(client, transport);
  const deadline = new Deadline(options);
  let tools: ReadonlyMap<string, ServerTool>;
  try {
    await deadline.of(client.connect(withCheckedResponses(transport), { timeout: NO_TIMEOUT_MS }));
    tools = await deadline.of(listTools(client, server));
  } catch (thrown) {
    // read before we end the process, or the evidence would show our own signal
    const evidence = evidenceOf(transport, thrown, resolved);
    await life.close();
    if (thrown instanceof ErrandError) throw thrown;
    const waited = thrown instanceof TooLate ? { waitedMs: options.timeoutMs } : {};
    throw unreachable(resolved, { ...evidence, ...waited });
  } finally {
    deadline.end();
  }
  return {
    resolved,
    get isOpen() {
      return life.isOpen;
    },
    get tools() {
      return tools;
    },
    get protocolVersion() {
      return client.getNegotiatedProtocolVersion?.();
    },
    get hasSession() {
      return transport.sessionId !== undefined;
    },
    refresh: async (timeoutMs) => {
      tools = await listTools(client, server, timeoutMs);
    },
    call: (params, options) =>
      life.during(() => client.callTool(params, { ...options, timeout: NO_TIMEOUT_MS })),
    wasSent: (key) => sent.has(key),
    forget: (key) => void sent.delete(key),
    retire: () => life.retire(),
    close: () => life.close(),
  };
}

function transportFor(
  { name, settings, env, headers }: ResolvedServer,
  { sdk, directory }: ConnectOptions,
): McpTransport {
  const { type, command = '', args, url = '', workingDir = '.' } = settings;
  if (type === 'stdio')
    return new ProcessTransport({ command, args, env, cwd: resolve(directory, workingDir) });
  if (!URL.canParse(url))
    throw new ErrandError({
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      category: 'configuration',
      retryable: false,
      message: `The address of the MCP server ${name} is not a valid URL`,
      action: { kind: 'fix_file', detail: `Correct \`mcp_servers.${name}.url\`.` },
    });
  return httpTransport(sdk, { type, url: new URL(url), headers });
}

/** Records the calls handed to the transport: from then on they may have reached the server. */
function watchSending(transport: McpTransport): Set<string> {
  const sent = new Set<string>();
  const send = transport.send.bind(transport);
  transport.send = (message: McpMessage, options?: object) => {
    const key = attemptOf(message.params?._meta);
    if (key !== '') sent.add(key);
    return send(message, options);
  };
  return sent;
}

async function listTools(
  client: McpClient,
  { settings }: NamedServer,
  timeout: number = NO_TIMEOUT_MS,
): Promise<ReadonlyMap<string, ServerTool>> {
  const answer = await client.listTools(undefined, { timeout });
  return new Map(readTools(answer, settings).map((tool) => [tool.name, tool]));
}

function evidenceOf(
  transport: McpTransport,
  thrown: unknown,
  { redactor }: ResolvedServer,
): Parameters<typeof unreachable>[1] {
  if (!(transport instanceof ProcessTransport)) return { thrown };
  const { end } = transport;
  return {
    thrown,
    stderr: transport.stderrTail((text) => redactor.text(text)),
    ...(end === undefined ? {} : { end }),
  };
}

class TooLate extends Error {}

export function closedMeanwhile(): ErrandError {
  return new ErrandError({
    kind: 'cancelled.tool',
    outcome: 'not_started',
    message: 'The engine was closed while it connected to an MCP server',
  });
}

/** One time limit for all steps; a step that is too late is abandoned. */
class Deadline {
  readonly #late: Promise<never>;
  readonly #stop: () => void;

  constructor({ timeoutMs, clock, signal }: ConnectOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(closedMeanwhile());
    const stopTimer = clock.after(timeoutMs, () => reject(new TooLate('The time limit is over')));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.#late = promise;
    this.#stop = () => {
      stopTimer();
      signal.removeEventListener('abort', leave);
    };
    // it may reject after the wait has ended
    promise.catch(() => undefined);
  }

  async of<T>(step: Promise<T>): Promise<T> {
    // a rejection after the deadline is ignored
    step.catch(() => undefined);
    return Promise.race([step, this.#late]);
  }

  end(): void {
    this.#stop();
  }
}
