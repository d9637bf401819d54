/**
 * A server on 127.0.0.1 that replies by a script. Each script has an address of its own, so calls
 * may run at the same time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { startLoopbackServer } from '../loopback-server.ts';

export type Script = (response: ServerResponse, socket: Socket) => void;

export interface Loopback {
  /** The base URL under which the script is played. */
  play(script: Script): string;
  close(): Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const scripts = new Map<string, Script>();
  const server = await startLoopbackServer((request, response) => {
    const script = scripts.get((request.url ?? '').split('/')[1] ?? '');
    drain(request, () => {
      if (script === undefined) response.writeHead(599).end();
      else script(response, request.socket);
    });
  });
  return {
    play(script) {
      const name = `s${scripts.size}`;
      scripts.set(name, script);
      return `${server.url}/${name}`;
    },
    close: () => server.close(),
  };
}

/** On some systems an answer becomes a reset if the request was not read to its end. */
function drain(request: IncomingMessage, then: () => void): void {
  request.on('end', then);
  request.on('error', () => undefined);
  request.resume();
}
