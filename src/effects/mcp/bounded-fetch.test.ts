import { afterEach, expect, it, vi } from 'vitest';
import { boundedFetch } from './bounded-fetch.ts';

afterEach(() => vi.unstubAllGlobals());

const MAX_BYTES = 64;

/** Asks a server whose response comes in these chunks; says what of it the client gets. */
async function ask(type: string, chunks: readonly string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'content-type': type } }));
  const tooLong: unknown[] = [];
  const listener = { tooLong: (id: unknown) => tooLong.push(id), message: () => undefined };
  const send = boundedFetch(listener, MAX_BYTES);
  const response = await send('http://server.test/mcp', { method: 'POST', body: '{"id":7}' });
  const text = await response.text().catch(() => undefined);
  return { text, tooLong };
}

const SSE = 'text/event-stream';
const half = 'x'.repeat(MAX_BYTES / 2);

it.each<[string, string, string[]]>([
  ['is one document', 'application/json', [half, half, 'x']],
  [
    'is one line that ends in the chunk that makes it too long',
    SSE,
    [`data: ${half}`, `${half}\n`],
  ],
  ['is one event of many lines', SSE, [`data: ${half}\n`, `data: ${half}\n`]],
  ['is one event of many lines that end with CR LF', SSE, [`data: ${half}\r\ndata: ${half}\r\n`]],
  ['comes after others', SSE, [`data: a\n\ndata: ${half}\n`, `data: ${half}\n\n`]],
])('a message over the limit is refused where it %s', async (_, type, chunks) => {
  expect(await ask(type, chunks)).toEqual({ text: undefined, tooLong: [7] });
});

it.each<[string, string[]]>([
  ['in one chunk', [`data: ${half}\n\ndata: ${half}\n\ndata: ${half}\n\n`]],
  ['with CR LF in two chunks', [`data: ${half}\r\n\r`, `\ndata: ${half}\r\n\r\n`]],
  ['with a comment between them', [`data: ${half}\n\n: ping\n\n`, `data: ${half}\n\n`]],
])('many messages may be longer together: %s', async (_, chunks) => {
  expect(await ask(SSE, chunks)).toEqual({ text: chunks.join(''), tooLong: [] });
});
