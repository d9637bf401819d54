/**
 * The caller of a tool: the token over HTTP or the client's own name on stdio, and whether it can
 * ask a person.
 */
import { isPlainObject, readProperty } from '../errors/support/safe-json.ts';
import type { SdkContext, SdkServer } from './sdk.ts';

export interface McpCaller {
  /** The name in the audit: `mcp:NAME`. */
  readonly by: string;
  /** Whether it may only read. */
  readonly isReader: boolean;
  /** Whether the client shows forms to its person. */
  readonly canAsk: boolean;
}

/** The caller over HTTP. On stdio a client may do everything that its process may. */
export interface TokenHolder {
  readonly name: string;
  readonly isReader: boolean;
}

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const MAX_NAME_CHARS = 64;

export function callerOf(
  server: SdkServer,
  { mcpReq: { envelope } }: SdkContext,
  holder: TokenHolder | undefined,
): McpCaller {
  const info = envelope?.[CLIENT_INFO] ?? server.getClientVersion();
  const capabilities = envelope?.[CLIENT_CAPABILITIES] ?? server.getClientCapabilities();
  return {
    by: `mcp:${holder?.name ?? ownName(info)}`,
    isReader: holder?.isReader === true,
    canAsk: canAsk(capabilities),
  };
}

/**
 * A name that the client gives itself: it proves nothing, and must not look like another form of
 * name.
 */
function ownName(info: unknown): string {
  const name = readProperty(info, 'name');
  const plain = typeof name === 'string' ? name.replaceAll(/[^\p{L}\p{N}_.@ -]/gu, '_').trim() : '';
  return plain === '' ? 'unknown' : plain.slice(0, MAX_NAME_CHARS);
}

/** Older clients, from before there were two ways of asking, only say that they can ask. */
export function canAsk(capabilities: unknown): boolean {
  const elicitation = readProperty(capabilities, 'elicitation');
  if (!isPlainObject(elicitation)) return false;
  return Object.hasOwn(elicitation, 'form') || !Object.hasOwn(elicitation, 'url');
}
