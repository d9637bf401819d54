/**
 * The effect of calling a tool of an MCP server. One request sends one message to the tool; only
 * connecting is retried. `mcp-call-failure.ts` has the table of failures.
 */
import { suggest } from '../../errors/support/suggest.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../effect-port.ts';
import { createLoadPackage, type LoadPackage } from '../model/load-package.ts';
import { describeFindings } from '../schema-violation.ts';
import { callFailure, stoppedCall } from './mcp-call-failure.ts';
import { metaOf, attemptOf } from './call-key.ts';
import type { ServerConnection } from './server-connection.ts';
import { loadMcpSdk } from './load-sdk.ts';
import type { Environment } from '../../workflow/yaml/file-port.ts';
import type { NamedServer } from './resolve-server.ts';
import { recheckResult, toResult, type ResultRequest } from './mcp-result.ts';
import { ServerLink, type Patience } from './server-link.ts';
import { describeTool, redactedTool, type ServerTool } from './tool-list.ts';
import { startWatch, type CallWatch, type StopReason } from './watch-call.ts';
import { statusOf } from './unreachable.ts';

/** Time for a server to start, perhaps install itself, and list its tools. */
const CONNECT_MS = 30_000;

export interface McpRequest {
  readonly server: NamedServer;
  /** Name without the server. */
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Set on the node, or known to the machine for this tool. */
  readonly isIdempotent: boolean;
  /** Set on the node; wins over the server's description of the tool. */
  readonly isNeverRepeated?: boolean | undefined;
  /** Time left to the node. */
  readonly timeoutMs?: number | undefined;
  readonly outputSchema?: JsonObject | undefined;
  /** The result of an earlier call, which could not be used: checked before the tool is called. */
  readonly recorded?: { readonly output: JsonValue } | undefined;
  /** Accepts a text that was cut. Default: that is a failure. */
  readonly keepsTruncated?: boolean | undefined;
}

export interface McpOptions {
  readonly env: Environment;
  /** Working directory of server processes, and where packages are searched. */
  readonly directory: string;
  readonly connectTimeoutMs?: number;
  readonly loadPackage?: LoadPackage;
}

export interface McpServers {
  readonly call: Effect<McpRequest>;
  /** Lists the tools of a server; the connection is kept for calls. Rejects as connecting does. */
  readonly describe: (
    server: NamedServer,
    patience: Patience,
  ) => Promise<ReadonlyMap<string, ServerTool>>;
  /** Closes every connection, and ends the processes started for them. */
  close(): Promise<void>;
}

