/** A provider on 127.0.0.1 that replies by a script and keeps every request. */
import type { ServerResponse } from 'node:http';
import { startLoopbackServer } from '../loopback-server.ts';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
}

export type Reply = (response: ServerResponse, received: Received) => void;

export interface Upstream {
  /** Sets the answer to every request from now on. Forgets the received requests. */
  answer(reply: Reply): void;
  readonly received: readonly Received[];
  readonly url: string;
  close(): Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  let received: Received[] = [];
  let reply: Reply = (response) => void response.writeHead(599).end();
  const server = await startLoopbackServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const got: Received = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : JSON.parse(text),
      };
      received.push(got);
      reply(response, got);
    });
  });
  return {
    url: server.url,
    answer(next) {
      received = [];
      reply = next;
    },
    get received() {
      return received;
    },
    close: () => server.close(),
  };
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/**
 * Server-sent events; those with a type carry it as their name, as two of the protocols require.
 */
export function events(...list: readonly object[]): string {
  return list
    .map((event) => {
      const type: unknown = (event as { type?: unknown }).type;
      const name = typeof type === 'string' ? `event: ${type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

/** A whole stream with a proper end. */
export function streams(text: string | Uint8Array): Reply {
  return (response) => void response.writeHead(200, EVENT_STREAM).end(text);
}

/** The beginning of a stream, and then nothing more. */
export function stalls(text: string): Reply {
  return (response) => void response.writeHead(200, EVENT_STREAM).write(text);
}

/** The beginning of a stream, and then the connection breaks. */
export function cuts(text: string): Reply {
  return (response) => {
    response.writeHead(200, EVENT_STREAM).write(text, () => response.destroy());
  };
}

export function refuses(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}
