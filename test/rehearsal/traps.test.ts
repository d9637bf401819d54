/** A workflow full of traps: whatever is executed, called, fetched or written leaves a trace. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rehearse } from '../../src/rehearsal/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-traps-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('a rehearsal', () => {
  it('executes no script, tool or function, sends no request and writes nothing', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.end('{}');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const trap = join(directory, 'sprung');
    writeFileSync(
      join(directory, 'trap.mjs'),
      `import { writeFileSync } from 'node:fs';
export function called() { writeFileSync(${JSON.stringify(trap)}, 'function'); return {}; }
export function tooled() { writeFileSync(${JSON.stringify(trap)}, 'tool'); return {}; }
`,
    );
    writeFileSync(
      join(directory, 'traps.yaml'),
      `workflow:
  name: traps
  entry_point: s
  module: ./trap.mjs
  runtime:
    provider: {name: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: key}
    http_fetch: {allow: ["http://127.0.0.1:${port}"], allow_private: ["http://127.0.0.1:${port}"], methods: [GET, POST]}
nodes:
  - {name: s, type: script, command: touch, args: [${JSON.stringify(trap)}], routes: [{to: c}]}
  - {name: c, type: call, function: called, routes: [{to: t}]}
  - {name: t, type: tool, tool: tooled, routes: [{to: f}]}
  - {name: f, type: tool, tool: http_fetch, arguments: {url: "http://127.0.0.1:${port}/"}, routes: [{to: m}]}
  - {name: m, model: openai/gpt-6-mini, prompt: Hi, tools: [tooled]}
`,
    );
    const before = readdirSync(directory);
    const { scenarios } = await rehearse('traps.yaml', { directory, crashes: 'sample:20' });
    server.close();
    expect(scenarios.length).toBeGreaterThan(100);
    expect(requests).toBe(0);
    expect(existsSync(trap)).toBe(false);
    expect(readdirSync(directory)).toEqual(before);
  });

  it('gives the same bytes for the same file and seed', async () => {
    const file = join(import.meta.dirname, '../../examples');
    const once = await rehearse('support-desk.yaml', { directory: file, crashes: 'sample:15' });
    const again = await rehearse('support-desk.yaml', { directory: file, crashes: 'sample:15' });
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });
});
