/**
 * The MCP client: JSON-RPC errors from the server, the client's own errors, responses of the HTTP
 * transport, and tool results with `isError`. Copies of version 2 share brands; version 1 is recognised by
 * its name.
 */
import { isArray, readProperty } from '../../errors/support/safe-json.ts';
import type { Finding } from '../provider-failure.ts';
import {
  parseBody,
  readClassName,
  readMessage,
  readName,
  readStatus,
  readText,
  type Extracted,
  type Extractor,
} from './extractor.ts';

const BRANDS = Symbol.for('mcp.sdk.errorBrands');

export const mcp: Extractor = {
  source: 'mcp',
  extract(link) {
    const found = brandedError(link) ?? versionOneError(link) ?? toolResult(link);
    return found === undefined ? undefined : { provider: 'mcp', ...found };
  },
};

function brandedError(link: unknown): Extracted | undefined {
  const brands = readProperty(link, BRANDS);
  const message = readMessage(link);
  if (hasBrand(brands, 'mcp.ProtocolError')) return protocolError(link);
  if (hasBrand(brands, 'mcp.SdkError')) return sdkError(link);
  if (hasBrand(brands, 'mcp.SseError')) return { ...httpAnswer(link, 'code'), message };
  if (hasBrand(brands, 'mcp.UnauthorizedError')) return { status: 401, message };
  if (hasBrand(brands, 'mcp.InsufficientScopeError')) return { status: 403, message };
  if (hasBrand(brands, 'mcp.OAuthError') || hasBrand(brands, 'mcp.OAuthClientFlowError')) {
    return { status: readStatus(link, 'status') ?? 401, code: readText(link, 'code'), message };
  }
  return undefined;
}

function hasBrand(brands: unknown, brand: string): boolean {
  // the set may come from another realm, so this calls its own method
  const has = readProperty(brands, 'has');
  if (typeof has !== 'function') return false;
  try {
    return Reflect.apply(has, brands, [brand]) === true;
  } catch {
    // not a set after all
    return false;
  }
}

const LOCAL: Readonly<Record<string, Finding>> = {
  NOT_CONNECTED: 'connection_closed',
  NOT_INITIALIZED: 'connection_closed',
  CONNECTION_CLOSED: 'connection_closed',
  SEND_FAILED: 'connection_closed',
  ERA_NEGOTIATION_FAILED: 'connection_closed',
  REQUEST_TIMEOUT: 'timed_out',
  CAPABILITY_NOT_SUPPORTED: 'mcp_method_not_found',
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: 'mcp_method_not_found',
  INVALID_RESULT: 'output_unparsable',
  UNSUPPORTED_RESULT_TYPE: 'output_unparsable',
};

/** Codes of errors that the client raises before it sends anything. */
const UNSENT = /^(?:NOT_|ALREADY_|CAPABILITY_|METHOD_)/;

function sdkError(link: unknown): Extracted {
  const code = readText(link, 'code') ?? '';
  const message = readMessage(link);
  const data = readProperty(link, 'data');
  const status = readStatus(data, 'status');
  if (status !== undefined) {
    return { status, code, message, body: parseBody(readText(data, 'text')) };
  }
  const finding = Object.hasOwn(LOCAL, code) ? LOCAL[code] : 'mcp_internal';
  return { finding, code, message, phase: UNSENT.test(code) ? 'before_send' : undefined };
}

const JSON_RPC: ReadonlyMap<number, Finding> = new Map([
  [-32_601, 'mcp_method_not_found'],
  [-32_602, 'mcp_invalid_params'],
  [-32_600, 'mcp_invalid_params'],
  [-32_002, 'mcp_invalid_params'],
  [-32_021, 'unsupported_feature'],
  [-32_022, 'unsupported_feature'],
  [-32_042, 'unsupported_feature'],
]);

function protocolError(link: unknown): Extracted {
  const code = readProperty(link, 'code');
  const message = readMessage(link);
  const number = typeof code === 'number' ? code : 0;
  // version 1 gives its own timeout and closed connection codes that servers use for other things
  const isTimeout = number === -32_001 && /timed? ?out|timeout/i.test(message ?? '');
  const isClosed = number === -32_000 && /connection closed/i.test(message ?? '');
  const local: Finding | undefined = isTimeout ? 'timed_out' : undefined;
  const finding = local ?? (isClosed ? 'connection_closed' : JSON_RPC.get(number));
  return { finding: finding ?? 'mcp_internal', code: String(number), message };
}

function versionOneError(link: unknown): Extracted | undefined {
  if (readName(link) === 'McpError') return protocolError(link);
  const isHttp = /^(?:StreamableHTTPError|SseError)$/.test(readClassName(link));
  return isHttp ? { ...httpAnswer(link, 'code'), message: readMessage(link) } : undefined;
}

function httpAnswer(link: unknown, key: string): Extracted {
  const status = readStatus(link, key);
  return status === undefined ? { finding: 'connection_closed' } : { status };
}

/** The call reached the tool, and the tool reports a failure. */
function toolResult(link: unknown): Extracted | undefined {
  const content = readProperty(link, 'content');
  if (readProperty(link, 'isError') !== true || !isArray(content)) return undefined;
  const texts = [0, 1, 2, 3].flatMap(
    (index) => readText(readProperty(content, index), 'text') ?? [],
  );
  const message = texts.join('\n').slice(0, 4096);
  return { finding: 'mcp_tool_error', phase: 'headers', message: message || undefined };
}
