/** What a server says of its tools goes to models without what the server was started with. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openErrand } from '../../src/index.ts';
import { requireSdks } from '../sdk-parity/install.ts';
import { SERVER } from './harness.ts';
import { SDKS } from './tools.ts';

const TOKEN = 'token-that-nobody-may-see';

let folder = '';
beforeAll(() => {
  requireSdks();
  folder = mkdtempSync(join(tmpdir(), 'errand-mcp-told-'));
  symlinkSync(join(SDKS, 'node_modules'), join(folder, 'node_modules'));
  const server = {
    command: process.execPath,
    args: [SERVER],
    env: {
      DID: join(folder, 'did'),
      START: join(folder, 'start'),
      TOKEN: '${SECRET_TOKEN}',
    },
  };
  const workflow = { name: 't', entry_point: 'a', runtime: { mcp_servers: { s: server } } };
  const agent = { name: 'a', prompt: 'Ask', model: 'house/own', tools: ['s/refuse'] };
  writeFileSync(join(folder, 't.yaml'), JSON.stringify({ workflow, nodes: [agent] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('no description or schema of a tool brings a secret of its server to a model', async () => {
  let asked = '';
  const model = {
    specificationVersion: 'v4',
    provider: 'house',
    modelId: 'own',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream: (options: { readonly tools: unknown }) => {
      asked = JSON.stringify(options.tools);
      const usage = { inputTokens: {}, outputTokens: {} };
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Said' },
        { type: 'text-end', id: '1' },
        { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
      ];
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  };
  const errand = await openErrand({
    store: 'memory',
    directory: folder,
    env: { SECRET_TOKEN: TOKEN },
    models: { 'house/own': model },
  });
  const run = await errand.start(await errand.load('t.yaml'));
  expect(await run.result()).toMatchObject({ status: 'completed' });
  await errand.close();
  expect(asked).toContain('Refuses [redacted]');
  expect(asked).not.toContain(TOKEN);
});
