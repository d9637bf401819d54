/**
 * A transport that rejects malformed results of calls. The client fills in missing parts, so an empty
 * object, or a result of another shape, would look like a tool with an empty result.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { passOn } from './http-transport.ts';
import type { McpTransport } from './sdk.ts';
import { noResult } from './too-long.ts';

export function withResults(transport: McpTransport): McpTransport {
  const calls = new Set<string | number>();
  const watched = passOn(transport, (message) => {
    const { id, method, result } = message;
    if (id === undefined || method !== undefined || !calls.delete(id)) return message;
    return isPlainObject(result) && !isResult(result) ? noResult(id) : message;
  });
  watched.send = (message, options) => {
    const { id, method } = message;
    if (id !== undefined && method === 'tools/call') calls.add(id);
    return transport.send(message, options);
  };
  return watched;
}

function isResult(result: object): boolean {
  if (isArray(readProperty(result, 'content'))) return true;
  const structured = readProperty(result, 'structuredContent');
  if (structured !== undefined && structured !== null) return true;
  if (readProperty(result, 'isError') === true) return true;
  // the client itself reports a content that is not a list, and intermediate responses
  if (readProperty(result, 'content') !== undefined) return true;
  const type = readProperty(result, 'resultType');
  return type !== undefined && type !== 'complete';
}
