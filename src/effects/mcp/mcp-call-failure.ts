/**
 * The failure of a call that returned no result.
 *
 * | event                                           | kind                    | outcome     |
 * |------------------------------------------------|-------------------------|-------------|
 * | no connection, or the call was never sent      | `mcp.unreachable`       | not_started |
 * | connection lost after it was sent, HTTP 408, 5xx | `mcp.unreachable`     | unknown     |
 * | HTTP 401, 403, 404 and other 4xx: no retry helps | `mcp.unreachable`     | not_started |
 * | HTTP 409, 423, 425                             | `mcp.unreachable`       | not_started |
 * | HTTP 429                                       | `tool.busy`             | not_started |
 * | HTTP 307, 308                                  | `mcp.unreachable`       | not_started |
 * | any other redirect: the work may be done       | `mcp.unreachable`       | unknown     |
 * | the tool's time is over                        | `tool.timeout`          | unknown     |
 * | the node's time is over                        | `limit.node_timeout`    | unknown     |
 * | our signal                                     | `cancelled.*`           | unknown     |
 * | the server knows no such tool (-32601, -32602) | `tool.not_found`        | not_started |
 * | the server refuses the arguments (-32602)      | `tool.input_invalid`    | not_started |
 * | the same two, of a tool with an output schema (-32602) | the same        | unknown     |
 * | a gateway's own client gave up on the server (-32000, -32001) | `mcp.tool_failed` | unknown |
 * | any other error of the server                  | `mcp.tool_failed`       | failed      |
 * | a malformed result, or one that is too long    | `tool.output_malformed` | unknown     |
 *
 * A response of HTTP whose body answers the call is that answer, whatever its status (`answer-in-refusal.ts`).
 *
 * For an idempotent tool, `unknown` becomes `partial`, and `failed` for -32602 and in the last row. `mcp-result.ts` has the
 * failures of a call that returned a result.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { EffectFailure } from '../effect-port.ts';
import type { ResolvedServer } from './resolve-server.ts';
import { isLost, isNoResult, isTooLong } from './too-long.ts';
import { networkCode, statusOf, wasNeverSent } from './unreachable.ts';

export interface FailedCall {
  /** `server/name`. */
  readonly tool: string;
  readonly resolved: ResolvedServer;
  readonly thrown: unknown;
  readonly wasSent: boolean;
  /** The connection was closed when the call ended. */
  readonly isConnectionLost: boolean;
  readonly isIdempotent: boolean;
  /** The server checks what the tool returns. */
  readonly hasOutputSchema: boolean;
}

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

/** ConnectionClosed and RequestTimeout of the SDKs, as a gateway passes them on. */
const GIVEN_UP: ReadonlySet<number> = new Set([-32_000, -32_001]);

const MAX_REASON_CHARS = 500;

export function callFailure(call: FailedCall): EffectFailure {
  return { ok: false, failure: draftOf(call), thrown: call.thrown };
}

/** A call that a time limit or the caller stopped. */
export function stoppedCall(
  kind: RuntimeKind,
  why: string,
  { tool, isIdempotent, wasSent }: Pick<FailedCall, 'tool' | 'isIdempotent' | 'wasSent'>,
): EffectFailure {
  const outcome = wasSent ? uncertain(isIdempotent) : 'not_started';
  return { ok: false, failure: { kind, message: `The tool ${tool} ${why}`, outcome } };
}

function uncertain(isIdempotent: boolean): 'partial' | 'unknown' {
  return isIdempotent ? 'partial' : 'unknown';
}

/** The server accepted the call, but its response does not show whether the work is done. */
export function accepted({
  isIdempotent,
}: Pick<FailedCall, 'isIdempotent'>): Pick<ReportDraft, 'outcome'> {
  return isIdempotent ? {} : { outcome: 'unknown' };
}

function draftOf(call: FailedCall): ReportDraft {
  const { tool, thrown, wasSent, isConnectionLost } = call;
  if (isTooLong(thrown)) {
    return {
      kind: 'tool.output_malformed',
      ...accepted(call),
      message: `The result of ${tool} is longer than Errand's limit`,
      action: {
        kind: 'change_input',
        detail: 'Request less from the tool, or one page at a time.',
      },
    };
  }
  if (isNoResult(thrown)) {
    return {
      kind: 'tool.output_malformed',
      ...accepted(call),
      message: `The MCP server returned a malformed result for ${tool}`,
      details: { server: call.resolved.name, tool },
    };
  }
  const status = statusOf(thrown, 300);
  if (status !== undefined) return ofStatus(status, call);
  if (!wasSent || wasNeverSent(thrown)) return connectionLost(call, 'not_started');
  if (isLost(thrown) || isConnectionLost || networkCode(thrown) !== undefined)
    return connectionLost(call, 'sent');
  const code = readProperty(thrown, 'code');
  return typeof code === 'number' ? ofServer(code, call) : ofClient(String(code), call);
}

function connectionLost(
  { tool, isIdempotent, resolved }: FailedCall,
  when: 'sent' | 'not_started',
): ReportDraft {
  return when === 'sent'
    ? {
        kind: 'mcp.unreachable',
        outcome: uncertain(isIdempotent),
        message: `The connection to the MCP server ${resolved.name} was lost after ${tool} was called`,
        details: { server: resolved.name, tool },
        action: {
          kind: 'find_out',
          detail: 'Check whether the call did its work before you repeat it.',
        },
      }
    : {
        kind: 'mcp.unreachable',
        outcome: 'not_started',
        message: `The connection to the MCP server ${resolved.name} was lost before ${tool} was called`,
        details: { server: resolved.name, tool },
      };
}

