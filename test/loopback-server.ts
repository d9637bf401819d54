/** A server on 127.0.0.1 for tests, whose open connections end with it. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface LoopbackServer {
  readonly url: string;
  /** Ends every connection, as a process does that dies. */
  cut(): void;
  close(): Promise<void>;
}

/** A connection is never closed for being idle: one that ends while a request is on its way would be another failure. */
export async function startLoopbackServer(
  answer: RequestListener,
  port = 0,
): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async close() {
      cut();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
