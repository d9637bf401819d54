/**
 * What is known after a call that brought no result.
 *
 * | what happened                                  | kind                    | outcome     |
 * |------------------------------------------------|-------------------------|-------------|
 * | no connection, or the call was never sent      | `mcp.unreachable`       | not_started |
 * | connection lost after it was sent, HTTP 408, 5xx | `mcp.unreachable`     | unknown     |
 * | HTTP 401, 403, other 4xx                       | `mcp.unreachable`       | not_started |
 * | HTTP 429                                       | `tool.busy`             | not_started |
 * | the tool's time is over                        | `tool.timeout`          | unknown     |
 * | the node's time is over                        | `limit.node_timeout`    | unknown     |
 * | our signal                                     | `cancelled.*`           | unknown     |
 * | the server knows no such tool                  | `tool.not_found`        | not_started |
 * | the server refuses the arguments               | `tool.input_invalid`    | not_started |
 * | any other error of the server                  | `mcp.tool_failed`       | failed      |
 * | a result that is no result, or far too long    | `tool.output_malformed` | failed      |
 *
 * Where a tool may be repeated, `partial` stands in place of `unknown`.
 */
import type { RuntimeKind } from '../../errors/catalog.ts';
import { readProperty } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import type { EffectFailure } from '../effect.ts';
import type { ServerPlace } from './place.ts';
import { isLost, isTooLong } from './too-long.ts';
import { networkCode, statusOf, wasNeverSent } from './unreachable.ts';

export interface FailedCall {
  /** `server/name`. */
  readonly tool: string;
  readonly place: ServerPlace;
  readonly thrown: unknown;
  readonly wasSent: boolean;
  /** The connection was gone when the call ended. */
  readonly isConnectionLost: boolean;
  readonly isIdempotent: boolean;
}

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

const MAX_SAID_CHARS = 500;

export function callFailure(call: FailedCall): EffectFailure {
  return { ok: false, failure: draftOf(call), thrown: call.thrown };
}

/** Stopped by a clock or by whoever wanted it. */
export function stoppedCall(
  kind: RuntimeKind,
  why: string,
  { tool, isIdempotent, wasSent }: Pick<FailedCall, 'tool' | 'isIdempotent' | 'wasSent'>,
): EffectFailure {
  const outcome = wasSent ? inDoubt(isIdempotent) : 'not_started';
  return { ok: false, failure: { kind, message: `The tool ${tool} ${why}`, outcome } };
}

function inDoubt(isIdempotent: boolean): 'partial' | 'unknown' {
  return isIdempotent ? 'partial' : 'unknown';
}

function draftOf(call: FailedCall): ReportDraft {
  const { tool, thrown, wasSent, isConnectionLost } = call;
  if (isTooLong(thrown)) {
    return {
      kind: 'tool.output_malformed',
      message: `The result of ${tool} is longer than Errand reads`,
      action: { kind: 'change_input', detail: 'Ask the tool for less, or for a page at a time.' },
    };
  }
  const status = statusOf(thrown);
  if (status !== undefined) return ofStatus(status, call);
  if (!wasSent || wasNeverSent(thrown)) return gone(call, 'not_started');
  if (isLost(thrown) || isConnectionLost || networkCode(thrown) !== undefined)
    return gone(call, 'sent');
  const code = readProperty(thrown, 'code');
  return typeof code === 'number' ? ofServer(code, call) : ofClient(String(code), call);
}

function gone(
  { tool, isIdempotent, place }: FailedCall,
  when: 'sent' | 'not_started',
): ReportDraft {
  return when === 'sent'
    ? {
        kind: 'mcp.unreachable',
        outcome: inDoubt(isIdempotent),
        message: `The connection to the MCP server ${place.name} was lost after ${tool} was called`,
        details: { server: place.name, tool },
        action: {
          kind: 'find_out',
          detail: 'See whether the call did its work before it is made again.',
        },
      }
    : {
        kind: 'mcp.unreachable',
        outcome: 'not_started',
        message: `The connection to the MCP server ${place.name} was lost before ${tool} was called`,
        details: { server: place.name, tool },
      };
}

function ofStatus(status: number, call: FailedCall): ReportDraft {
  const { place, tool, isIdempotent } = call;
  const message = `The MCP server ${place.name} answered the call of ${tool} with HTTP ${status}`;
  const details = { server: place.name, tool };
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
        detail: `Give a key that it accepts in \`mcp_servers.${place.name}.headers\`.`,
      },
    };
  }
  // a gateway answers 408 and 503 also when the server broke off after it was asked
  const isRefused = status < 500 && status !== 408;
  const outcome = isRefused ? 'not_started' : inDoubt(isIdempotent);
  return { kind: 'mcp.unreachable', outcome, message, details, provider };
}

/** An error of the protocol: the server answered, and it answered no. */
function ofServer(code: number, call: FailedCall): ReportDraft {
  const { tool } = call;
  const said = saidBy(call);
  const details = { server: call.place.name, tool, code };
  const isUnknownTool = code === INVALID_PARAMS && /unknown tool|tool\b.*\bnot found/i.test(said);
  if (code === METHOD_NOT_FOUND || isUnknownTool) {
    return {
      kind: 'tool.not_found',
      outcome: 'not_started',
      message: `The MCP server ${call.place.name} has no tool for ${tool}: ${said}`,
      details,
    };
  }
  if (code === INVALID_PARAMS) {
    return {
      kind: 'tool.input_invalid',
      outcome: 'not_started',
      message: `The MCP server ${call.place.name} refuses the arguments of ${tool}: ${said}`,
      details,
    };
  }
  return { kind: 'mcp.tool_failed', message: `${tool}: ${said}`, retryable: null, details };
}

/** What the client says of an answer that it could not take. */
function ofClient(code: string, call: FailedCall): ReportDraft {
  const { tool } = call;
  const details = { server: call.place.name, tool, code };
  if (code.includes('INPUT_REQUIRED')) {
    return {
      kind: 'mcp.tool_failed',
      message: `The tool ${tool} asks for an answer in the middle of its work, which nobody can give here`,
      details,
    };
  }
  return {
    kind: 'tool.output_malformed',
    message: `What the MCP server answered to ${tool} is no result: ${saidBy(call)}`,
    details,
  };
}

/** Foreign words: bounded, and without what the server was started with. */
function saidBy({ thrown, place }: FailedCall): string {
  const message = readProperty(thrown, 'message');
  const text = typeof message === 'string' ? message : 'it does not say why';
  return place.redactor
    .text(text.replace(/^MCP error -?\d+: /, ''))
    .slice(0, MAX_SAID_CHARS)
    .toWellFormed();
}
