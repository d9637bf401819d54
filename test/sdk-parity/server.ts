/**
 * A server on 127.0.0.1 that replies by a script. Each script has an address of its own, so calls
 * may run at the same time.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Script = (response: ServerResponse, socket: Socket) => void;

export interface Loopback {
  /** The base URL under which the script is played. */
  play(script: Script): string;
  close(): Promise<void>;
}

export async function startLoopback(): Promise<Loopback> {
  const scripts = new Map<string, Script>();
  const sockets = new Set<Socket>();
  // if the server closed a connection with a request on its way, that would be another failure than
  // the script's
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const script = scripts.get((request.url ?? '').split('/')[1] ?? '');
    drain(request, () => {
      if (script === undefined) response.writeHead(599).end();
      else script(response, request.socket);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    play(script) {
      const name = `s${scripts.size}`;
      scripts.set(name, script);
      return `http://127.0.0.1:${port}/${name}`;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** On some systems an answer becomes a reset if the request was not read to its end. */
function drain(request: IncomingMessage, then: () => void): void {
  request.on('end', then);
  request.on('error', () => undefined);
  request.resume();
}
