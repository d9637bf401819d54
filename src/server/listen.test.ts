/** Sockets: what slow clients cost at most, and how long a connection is kept for the next request. */
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';
import { HostedServer } from './errand-server.ts';

function newServer(): HostedServer {
  return new HostedServer({
    store: 'memory',
    env: {},
    files: [],
    authorize: () => ({ name: 'ada', role: 'run' }),
  });
}

const LIMITS = { headersMs: 100, requestMs: 200, checkMs: 20 };

test.each([
  ['headers', 'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
  [
    'a body',
    'POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
  ],
])('a client that sends %s a byte at a time is cut off, and learns why', async (_, begun) => {
  const server = newServer();
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

test('an idle connection is kept longer than a proxy keeps it', async () => {
  const server = newServer();
  const listening = await listen(server, { host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  const [response] = (await once(
    get({ host: '127.0.0.1', port: listening.port, path: '/health', agent }),
    'response',
  )) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  const [, seconds] = /timeout=(\d+)/.exec(String(response.headers['keep-alive'])) ?? [];
  // nginx and many load balancers: 60 s
  expect(Number(seconds)).toBeGreaterThan(60);
  agent.destroy();
  listening.stop();
  await listening.ended(0);
  await server.close();
});
