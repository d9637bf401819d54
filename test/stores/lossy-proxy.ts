/** Stands between a store and its PostgreSQL server, and can withhold an answer. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';

/**
 * How the connection ends: by an administrator of the server, or without notice; or it stays open
 * and nothing passes.
 */
export type Loss = 'terminated' | 'cut' | 'silent';

export interface LossyProxy {
  readonly url: string;
  /**
   * Loses the answer of the next statement with this text, after it is committed: the client never
   * receives it. Resolves when it is lost.
   */
  loseAnswer(statement: string, loss: Loss): Promise<void>;
  close(): Promise<void>;
}

interface Plan {
  readonly statement: string;
  readonly loss: Loss;
  readonly done: () => void;
}

const LATER_MS = 30;

/** The server's last message when a statement is over and no transaction is open. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

export async function startLossyProxy(url: string): Promise<LossyProxy> {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  let planned: Plan | undefined;

  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // a disconnected client notices the end of the connection
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    let losing: Plan | undefined;
    let isSilent = false;
    client.on('data', (sent) => {
      if (isSilent) return;
      if (planned !== undefined && sent.includes(planned.statement)) {
        losing = planned;
        planned = undefined;
      }
      upstream.write(sent);
    });
    upstream.on('data', (answer) => {
      if (isSilent) return;
      if (losing === undefined) return void client.write(answer);
      if (!answer.subarray(-READY.length).equals(READY)) return undefined;
      const { loss, done } = losing;
      losing = undefined;
      if (loss === 'terminated') void terminate(url, upstream);
      else if (loss === 'cut') client.destroy();
      else isSilent = true;
      return done();
    });
    client.on('close', () => upstream.destroy());
    // the last message of a server may arrive some time before the connection ends
    upstream.on('close', () => setTimeout(() => client.end(), LATER_MS));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    loseAnswer: (statement, loss) =>
      new Promise((done) => (planned = { statement, loss, done: () => done() })),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function terminate(url: string, { localPort }: Socket): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = $1',
    [localPort],
  );
  await admin.end();
}