export function createMcpServers(options: McpOptions): McpServers {
  const load = options.loadPackage ?? createLoadPackage();
  const links = new Map<string, ServerLink>();
  const linkTo = (server: NamedServer): ServerLink => {
    // two files of one run may use one name for different servers
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
    describe: async (server, patience) => {
      const { tools, resolved } = await linkTo(server).connection(patience);
      return new Map(
        [...tools].map(([name, tool]) => [name, redactedTool(tool, resolved.redactor)]),
      );
    },
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
    // the server restarted and refused the call before reading it
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
  connection: ServerConnection,
): Promise<EffectResult | 'unknown session'> {
  const { request, context, link, name } = calling;
  const key = attemptOf(metaOf(context));
  try {
    return await checkAndSend(calling, connection, key);
  } catch (thrown) {
    if (connection.hasSession && statusOf(thrown) === 404) return 'unknown session';
    const failure = callFailure({
      tool: name,
      resolved: connection.resolved,
      thrown,
      wasSent: connection.wasSent(key),
      isConnectionLost: !connection.isOpen,
      isIdempotent: isIdempotent(request, connection),
      hasOutputSchema: connection.tools.get(request.tool)?.outputSchema !== undefined,
    });
    if (failure.failure.kind === 'mcp.unreachable') await link.drop(connection);
    // the server answered, so the tool has run
    const isAnswered = failure.failure.kind === 'tool.output_malformed';
    return isAnswered ? { ...failure, isUnusable: true } : failure;
  } finally {
    connection.forget(key);
  }
}

async function checkAndSend(
  calling: Calling,
  connection: ServerConnection,
  key: string,
): Promise<EffectResult> {
  const { request, watch, name, link } = calling;
  const context = withRedactor(calling.context, connection.resolved.redactor);
  // the server may have added the tool since its list was read
  const isKnown = connection.tools.has(request.tool);
  const refreshed = isKnown ? undefined : await watch.first(connection.refresh(CONNECT_MS));
  if (refreshed?.type === 'stopped')
    return stopped(refreshed.by, { name, request, context, wasSent: false });
  const tool = connection.tools.get(request.tool);
  if (tool === undefined) return notFound(name, connection);
  const again =
    request.recorded === undefined
      ? undefined
      : recheckResult(request.recorded.output, resultOf(calling, tool, connection), context);
  if (again !== undefined) return again;
  const refused = badArguments(name, tool, request.arguments);
  if (refused !== undefined) return refused;

  const { timeoutMs } = describeTool(request.tool, request.server.settings, tool);
  watch.startTool(timeoutMs);
  const { protocolVersion } = connection;
  if (protocolVersion !== undefined) context.observe?.({ mcpProtocolVersion: protocolVersion });
  const settled = await watch.first(
    connection.call(
      { name: request.tool, arguments: request.arguments, _meta: metaOf(context) },
      {
        signal: watch.signal,
        onprogress: (progress) => watch.progress(progress),
        // without the client's check of the result; `toResult` checks it
        toolDefinition: { ...tool.definition, outputSchema: undefined },
      },
    ),
  );
  if (settled.type === 'done')
    return toResult(settled.value, resultOf(calling, tool, connection), context);
  if (settled.by !== 'abort') link.suspect();
  const known = { ...request, isIdempotent: isIdempotent(request, connection) };
  const wasSent = connection.wasSent(key);
  return stopped(settled.by, { name, request: known, context, wasSent, timeoutMs });
}

/** Also removes the secrets that the server was started with from its output. */
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
  { isIdempotent: ofNode, isNeverRepeated, tool, server }: McpRequest,
  { tools }: ServerConnection,
): boolean {
  if (ofNode || isNeverRepeated === true) return ofNode;
  return describeTool(tool, server.settings, tools.get(tool)).isIdempotent;
}

function resultOf(
  { name, request }: Calling,
  tool: ServerTool,
  connection: ServerConnection,
): ResultRequest {
  const { outputSchema, keepsTruncated = false } = request;
  return {
    tool: name,
    keepsTruncated,
    isIdempotent: isIdempotent(request, connection),
    ...(tool.outputSchema === undefined ? {} : { declared: tool.outputSchema }),
    ...(outputSchema === undefined ? {} : { wanted: outputSchema }),
  };
}

function notFound(name: string, { tools, resolved }: ServerConnection): EffectFailure {
  const meant = suggest(name.slice(resolved.name.length + 1), [...tools.keys()]);
  return {
    ok: false,
    failure: {
      kind: 'tool.not_found',
      outcome: 'not_started',
      message: `The MCP server ${quoted(resolved.name)} does not know the tool ${quoted(name)}`,
      details: { server: resolved.name, tools: [...tools.keys()].slice(0, 50) },
      action: {
        kind: 'fix_file',
        detail:
          meant === undefined
            ? `Name one of its tools, and check that \`mcp_servers.${resolved.name}.tools\` allows it.`
            : `Write ${resolved.name}/${meant}.`,
      },
    },
  };
}

function badArguments(
  name: string,
  { inputSchema }: ServerTool,
  options: JsonObject,
): EffectFailure | undefined {
  const findings = inputSchema === undefined ? [] : checkValue(inputSchema, options);
  // an invalid schema proves nothing; the server checks by itself
  if (findings.length === 0 || findings[0]?.of === 'schema') return undefined;
  return {
    ok: false,
    failure: {
      kind: 'tool.input_invalid',
      outcome: 'not_started',
      ...describeFindings(`The input of the tool ${name}`, findings),
    },
  };
}

function stopped(
  by: StopReason,
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
      return stoppedCall(
        'limit.node_timeout',
        'did not finish within the time limit of its node',
        call,
      );
  }
}

function forgotten(name: string): EffectFailure {
  return {
    ok: false,
    failure: {
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      message: `The MCP server rejected a session that it had just opened, so ${name} could not be called`,
    },
  };
}
