/** A proxy before a Temporal server: TLS that asks for certificates, and for keys. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

const FOLDER = join(import.meta.dirname, '__fixtures__', 'tls');

/** A file of an authority that nobody trusts by default, for the name `server.errand.test`. */
export function pemFile(
  name: 'ca.pem' | 'server.pem' | 'server.key' | 'client.pem' | 'client.key',
) {
  return join(FOLDER, name);
}

const SERVER = {
  key: readFileSync(pemFile('server.key')),
  cert: readFileSync(pemFile('server.pem')),
};

export interface Front {
  readonly address: string;
  close(): Promise<void>;
}

/** Refuses clients without a certificate of our authority; the server behind it does the rest. */
export async function mutualTls(address: string): Promise<Front> {
  const sockets = new Set<Socket>();
  const server = createServer(
    {
      ...SERVER,
      ca: readFileSync(pemFile('ca.pem')),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (inside) => {
      const [host = '', port = ''] = address.split(':');
      const outside = connect(Number(port), host);
      for (const each of [inside, outside]) {
        sockets.add(each);
        each.on('error', () => void each.destroy()).on('close', () => sockets.delete(each));
      }
      inside.pipe(outside).pipe(inside);
    },
  );
  return front(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Refuses every call as not allowed, and keeps its headers. */
export async function gatekeeper(): Promise<Front & { readonly headers: readonly object[] }> {
  const headers: object[] = [];
  const server: Http2SecureServer = createSecureServer(SERVER);
  server.on('stream', (stream, given) => {
    headers.push(given);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '16' },
      { endStream: true },
    );
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => void sessions.add(session));
  const opened = await front(server, () => {
    for (const session of sessions) session.destroy();
  });
  return { ...opened, headers };
}

async function front(server: Server, cut: () => void): Promise<Front> {
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a server that listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
