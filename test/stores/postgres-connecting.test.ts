/** A server that ends a connection in the moment in which it is made. Needs no PostgreSQL. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import { rejects } from '../../src/stores/conformance/scene.ts';

/** A message of the protocol: its type, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const ACCEPTED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const FATAL = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

let server: Server;
let url = '';
const uncaught: unknown[] = [];
const note = (thrown: unknown): void => void uncaught.push(thrown);

beforeEach(async () => {
  process.on('uncaughtException', note);
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    // in one packet, so that the client reads all three before it can do anything
    socket.once('data', () => socket.end(Buffer.concat([ACCEPTED, READY, FATAL])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `postgres://errand@127.0.0.1:${(server.address() as AddressInfo).port}/postgres`;
});
afterEach(async () => {
  process.off('uncaughtException', note);
  server.close();
  await once(server, 'close');
});

it('is a store that is not available, and the process lives', async () => {
  const opened = openPostgresStore({ pg, url, schema: 'errand', patienceMs: 2000 });
  const { report } = await rejects(opened, 'store.unavailable');
  expect(report.details).toMatchObject({ reason: 'disconnected' });
  expect(uncaught).toEqual([]);
});
