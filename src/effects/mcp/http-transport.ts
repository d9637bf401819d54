/**
 * The package's HTTP transport with three additions. The client would wait for the timeout when a stream
 * ends without its response, and would read responses of any length; here both become errors at once. A
 * number that loses digits when the client parses a result is noted in that result, and so are bytes that
 * are no text.
 */
import { boundedFetch, messageId } from './bounded-fetch.ts';
import { flawIn, withFlaw, type Flaw } from './inexact-result.ts';
import type { McpMessage, McpSdk, McpTransport } from './mcp-client-sdk.ts';
import { lost, tooLong } from './too-long.ts';

export interface HttpServer {
  readonly type: 'http' | 'sse';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export function httpTransport(sdk: McpSdk, { type, url, headers }: HttpServer): McpTransport {
  const open = new Set<string | number>();
  const flaws = new Map<unknown, Flaw>();
  const fetch = boundedFetch({
    answersInBody: type === 'http',
    tooLong: (id) => {
      if (id === undefined) void transport.close();
      else answerFor(id, tooLong(id));
    },
    message: (text, isUtf8) => {
      const flaw = flawIn(text, isUtf8);
      if (flaw !== undefined) flaws.set(messageId(text), flaw);
    },
  });
  const options = { headers, fetch };
  const transport =
    type === 'sse' ? sdk.sseTransport(url, options) : sdk.httpTransport(url, options);
  const watched = passOn(transport, (message) => {
    const { id, method } = message;
    if (id === undefined || method !== undefined) return message;
    open.delete(id);
    const flaw = flaws.get(id);
    flaws.delete(id);
    return withFlaw(message, flaw);
  });
  const answerFor = (id: string | number, message: McpMessage): void => {
    if (open.delete(id)) watched.onmessage?.(message);
  };
  watched.send = async (message, options = {}) => {
    const { id, method } = message;
    if (id === undefined || method === undefined) return transport.send(message, options);
    open.add(id);
    return transport.send(message, {
      ...options,
      onRequestStreamEnd: () => answerFor(id, lost(id)),
    });
  };
  return type === 'sse' ? withoutReturn(transport, watched) : watched;
}

/**
 * Server-sent events: one stream carries every response. After a break the package would reconnect by
 * itself, to a server that no longer knows the earlier requests; here the connection ends.
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

/** Wraps a transport with its own listeners; `hear` may change or drop each message. */
export function passOn(
  transport: McpTransport,
  hear: (message: McpMessage) => McpMessage,
): McpTransport {
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
    watched.onmessage?.(hear(message), extra);
  };
  return watched;
}
