/**
 * A server behind an address: the package's transport, watched. Its client waits for the timeout when
 * the stream that should bring an answer ends without one, and reads answers of any length; here both
 * are told as what they are.
 */
import { boundedFetch } from './bounded-fetch.ts';
import type { McpMessage, McpSdk, McpTransport } from './sdk.ts';
import { lost, tooLong } from './too-long.ts';

export interface HttpServer {
  readonly type: 'http' | 'sse';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export function httpTransport(sdk: McpSdk, { type, url, headers }: HttpServer): McpTransport {
  const open = new Set<string | number>();
  const fetch = boundedFetch((id) => {
    if (id === undefined) void transport.close();
    else answerFor(id, tooLong(id));
  });
  const options = { headers, fetch };
  const transport =
    type === 'sse' ? sdk.sseTransport(url, options) : sdk.httpTransport(url, options);
  const watched = passOn(transport, (message) => {
    if (message.id !== undefined && message.method === undefined) open.delete(message.id);
  });
  const answerFor = (id: string | number, message: McpMessage): void => {
    if (open.delete(id)) watched.onmessage?.(message);
  };
  watched.send = async (message, given = {}) => {
    const { id, method } = message;
    if (id === undefined || method === undefined) return transport.send(message, given);
    open.add(id);
    return transport.send(message, { ...given, onRequestStreamEnd: () => answerFor(id, lost(id)) });
  };
  return type === 'sse' ? withoutReturn(transport, watched) : watched;
}

/**
 * Server-sent events: one stream brings every answer. After a break the package would connect again by
 * itself, to a server that knows nothing of what was asked before; here the connection is over.
 */
function withoutReturn(transport: McpTransport, watched: McpTransport): McpTransport {
  watched.start = async () => {
    await transport.start();
    transport.onerror = (error) => {
      watched.onerror?.(error);
      void transport.close();
    };
  };
  return watched;
}

/** The same transport, with listeners of its own. */
function passOn(transport: McpTransport, hear: (message: McpMessage) => void): McpTransport {
  const watched: McpTransport = {
    start: () => transport.start(),
    send: (message, options) => transport.send(message, options),
    close: () => transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion?.(version),
    get sessionId() {
      return transport.sessionId;
    },
    ...(transport.hasPerRequestStream === true ? { hasPerRequestStream: true } : {}),
  };
  transport.onclose = () => watched.onclose?.();
  transport.onerror = (error) => watched.onerror?.(error);
  transport.onmessage = (message, extra) => {
    hear(message);
    watched.onmessage?.(message, extra);
  };
  return watched;
}
