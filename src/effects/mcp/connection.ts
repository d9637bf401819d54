/** One connection to a server, from nothing to its list of tools. Whatever fails leaves nothing behind. */
import { causeChain } from '../../errors/cause-chain.ts';
import { ErrandError } from '../../errors/errand-error.ts';
import { readProperty } from '../../errors/json.ts';
import type { EffectClock } from '../clock.ts';
import { tryOf } from './call-key.ts';
import { httpTransport } from './http-transport.ts';
import { placeOf, type Environment, type NamedServer, type ServerPlace } from './place.ts';
import { ProcessTransport } from './process-transport.ts';
import type {
  McpCallOptions,
  McpClient,
  McpMessage,
  McpSdk,
  McpTransport,
  ProtocolMode,
} from './sdk.ts';
import { readTools, type ServerTool } from './tool-list.ts';
import { unreachable } from './unreachable.ts';

/** Timers of Node are no longer than this; the client's own timeout must never be the first. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

const UNSUPPORTED_VERSION = -32_022;

export interface ConnectOptions {
  readonly sdk: McpSdk;
  readonly env: Environment;
  /** Where a process runs. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly clock: EffectClock;
  /** Aborted when nobody will use it any more. */
  readonly signal: AbortSignal;
}

export interface Connection {
  readonly place: ServerPlace;
  /** False when it was lost. */
  readonly isOpen: boolean;
  readonly tools: ReadonlyMap<string, ServerTool>;
  /** Whether the server would have forgotten us if it was started anew. */
  readonly hasSession: boolean;
  /** Asks for the list again; rejects where the server does not answer in time. */
  refresh(timeoutMs: number): Promise<void>;
  call(params: object, options: McpCallOptions): Promise<unknown>;
  /** Whether a call with this key went out. */
  wasSent(key: string): boolean;
  forget(key: string): void;
  close(): Promise<void>;
}

/** Rejects with `mcp.unreachable`, or with `tool.unavailable` for what is not set up. */
export async function connect(server: NamedServer, options: ConnectOptions): Promise<Connection> {
  if (server.settings.type === 'http') return connectBy('auto', server, options);
  try {
    // older servers may end at a question that they do not know, so a process is not asked it first
    return await connectBy('legacy', server, options);
  } catch (thrown) {
    if (server.settings.type === 'sse' || !isTooNew(thrown)) throw thrown;
    return connectBy('auto', server, options);
  }
}

/** It refuses the greeting of the protocol before. */
function isTooNew(thrown: unknown): boolean {
  return [...causeChain(thrown)].some((link) => readProperty(link, 'code') === UNSUPPORTED_VERSION);
}

async function connectBy(
  mode: ProtocolMode,
  server: NamedServer,
  options: ConnectOptions,
): Promise<Connection> {
  const place = placeOf(server, options.env);
  const transport = transportFor(server, place, options);
  const sent = watchSending(transport);
  const client = options.sdk.newClient(mode);
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  // what goes wrong beside a call; the call that it concerns fails by itself
  client.onerror = () => undefined;
  const deadline = new Deadline(options);
  const close = async (): Promise<void> => {
    isOpen = false;
    await client.close();
    await transport.close();
  };
  let tools: ReadonlyMap<string, ServerTool>;
  try {
    await deadline.of(client.connect(transport, { timeout: NO_TIMEOUT_MS }));
    tools = await deadline.of(listTools(client, server));
  } catch (thrown) {
    // asked before it is ended, or it would always have been ended by us
    const evidence = evidenceOf(transport, thrown);
    await close();
    if (thrown instanceof ErrandError) throw thrown;
    const waited = thrown instanceof TooLate ? { waitedMs: options.timeoutMs } : {};
    throw unreachable(server, place, { ...evidence, ...waited });
  } finally {
    deadline.end();
  }
  return {
    place,
    get isOpen() {
      return isOpen;
    },
    get tools() {
      return tools;
    },
    get hasSession() {
      return transport.sessionId !== undefined;
    },
    refresh: async (timeoutMs) => {
      tools = await listTools(client, server, timeoutMs);
    },
    call: (params, given) => client.callTool(params, { ...given, timeout: NO_TIMEOUT_MS }),
    wasSent: (key) => sent.has(key),
    forget: (key) => void sent.delete(key),
    close,
  };
}

function transportFor(
  { name, settings }: NamedServer,
  place: ServerPlace,
  { sdk, directory }: ConnectOptions,
): McpTransport {
  const { type, command = '', args, url = '' } = settings;
  if (type === 'stdio')
    return new ProcessTransport({ command, args, env: place.env, cwd: directory });
  if (!URL.canParse(url))
    throw new ErrandError({
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      category: 'configuration',
      retryable: false,
      message: `The address of the MCP server ${name} cannot be read`,
      action: { kind: 'fix_file', detail: `Correct \`mcp_servers.${name}.url\`.` },
    });
  return httpTransport(sdk, { type, url: new URL(url), headers: place.headers });
}

/** Tries of calls that were handed to the transport: from there on they may have arrived. */
function watchSending(transport: McpTransport): Set<string> {
  const sent = new Set<string>();
  const send = transport.send.bind(transport);
  transport.send = (message: McpMessage, options?: object) => {
    const key = tryOf(message.params?._meta);
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

function evidenceOf(transport: McpTransport, thrown: unknown): Parameters<typeof unreachable>[2] {
  if (!(transport instanceof ProcessTransport)) return { thrown };
  const { end } = transport;
  return { thrown, stderr: transport.stderrTail(), ...(end === undefined ? {} : { end }) };
}

class TooLate extends Error {}

export function closedMeanwhile(): ErrandError {
  return new ErrandError({
    kind: 'cancelled.tool',
    outcome: 'not_started',
    message: 'The work was closed while an MCP server was being connected',
  });
}

/** The time of all steps together; a step that comes too late is left to its own end. */
class Deadline {
  readonly #late: Promise<never>;
  readonly #stop: () => void;

  constructor({ timeoutMs, clock, signal }: ConnectOptions) {
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(closedMeanwhile());
    const stopTimer = clock.after(timeoutMs, () => reject(new TooLate('The time is over')));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.#late = promise;
    this.#stop = () => {
      stopTimer();
      signal.removeEventListener('abort', leave);
    };
    // it may come when nobody waits any more
    promise.catch(() => undefined);
  }

  async of<T>(step: Promise<T>): Promise<T> {
    // what a step does after the deadline is its own business
    step.catch(() => undefined);
    return Promise.race([step, this.#late]);
  }

  end(): void {
    this.#stop();
  }
}
