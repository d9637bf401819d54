/** The built-in `http_fetch` in runs of an application that allows a host, and of one that does not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openErrand } from '../../src/index.ts';

let folder = '';
let server: Server;
let origin = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-fetch-'));
  server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"price": 7}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = { name: 'a', type: 'tool', tool: 'http_fetch', arguments: { url: `${origin}/x` } };
  const agent = { name: 'b', prompt: 'Ask', model: 'sim/m', routes: [{ to: '$end' }] };
  const runtime = {
    simulate: {
      m: [
        { tool_calls: [{ name: 'http_fetch', arguments: { url: 'http://169.254.169.254/' } }] },
        { tool_calls: [{ name: 'http_fetch', arguments: { url: origin } }] },
        { answer: 'done' },
      ],
    },
  };
  const file = {
    workflow: { name: 't', entry_point: 'a', runtime },
    nodes: [{ ...node, routes: [{ to: 'b' }] }, agent],
    output: { price: '{{ a.output.body.price }}', said: '{{ b.output.result }}' },
  };
  writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

describe('http_fetch', () => {
  it('is used by nodes and agents where the host allows it, and denied everywhere else', async () => {
    const errand = await openErrand({
      store: 'memory',
      directory: folder,
      fetch: { allow: [origin], allowPrivate: [origin] },
    });
    const run = await errand.start(await errand.load('t.yaml'));
    const failures: string[] = [];
    for await (const event of run.events())
      if (event.type === 'effect:failed') failures.push(event.error.kind);
    expect(await run.result()).toMatchObject({
      status: 'completed',
      output: { price: 7, said: 'done' },
    });
    expect(failures).toEqual(['tool.denied']);
    await errand.close();
  });

  it('does not exist where the host allows nothing', async () => {
    const errand = await openErrand({ store: 'memory', directory: folder });
    await expect(errand.load('t.yaml')).rejects.toMatchObject({ kind: 'validation.node_config' });
    await errand.close();
  });
});
