/**
 * The effect of calling a tool of an MCP server. One request, one message to the tool: what is tried
 * again is only the connection. What is known after each way of failing is in `call-failure.ts`.
 */
import { suggest } from '../../errors/suggest.ts';
import type { JsonObject } from '../../errors/json.ts';
import type { Redactor } from '../../errors/redact.ts';
import { checkValue } from '../../workflow/value-check.ts';
import { quoted } from '../../workflow/words.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../effect.ts';
import { createLoadPackage, type LoadPackage } from '../model/load-package.ts';
import { describeFindings } from '../schema-violation.ts';
import { callFailure, stoppedCall } from './call-failure.ts';
import { metaOf, tryOf } from './call-key.ts';
import type { Connection } from './connection.ts';
import { loadMcpSdk } from './load-sdk.ts';
import type { Environment, NamedServer } from './place.ts';
import { toResult, type ResultRequest } from './result.ts';
import { ServerLink, type Patience } from './server-link.ts';
import { describeTool, type ServerTool } from './tool-list.ts';
import { startWatch, type CallWatch, type Stop } from './watch-call.ts';
import { statusOf } from './unreachable.ts';

/** For a server to be started, installed perhaps, and to say what it has. */
const CONNECT_MS = 30_000;

export interface McpRequest {
  readonly server: NamedServer;
  /** Without the name of the server. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Of the node, or as the machine knows the tool. */
  readonly isIdempotent: boolean;
  /** What is left of the node's time. */
  readonly timeoutMs?: number | undefined;
  readonly outputSchema?: JsonObject | undefined;
  /** Whether the beginning of a text that is too long is a result. Default: it is a failure. */
  readonly keepsTruncated?: boolean | undefined;
}

export interface McpOptions {
  readonly env: Environment;
  /** Where processes run and packages are looked for. */
  readonly directory: string;
  readonly connectTimeoutMs?: number;
  readonly loadPackage?: LoadPackage;
}

export interface McpServers {
  readonly call: Effect<McpRequest>;
  /** What a server has; the connection is kept for the calls. Rejects as connecting does. */
  readonly describe: (
    server: NamedServer,
    patience: Patience,
  ) => Promise<ReadonlyMap<string, ServerTool>>;
  /** Ends every connection, and every process that was started for one. */
  close(): Promise<void>;
}

export function createMcpServers(options: McpOptions): McpServers {
  const load = options.loadPackage ?? createLoadPackage();
  const links = new Map<string, ServerLink>();
  const linkTo = (server: NamedServer): ServerLink => {
    // two files of one run may mean different servers by one name
    const key = JSON.stringify([server.name, server.settings]);
    const known = links.get(key);
    if (known !== undefined) return known;
    const link = new ServerLink(server, {
      sdk: loadMcpSdk(load, options.directory),
      env: options.env,
      directory: options.directory,
      timeoutMs: options.connectTimeoutMs ?? CONNECT_MS,
      clock: MACHINE_CLOCK,
    });
    links.set(key, link);
    return link;
  };
  return {
    describe: async (server, patience) => (await linkTo(server).connection(patience)).tools,
    call: neverRejecting((request, context) => callTool(request, context, linkTo)),
    close: async () => {
      await Promise.all(Array.from(links.values(), (link) => link.close()));
      links.clear();
    },
  };
}

async function callTool(
  request: McpRequest,
  context: EffectContext,
  linkTo: (server: NamedServer) => ServerLink,
): Promise<EffectResult> {
  const cancelled = context.cancelled ?? 'cancelled.tool';
  if (context.signal.aborted) return cancelledBefore(cancelled);
  const name = `${request.server.name}/${request.tool}`;
  const watch = startWatch(request.timeoutMs, context);
  try {
    const link = linkTo(request.server);
    const first = await watch.first(link.connection());
    if (first.type === 'stopped')
      return stopped(first.by, { name, request, context, wasSent: false });
    const tried = await once({ request, context, watch, name, link }, first.value);
    if (tried !== 'unknown session') return tried;
    // the server was started anew and refused the call unseen
    await link.drop(first.value);
    const second = await watch.first(link.connection());
    if (second.type === 'stopped')
      return stopped(second.by, { name, request, context, wasSent: false });
    const last = await once({ request, context, watch, name, link }, second.value);
    return last === 'unknown session' ? forgotten(name) : last;
  } finally {
    watch.end();
  }
}

interface Calling {
  readonly request: McpRequest;
  readonly context: EffectContext;
  readonly watch: CallWatch;
  readonly name: string;
  readonly link: ServerLink;
}

async function once(
  calling: Calling,
  connection: Connection,
): Promise<EffectResult | 'unknown session'> {
  const { request, context, link, name } = calling;
  const key = tryOf(metaOf(context));
  try {
    return await checkAndSend(calling, connection, key);
  } catch (thrown) {
    if (connection.hasSession && statusOf(thrown) === 404) return 'unknown session';
    const failure = callFailure({
      tool: name,
      place: connection.place,
      thrown,
      wasSent: connection.wasSent(key),
      isConnectionLost: !connection.isOpen,
      isIdempotent: isIdempotent(request, connection),
    });
    if (failure.failure.kind === 'mcp.unreachable') await link.drop(connection);
    return failure;
  } finally {
    connection.forget(key);
  }
}

