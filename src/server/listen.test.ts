/** What a socket costs at most: clients that send slowly. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';
import { HostedServer } from './server.ts';

const LIMITS = { headersMs: 100, requestMs: 200, checkMs: 20 };

test.each([
  ['headers', 'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
  [
    'a body',
    'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
  ],
])('a client that sends %s a byte at a time is cut off, and is told why', async (_, begun) => {
  const server = new HostedServer({
    store: 'memory',
    env: {},
    files: [],
    authorize: () => ({ name: 'ada', role: 'run' }),
  });
  const listening = await listen(server, { host: '127.0.0.1', port: 0, limits: LIMITS });
  const socket = connect(listening.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
  socket.on('error', () => undefined);
  socket.write(begun);
  const dripping = setInterval(() => socket.write('x'), 10);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(dripping);
  expect(answer).toContain('HTTP/1.1 422');
  expect(answer).toContain('The request took too long to arrive');
  listening.stop();
  await listening.ended(0);
  await server.close();
});
