/** `http_fetch` as a file declares it: what escapes its list is denied, audited, and hidden from the model. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyErrand } from '../survival/process.ts';

/** A name that only the inside knows; it stands in the answer of an allowed server. */
const INSIDE = 'vault.internal.test';

let folder = '';
let server: Server;
let origin = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-file-fetch-'));
  server = createServer((request, response) => {
    if (request.url === '/away')
      response.writeHead(302, { location: `http://${INSIDE}/latest/meta-data` }).end();
    else response.setHeader('content-type', 'application/json').end('{"price": 7}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function write(fetch: unknown, more: object = {}): void {
  const urls = [`${origin}/away`, 'http://2852039166/', 'http://[::ffff:169.254.169.254]/', origin];
  const calls = urls.map((url) => ({ tool_calls: [{ name: 'http_fetch', arguments: { url } }] }));
  const file = {
    workflow: {
      name: 't',
      entry_point: 'a',
      runtime: { http_fetch: fetch, simulate: { m: [...calls, { answer: 'done' }] } },
    },
    nodes: [
      {
        name: 'a',
        type: 'tool',
        tool: 'http_fetch',
        arguments: { url: `${origin}/x` },
        routes: [{ to: 'b' }],
      },
      { name: 'b', prompt: 'Ask', model: 'sim/m', ...more },
    ],
    output: { price: '{{ a.output.body.price }}', said: '{{ b.output.result }}' },
  };
  writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
}

const run = (...args: readonly string[]): ReturnType<typeof anyErrand> =>
  anyErrand([...args, '--format', 'json'], { cwd: folder });

describe('http_fetch in a file', () => {
  it('asks what the file allows; redirects and other spellings of private addresses are denied', async () => {
    write({ allow: [origin], allow_private: [origin], max_bytes: 5000, timeout_seconds: 60 });
    const ended = await run('run', 't.yaml');
    expect(ended.exit, ended.stderr).toBe(0);
    const said = JSON.parse(ended.stdout) as { run: string; output: unknown };
    expect(said.output).toEqual({ price: 7, said: 'done' });
    const audit = JSON.parse((await run('audit', said.run)).stdout) as { what: string }[];
    expect(audit).toMatchObject([
      { what: 'deny', node: 'b', detail: expect.stringContaining(INSIDE) },
      { what: 'deny', node: 'b', detail: expect.stringContaining('169.254.169.254') },
      { what: 'deny', node: 'b', detail: expect.stringContaining('::ffff:a9fe:a9fe') },
    ]);
  });

  it('tells the model that it was denied, and nothing of where the answer led', async () => {
    write({ allow: [origin], allow_private: [origin] });
    const { stdout } = await anyErrand(['run', 't.yaml', '--json'], { cwd: folder });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; error?: { message: string } });
    const [first] = events.flatMap(({ error }) => (error === undefined ? [] : [error]));
    // a model sees the kind of a failure, its message, and whether another call may help
    expect(first).toMatchObject({ kind: 'tool.denied', outcome: 'failed' });
    expect(first?.message).not.toContain(INSIDE);
  });

  it.each([
    [{ allow: [] }, 'wrong-type|bad-value'],
    [{ allow: ['https://example.com/path'] }, 'bad-value'],
    [{ allow: ['example.com:99999'] }, 'bad-value'],
    [{ allow: ['example.com'], methods: ['FETCH'] }, 'bad-value'],
    [{ allowed: ['example.com'] }, 'unknown-key'],
  ])('is refused before the run where it cannot be meant: %o', async (fetch, code) => {
    write(fetch);
    const { exit, stdout } = await run('validate', 't.yaml');
    expect(exit).toBe(2);
    const { files } = JSON.parse(stdout) as {
      files: { diagnostics: { code: string; pointer: string; severity: string }[] }[];
    };
    const [diagnostic] = files[0]?.diagnostics.filter(({ severity }) => severity === 'error') ?? [];
    expect(diagnostic).toMatchObject({
      code: expect.stringMatching(code),
      pointer: expect.stringMatching('^/workflow/runtime/http_fetch'),
    });
  });

  it('that writes must be named by an agent', async () => {
    write({ allow: [origin], allow_private: [origin], methods: ['GET', 'POST'] });
    const { stdout } = await run('run', 't.yaml');
    const { run: id } = JSON.parse(stdout) as { run: string };
    const audit = JSON.parse((await run('audit', id)).stdout) as { detail: string }[];
    expect(audit[0]?.detail).toContain('tool.forbidden');
  });
});