async function checkAndSend(
  calling: Calling,
  connection: Connection,
  key: string,
): Promise<EffectResult> {
  const { request, watch, name, link } = calling;
  const context = withRedactor(calling.context, connection.place.redactor);
  // a server may have got the tool since it was asked
  const isKnown = connection.tools.has(request.tool);
  const asked = isKnown ? undefined : await watch.first(connection.refresh(CONNECT_MS));
  if (asked?.type === 'stopped')
    return stopped(asked.by, { name, request, context, wasSent: false });
  const tool = connection.tools.get(request.tool);
  if (tool === undefined) return notFound(name, connection);
  const refused = badArguments(name, tool, request.arguments);
  if (refused !== undefined) return refused;

  const { timeoutMs } = describeTool(request.tool, request.server.settings, tool);
  watch.startTool(timeoutMs);
  const ending = await watch.first(
    connection.call(
      { name: request.tool, arguments: request.arguments, _meta: metaOf(context) },
      {
        signal: watch.signal,
        onprogress: (progress) => watch.progress(progress),
        // without what the client would check of the result; that is done here
        toolDefinition: { ...tool.definition, outputSchema: undefined },
      },
    ),
  );
  if (ending.type === 'done') return toResult(ending.value, resultOf(name, tool, request), context);
  if (ending.by !== 'abort') link.doubt();
  const known = { ...request, isIdempotent: isIdempotent(request, connection) };
  const wasSent = connection.wasSent(key);
  return stopped(ending.by, { name, request: known, context, wasSent, timeoutMs });
}

/** What a server was started with is taken out of what it says, whoever configured it. */
function withRedactor(context: EffectContext, own: Redactor): EffectContext {
  const { redactor } = context;
  const both: Redactor = {
    text: (text, key) => redactor.text(own.text(text, key), key),
    values: (text) => redactor.values(own.values(text)),
    ...(redactor.learn === undefined ? {} : { learn: redactor.learn }),
  };
  return { ...context, redactor: both };
}

function isIdempotent(
  { isIdempotent: ofNode, tool, server }: McpRequest,
  { tools }: Connection,
): boolean {
  return ofNode || describeTool(tool, server.settings, tools.get(tool)).isIdempotent;
}

function resultOf(
  name: string,
  tool: ServerTool,
  { outputSchema, keepsTruncated = false }: McpRequest,
): ResultRequest {
  return {
    tool: name,
    keepsTruncated,
    ...(tool.outputSchema === undefined ? {} : { declared: tool.outputSchema }),
    ...(outputSchema === undefined ? {} : { wanted: outputSchema }),
  };
}

function notFound(name: string, { tools, place }: Connection): EffectFailure {
  const meant = suggest(name.slice(place.name.length + 1), [...tools.keys()]);
  return {
    ok: false,
    failure: {
      kind: 'tool.not_found',
      outcome: 'not_started',
      message: `The MCP server ${quoted(place.name)} has no tool for ${quoted(name)}`,
      details: { server: place.name, tools: [...tools.keys()].slice(0, 50) },
      action: {
        kind: 'fix_file',
        detail:
          meant === undefined
            ? `Name one of its tools, and see that \`mcp_servers.${place.name}.tools\` lets it count.`
            : `Write ${place.name}/${meant}.`,
      },
    },
  };
}

function badArguments(
  name: string,
  { inputSchema }: ServerTool,
  given: JsonObject,
): EffectFailure | undefined {
  const findings = inputSchema === undefined ? [] : checkValue(inputSchema, given);
  // of a schema that is no good nothing follows; the server judges for itself
  if (findings.length === 0 || findings[0]?.of === 'schema') return undefined;
  return {
    ok: false,
    failure: {
      kind: 'tool.input_invalid',
      outcome: 'not_started',
      ...describeFindings(`What the tool ${name} was called with`, findings),
    },
  };
}

function stopped(
  by: Stop,
  {
    name,
    request,
    context,
    wasSent,
    timeoutMs,
  }: {
    readonly name: string;
    readonly request: McpRequest;
    readonly context: EffectContext;
    readonly wasSent: boolean;
    readonly timeoutMs?: number | undefined;
  },
): EffectFailure {
  const call = { tool: name, isIdempotent: request.isIdempotent, wasSent };
  switch (by) {
    case 'abort':
      return stoppedCall(context.cancelled ?? 'cancelled.tool', 'was cancelled while it ran', call);
    case 'tool':
      return stoppedCall('tool.timeout', `did not finish within ${timeoutMs ?? 0} ms`, call);
    case 'node':
      return stoppedCall('limit.node_timeout', 'did not finish within the time of its node', call);
  }
}

function forgotten(name: string): EffectFailure {
  return {
    ok: false,
    failure: {
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      message: `The MCP server forgets its sessions at once, so ${name} could not be called`,
    },
  };
}
