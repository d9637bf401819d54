/**
 * A transport that rejects malformed responses to calls. The client fills in missing parts, so an empty
 * object, or a result of another shape, would look like a tool with an empty result; and it ignores a
 * message that is no response of the protocol, so the call would wait for its timeout.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { passOn } from './http-transport.ts';
import type { McpMessage, McpTransport } from './mcp-client-sdk.ts';
import { noResult } from './too-long.ts';

export function withCheckedResponses(transport: McpTransport): McpTransport {
  const calls = new Set<string | number>();
  const watched = passOn(transport, (message) => {
    const { id, method } = message;
    if (id === undefined || method !== undefined || !calls.delete(id)) return message;
    return isResponse(message) ? message : noResult(id);
  });
  watched.send = (message, options) => {
    const { id, method } = message;
    if (id !== undefined && method === 'tools/call') calls.add(id);
    return transport.send(message, options);
  };
  return watched;
}

function isResponse({ result, error }: McpMessage): boolean {
  if (error === undefined) return isPlainObject(result) && isResult(result);
  const isError =
    Number.isInteger(readProperty(error, 'code')) &&
    typeof readProperty(error, 'message') === 'string';
  return isError && result === undefined;
}

function isResult(result: object): boolean {
  const type = readProperty(result, 'resultType');
  // an intermediate response; in the eras that do not know them the client drops the word
  if (type !== undefined && type !== 'complete') return false;
  if (isArray(readProperty(result, 'content'))) return true;
  const structured = readProperty(result, 'structuredContent');
  if (structured !== undefined && structured !== null) return true;
  if (readProperty(result, 'isError') === true) return true;
  // the client itself reports a content that is not a list
  return readProperty(result, 'content') !== undefined;
}
