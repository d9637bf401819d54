/** The real MCP client against loopback: what it throws for answers, silence and JSON-RPC errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extractFailure } from '../../src/providers/extract/extract.ts';
import { load, requireSdks } from './install.ts';
import { freePort } from '../free-port.ts';
import { startLoopback, type Loopback, type Script } from './server.ts';

/** The network's own errors pass through the client unchanged. */
const HINTS = { provider: 'mcp' };

let server: Loopback;

beforeAll(async () => {
  requireSdks();
  server = await startLoopback();
});

afterAll(async () => {
  await server?.close();
});

const answer =
  (status: number, body: string, contentType = 'text/plain'): Script =>
  (response) =>
    response.writeHead(status, { 'content-type': contentType }).end(body);

/** The first request of a client has id 0. */
const rpcError = (code: number): Script =>
  answer(
    200,
    JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message: 'no' } }),
    'application/json',
  );

interface McpCase {
  readonly name: string;
  readonly script: Script;
  readonly expected: object;
  readonly timeoutMs?: number;
}

const CASES: readonly McpCase[] = [
  {
    name: 'status 500 with a text',
    script: answer(500, 'broken inside'),
    expected: { status: 500, body: 'broken inside', phase: 'headers' },
  },
  { name: 'status 401', script: answer(401, ''), expected: { status: 401, phase: 'headers' } },
  { name: 'status 429', script: answer(429, 'slow down'), expected: { status: 429 } },
  {
    name: 'an unknown method',
    script: rpcError(-32_601),
    expected: { finding: 'mcp_method_not_found', code: '-32601' },
  },
  {
    name: 'bad parameters',
    script: rpcError(-32_602),
    expected: { finding: 'mcp_invalid_params' },
  },
  { name: 'an internal error', script: rpcError(-32_603), expected: { finding: 'mcp_internal' } },
  {
    name: 'silence',
    script: () => undefined,
    expected: { finding: 'timed_out', phase: 'sent' },
    timeoutMs: 200,
  },
  {
    name: 'a connection closed at once',
    script: (_, socket) => socket.destroy(),
    expected: { transport: { code: 'UND_ERR_SOCKET' }, phase: 'sent' },
  },
];

describe('the MCP client', () => {
  it.each(CASES)('meets $name', async ({ script, expected, timeoutMs }) => {
    const thrown = await connect(server.play(script), timeoutMs);
    expect(extractFailure(thrown, HINTS)).toMatchObject({ provider: 'mcp', ...expected });
  });

  it('meets nobody', async () => {
    const thrown = await connect(`http://127.0.0.1:${await freePort()}`);
    expect(extractFailure(thrown, HINTS)).toMatchObject({
      transport: { code: 'ECONNREFUSED' },
      phase: 'before_send',
    });
  });
});

async function connect(url: string, timeoutMs = 5000): Promise<unknown> {
  const { Client, StreamableHTTPClientTransport } = await load(
    '@modelcontextprotocol/client/dist/index.mjs',
  );
  const client = new Client({ name: 'errand', version: '0.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  try {
    await client.connect(transport, { timeout: timeoutMs });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await client.close();
  }
}
