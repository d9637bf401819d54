/** A workflow full of traps: whatever is executed, called, fetched or written leaves a trace. */
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rehearse, type RehearsalResult } from '../../src/rehearsal/index.ts';
import { newPlace } from '../cli/errand.ts';

const place = newPlace();
afterAll(() => place.remove());

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
    const trap = join(place.folder, 'sprung');
    place.write(
      'trap.mjs',
      `import { writeFileSync } from 'node:fs';
export function called() { writeFileSync(${JSON.stringify(trap)}, 'function'); return {}; }
export function tooled() { writeFileSync(${JSON.stringify(trap)}, 'tool'); return {}; }
`,
    );
    place.write(
      'extended.mjs',
      `import { writeFileSync } from 'node:fs';
import { extension, tool } from 'errand';
const spring = (what) => () => { writeFileSync(${JSON.stringify(trap)}, what); return {}; };
export const extended = extension({
  name: 'extended',
  contract: 1,
  start: spring('start'),
  stop: spring('stop'),
  sink: spring('sink'),
  guard: spring('guard'),
  tools: { reach: tool({ description: 'Reaches', run: spring('tool of an extension') }) },
  nodes: { act: spring('node of an extension') },
});
`,
    );
    place.write(
      'traps.yaml',
      `workflow:
  name: traps
  entry_point: s
  module: ./trap.mjs
  extensions: [./extended.mjs]
  runtime:
    provider: {name: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: key}
    mcp_servers:
      box: {type: stdio, command: touch, args: [${JSON.stringify(trap)}], tools: [read]}
      far: {type: http, url: "http://127.0.0.1:${port}/mcp", tools: [read]}
    http_fetch: {allow: ["http://127.0.0.1:${port}"], allow_private: ["http://127.0.0.1:${port}"], methods: [GET, POST]}
nodes:
  - {name: s, type: script, command: touch, args: [${JSON.stringify(trap)}], routes: [{to: c}]}
  - {name: c, type: call, function: called, routes: [{to: t}]}
  - {name: t, type: tool, tool: tooled, routes: [{to: f}]}
  - {name: f, type: tool, tool: http_fetch, arguments: {url: "http://127.0.0.1:${port}/"}, routes: [{to: x}]}
  - {name: x, type: extended.act, routes: [{to: y}]}
  - {name: y, type: tool, tool: extended.reach, routes: [{to: z}]}
  - {name: z, type: tool, tool: box/read, routes: [{to: m}]}
  - {name: m, model: openai/gpt-6-mini, prompt: Hi, tools: [tooled, extended.reach, box/read, far/read]}
`,
    );
    const before = readdirSync(place.folder);
    const args = ['--crashes', 'sample:20', '--storm', '2', '--format', 'json'];
    const { stdout, stderr } = place.run(['rehearse', 'traps.yaml', ...args]);
    // true: the command prints it
    const { scenarios } = JSON.parse(stdout) as RehearsalResult;
    // a request would be waiting now
    await new Promise((resolve) => void setImmediate(resolve));
    server.close();
    expect(stderr).toBe('');
    expect(scenarios.length).toBeGreaterThan(100);
    expect(requests).toBe(0);
    expect(existsSync(trap)).toBe(false);
    expect(readdirSync(place.folder)).toEqual(before);
  });

  it('gives the same bytes for the same file and seed', async () => {
    const file = join(import.meta.dirname, '../../examples');
    const once = await rehearse('support-desk.yaml', { directory: file, crashes: 'sample:15' });
    const again = await rehearse('support-desk.yaml', { directory: file, crashes: 'sample:15' });
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });
});
