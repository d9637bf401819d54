/** The client of a server, with an answer that no Errand server gives. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ServerClient } from './server-client.ts';

const MEBIBYTE = ' '.repeat(1024 * 1024);
const server = createServer((_, response) => {
  let left = 80;
  const write = (): void => {
    for (; left > 0; left--)
      if (!response.write(MEBIBYTE)) return void response.once('drain', write);
    response.end('{}');
  };
  write();
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('stops reading an answer that is too large', async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // true: it listens on a port
  const { port } = server.address() as AddressInfo;
  const client = new ServerClient({ url: `http://127.0.0.1:${port}` });
  await expect(client.get('/api/runs')).rejects.toMatchObject({
    report: { kind: 'store.unavailable', message: expect.stringContaining('larger than') },
  });
});