function ofStatus(status: number, call: FailedCall): ReportDraft {
  const { resolved, tool, isIdempotent } = call;
  const message = `The MCP server ${resolved.name} answered the call of ${tool} with HTTP ${status}`;
  const details = { server: resolved.name, tool };
  const provider = { name: 'mcp', status };
  if (status === 429) return { kind: 'tool.busy', message, details, provider };
  if (status === 401 || status === 403) {
    return {
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      category: 'configuration',
      retryable: false,
      message,
      details,
      provider,
      action: {
        kind: 'check_credentials',
        detail: `Set a key that it accepts in \`mcp_servers.${resolved.name}.headers\`.`,
      },
    };
  }
  if (status < 400) return redirected(status, call);
  // a gateway also returns 408 and 503 when the server failed after it received the call
  const isRefused = status < 500 && status !== 408;
  const outcome = isRefused ? 'not_started' : uncertain(isIdempotent);
  const refusal = isRefused && !PASSING.has(status) ? refusalFor(status, resolved.name) : {};
  return { kind: 'mcp.unreachable', outcome, message, details, provider, ...refusal };
}

/** Refusals that concern the moment, not the request. */
const PASSING: ReadonlySet<number> = new Set([409, 423, 425]);

/** Nothing that takes calls is at the address. */
const MISPLACED: ReadonlySet<number> = new Set([404, 405, 410, 421]);

function refusalFor(
  status: number,
  server: string,
): Pick<ReportDraft, 'category' | 'retryable' | 'action'> {
  if (MISPLACED.has(status)) {
    const detail = `Check the address in \`mcp_servers.${server}.url\`.`;
    return { category: 'configuration', retryable: false, action: { kind: 'fix_file', detail } };
  }
  const detail = 'The server refuses this request. Change the arguments of the call.';
  return { category: 'content', retryable: false, action: { kind: 'change_input', detail } };
}

/** A call is sent once, so a redirect is not followed. */
function redirected(status: number, { resolved, tool, isIdempotent }: FailedCall): ReportDraft {
  const isUntouched = status === 307 || status === 308;
  return {
    kind: 'mcp.unreachable',
    outcome: isUntouched ? 'not_started' : uncertain(isIdempotent),
    category: 'configuration',
    retryable: false,
    message: `The MCP server ${resolved.name} answered the call of ${tool} with a redirect (HTTP ${status}), which is not followed`,
    details: { server: resolved.name, tool },
    provider: { name: 'mcp', status },
    action: {
      kind: 'fix_file',
      detail: `Set \`mcp_servers.${resolved.name}.url\` to the address that does not redirect.`,
    },
  };
}

/** An error response of the protocol: the server refused the call. */
function ofServer(code: number, call: FailedCall): ReportDraft {
  const { tool } = call;
  const reason = reasonFrom(call);
  const details = { server: call.resolved.name, tool, code };
  const isUnknownTool = code === INVALID_PARAMS && /unknown tool|tool\b.*\bnot found/i.test(reason);
  const outcome = outcomeOf(code, call);
  if (code === METHOD_NOT_FOUND || isUnknownTool) {
    return {
      kind: 'tool.not_found',
      ...outcome,
      message: `The MCP server ${call.resolved.name} does not know the tool ${tool}: ${reason}`,
      details,
    };
  }
  if (code === INVALID_PARAMS) {
    return {
      kind: 'tool.input_invalid',
      ...outcome,
      message: `The MCP server ${call.resolved.name} refuses the arguments of ${tool}: ${reason}`,
      details,
    };
  }
  const message = `${tool}: ${reason}`;
  return { kind: 'mcp.tool_failed', message, retryable: null, ...outcome, details };
}

/**
 * In the protocol, -32602 refuses a call before it begins. Servers with the official SDKs also send
 * it after the work, when the result of a tool does not match its declared output schema.
 */
function outcomeOf(
  code: number,
  { isIdempotent, hasOutputSchema }: FailedCall,
): Pick<ReportDraft, 'outcome'> {
  if (code === INVALID_PARAMS && hasOutputSchema)
    return { outcome: isIdempotent ? 'failed' : 'unknown' };
  if (code === METHOD_NOT_FOUND || code === INVALID_PARAMS) return { outcome: 'not_started' };
  return GIVEN_UP.has(code) ? { outcome: uncertain(isIdempotent) } : {};
}

/** An error of the client for a response that it could not accept. */
function ofClient(code: string, call: FailedCall): ReportDraft {
  const { tool } = call;
  const details = { server: call.resolved.name, tool, code };
  if (code.includes('INPUT_REQUIRED')) {
    return {
      kind: 'mcp.tool_failed',
      message: `The tool ${tool} asks a question while it runs, which Errand does not support`,
      details,
    };
  }
  const reason = withoutDump(reasonFrom(call));
  return {
    kind: 'tool.output_malformed',
    ...accepted(call),
    message: `The MCP server returned a malformed result for ${tool}${reason === '' ? '' : `: ${reason}`}`,
    details,
  };
}

/** The client's checks print all their attempts as JSON of many lines, which helps nobody. */
function withoutDump(reason: string): string {
  const [first = ''] = reason.split('\n', 1);
  return first === reason ? first : first.replace(/[:\s]*(?:\w*Error:\s*)?[[{]$/, '');
}

/** Foreign text: shortened, and without the secrets that the server was started with. */
function reasonFrom({ thrown, resolved }: FailedCall): string {
  const message = readProperty(thrown, 'message');
  const text = typeof message === 'string' ? message : 'no reason given';
  return resolved.redactor
    .text(text.replace(/^MCP error -?\d+: /, ''))
    .slice(0, MAX_REASON_CHARS)
    .toWellFormed();
}
