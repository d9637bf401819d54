/** `POST /mcp` of a server whose installation lacks the package that serves the protocol. */
import { expect, it } from 'vitest';
import { embedded } from './served.ts';

it('is not found, and the answer says what to install', async () => {
  const { server, ask } = embedded({});
  const { status, json } = await ask('/mcp', {
    json: { jsonrpc: '2.0', id: 1, method: 'ping' },
    headers: { accept: 'application/json, text/event-stream' },
  });
  await server.close();
  expect(status).toBe(404);
  expect(json).toMatchObject({
    kind: 'request.not_found',
    action: { detail: 'Run `npm install @modelcontextprotocol/server`.' },
  });
});
