/**
 * What is sent for a call, byte by byte, in each protocol: the request line, the headers and the body. A provider caches
 * prompts by their bytes, and a replay asks for the same again.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import { callsTo, PROVIDERS, type ModelProvider } from './wire-calls.ts';
import { contextFor } from '../../src/effects/effect-port.cases.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { HELLO, KEY, SDKS } from './harness.ts';

let server: Server;
let url: string;
let sent: Sent[] = [];

interface Sent {
  readonly head: string;
  readonly body: string;
}

beforeAll(async () => {
  requireSdks();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', rawHeaders } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      sent.push({ head: `${method} ${path}\n${headerLines(rawHeaders)}`, body });
      response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
});

/** Those that Node's `fetch` adds by itself differ between its versions. */
const OF_NODE: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'accept-language',
  'accept-encoding',
  'sec-fetch-mode',
  'content-length',
]);

function headerLines(raw: readonly string[]): string {
  return raw
    .flatMap((name, at) =>
      at % 2 === 0 && !OF_NODE.has(name.toLowerCase()) ? [`${name}: ${raw[at + 1] ?? ''}`] : [],
    )
    .join('\n')
    .replace(/node\.js\/\d+/g, 'node.js/VERSION');
}

async function requestFor(
  { model, base, env }: ModelProvider,
  call: Partial<ModelCall>,
): Promise<readonly Sent[]> {
  sent = [];
  const effect = createModelEffect({ env });
  const [name = ''] = model.split('/');
  const settings = { name, baseUrl: `${url}${base}` };
  await effect({ call: { ...HELLO, model, ...call }, settings, directory: SDKS }, contextFor());
  return sent.map(({ head, body }) => ({ head: head.replaceAll(KEY, 'KEY'), body }));
}

describe.each(PROVIDERS)('what is sent to $name', (provider) => {
  it('is the same bytes for the same calls', async () => {
    const parts: string[] = [];
    let head = '';
    for (const [title, call] of Object.entries(callsTo(provider.canonical))) {
      const [request, ...more] = await requestFor(provider, call);
      expect(more).toEqual([]);
      // where it is the same as before it is not written again
      const own = request === undefined || request.head === head ? '' : `${request.head}\n\n`;
      parts.push(`## ${title}\n${own}${request?.body ?? 'nothing'}\n`);
      head = request?.head ?? head;
    }
    await expect(parts.join('\n')).toMatchFileSnapshot(`__golden__/requests/${provider.name}.txt`);
  });
});
