/** Whole runs by the command line whose agents and nodes use tools of real servers. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { processesWith } from '../../src/effects/effect-port.cases.ts';
import { openErrand } from '../../src/index.ts';
import { checkFile } from '../../src/engine/loading/check-file.ts';
import { serversFor } from '../../src/engine/loading/load-file.ts';
import type { Validation } from '../../src/workflow/check/validate-workflow.ts';
import { anyErrand, startErrand } from '../survival/process.ts';
import { SERVER, until } from './harness.ts';
import { SDKS } from './tools.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Project {
  readonly folder: string;
  readonly mark: string;
  readonly did: () => readonly string[];
  readonly startBy: (how: 'work' | 'crash') => void;
}

/** A folder with a workflow file, in which the client is installed. */
function project(
  nodes: readonly object[],
  more: { simulate?: object; server?: object } = {},
): Project {
  const folder = mkdtempSync(join(tmpdir(), 'errand-mcp-run-'));
  folders.push(folder);
  symlinkSync(join(SDKS, 'node_modules'), join(folder, 'node_modules'));
  const mark = `mark-${folder}`;
  const server = {
    command: process.execPath,
    args: [SERVER, mark],
    env: { DID: join(folder, 'did'), START: join(folder, 'start'), TOKEN: '${SECRET_TOKEN}' },
    ...more.server,
  };
  const runtime = { mcp_servers: { s: server }, simulate: more.simulate ?? {} };
  // JSON is YAML
  const file = { workflow: { name: 't', entry_point: 'a', runtime }, nodes };
  writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
  const did = join(folder, 'did');
  return {
    folder,
    mark,
    did: () => (existsSync(did) ? readFileSync(did, 'utf8').trim().split('\n') : []),
    startBy: (how) => writeFileSync(join(folder, 'start'), how),
  };
}

const ENV = { SECRET_TOKEN: 'token-that-nobody-may-see' };
const run = (folder: string, ...more: readonly string[]): ReturnType<typeof anyErrand> =>
  anyErrand(['run', 't.yaml', '--format', 'json', ...more], { cwd: folder, env: ENV });

const call = (name: string, given: object = {}): object => ({
  tool_calls: [{ name, arguments: given }],
});

describe('an application', () => {
  it('that answers again and again holds on to no server for it', async () => {
    const { folder, mark, did } = project([
      {
        name: 'a',
        type: 'human_gate',
        prompt: 'Once more?',
        options: [
          { label: 'Once more', value: 'again', route: 'a' },
          { label: 'Enough', value: 'enough', route: 'b' },
        ],
      },
      { name: 'b', type: 'tool', tool: 's/echo', arguments: { text: 'done' } },
    ]);
    const application = await openErrand({ store: 'memory', directory: folder, env: ENV });
    const workflow = await application.load('t.yaml');
    const first = await application.start(workflow);
    expect(await first.result()).toMatchObject({ status: 'paused' });
    const { id } = first;
    for (let count = 0; count < 3; count++) {
      const leg = await application.answer(id, { value: 'again' });
      expect(await leg?.result()).toMatchObject({ status: 'paused' });
      await expect(application.answer(id, { value: 'no' })).rejects.toMatchObject({
        kind: 'validation.input',
      });
    }
    expect(did().length).toBeGreaterThan(1);
    // that of the workflow which the application has loaded
    await until(() => processesWith(mark).length === 1);
    const last = await application.answer(id, { value: 'enough' });
    expect(await last?.result()).toMatchObject({ status: 'completed', output: 'done' });
    await application.close();
    expect(processesWith(mark)).toEqual([]);
  });
});

describe('a run', () => {
  it('whose agent and whose node call tools of a server leaves no process behind', async () => {
    const { folder, mark, did } = project(
      [
        {
          name: 'a',
          prompt: 'Add',
          model: 'sim/m',
          tools: ['s/add', 's/write'],
          routes: [{ to: 'b' }],
        },
        { name: 'b', type: 'tool', tool: 's/echo', arguments: { text: '{{ a.output.result }}!' } },
      ],
      {
        simulate: {
          m: [call('s__add', { a: 2, b: 3 }), call('s__write', { id: 5 }), { answer: 'five' }],
        },
      },
    );
    const { exit, stdout: out } = await run(folder);
    expect([exit, JSON.parse(out)]).toMatchObject([0, { status: 'completed', output: 'five!' }]);
    // the one that was asked for its tools before the run serves both nodes
    expect(did()).toEqual(['start work', 'add 2 3', 'write 5']);
    expect(processesWith(mark)).toEqual([]);
  });

  it('gives an agent that names no tools only those that do not write', async () => {
    const { folder, did } = project([{ name: 'a', prompt: 'Write', model: 'sim/m' }], {
      simulate: {
        m: [call('s__write', { id: 1 }), call('s__add', { a: 1, b: 1 }), { answer: 'done' }],
      },
    });
    const { exit } = await run(folder);
    expect(exit).toBe(0);
    expect(did()).toEqual(['start work', 'add 1 1']);
  });

  it('shows an agent that a tool failed, without what nobody may see', async () => {
    const { folder } = project(
      [{ name: 'a', prompt: 'Try', model: 'sim/m', tools: ['s/refuse'] }],
      {
        simulate: { m: [call('s__refuse'), { answer: 'I gave up' }] },
      },
    );
    const { exit, stdout: out } = await anyErrand(['run', 't.yaml', '--json'], {
      cwd: folder,
      env: ENV,
    });
    expect(exit).toBe(0);
    expect(out).toContain('mcp.tool_failed');
    expect(out).not.toContain(ENV.SECRET_TOKEN);
  });

  it('routes a failure, and what was done beside it, to its handler', async () => {
    const { folder } = project([
      {
        name: 'a',
        type: 'tool',
        tool: 's/half',
        routes: [{ to: '$end' }, { on_error: true, to: 'b' }],
      },
      {
        name: 'b',
        type: 'set',
        values: { kind: '{{ failing.error.kind }}', pages: '{{ failing.output.pages }}' },
      },
    ]);
    const { exit, stdout: out } = await run(folder);
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ output: { kind: 'mcp.tool_failed', pages: [1, 3] } });
  });

  it('pauses and asks when a server died in the middle of a call that may not be repeated', async () => {
    const { folder, did, mark } = project([{ name: 'a', type: 'tool', tool: 's/crash' }]);
    const { exit, stdout: out } = await run(folder);
    expect(exit).toBe(5);
    expect(JSON.parse(out)).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(did().filter((what) => what === 'crash')).toHaveLength(1);
    expect(processesWith(mark)).toEqual([]);
  });

  it.each([
    ['its node', { idempotent: false }, {}],
    ['the file, which lets it write', {}, { writes: true }],
    ['the file', {}, { idempotent: false }],
  ])('takes the word of %s over the hint of a server', async (_, node, settings) => {
    const again = { on_error: true, retry: { max: 2, backoff: 'none' } };
    const { folder, did } = project(
      [
        {
          name: 'a',
          type: 'tool',
          tool: 's/crash_safely',
          ...node,
          routes: [{ to: '$end' }, again],
        },
      ],
      { server: { tool_settings: { crash_safely: settings } } },
    );
    const { stdout: out } = await run(folder);
    expect(JSON.parse(out)).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
    expect(did().filter((what) => what === 'crash_safely')).toHaveLength(1);
  });

  it('refuses a tool that the server does not have', async () => {
    const { folder } = project([{ name: 'a', type: 'tool', tool: 's/ad' }]);
    const { exit, stdout: out } = await run(folder);
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      status: 'refused',
      error: { kind: 'validation.node_config', details: { suggestion: 's/add' } },
    });
  });

  it('begins although a server is away, and fails where it is needed', async () => {
    const { folder, startBy } = project([
      { name: 'a', type: 'tool', tool: 's/add', arguments: { a: 1, b: 1 } },
    ]);
    startBy('crash');
    const { exit, stdout: out, stderr } = await run(folder);
    expect(exit).toBe(3);
    expect(stderr).toContain('The MCP server `s` ended with exit code 3 before it responded');
    expect(JSON.parse(out)).toMatchObject({
      status: 'failed',
      error: { kind: 'mcp.unreachable', outcome: 'not_started' },
    });
    expect(out).not.toContain(ENV.SECRET_TOKEN);
  });
});

describe('an agent whose server is away', () => {
  const agent = (tools: readonly string[]): object => ({
    name: 'a',
    prompt: 'add',
    model: 'sim/m',
    tools,
  });
  const simulate = { m: [call('s/add', { a: 1, b: 1 }), { answer: 'without' }] };

  it('has the tools that it names, and a call of one says that the server is away', async () => {
    const { folder, startBy } = project([agent(['s/add'])], { simulate });
    startBy('crash');
    const { stdout } = await anyErrand(['run', 't.yaml', '--json'], { cwd: folder, env: ENV });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; effect?: object; error?: object });
    expect(events.filter(({ type }) => type === 'effect:failed')).toMatchObject([
      { effect: { type: 'tool', target: 's/add' }, error: { kind: 'mcp.unreachable' } },
    ]);
  });

  it('is not asked without the tools where it takes them all', async () => {
    const { folder, startBy } = project([agent(['s/*'])], { simulate });
    startBy('crash');
    const { exit, stdout } = await run(folder);
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'refused',
      error: { details: { code: 'server-unreachable' }, location: { pointer: '/nodes/0/tools/0' } },
    });
    startBy('work');
    expect((await run(folder)).exit).toBe(0);
  });
});

describe('a run that is stopped', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'by %s in the middle of a call leaves no server behind',
    async (signal) => {
      const { folder, mark, did } = project([{ name: 'a', type: 'tool', tool: 's/hang' }]);
      const running = startErrand(['run', 't.yaml'], { cwd: folder, env: ENV });
      await until(() => did().includes('hang'));
      running.kill(signal);
      await running.ended;
      // after a KILL nobody can end it: it ends because nobody writes to it any more
      await until(() => processesWith(mark).length === 0);
    },
  );
});

describe('a run whose process was killed in the middle of a call', () => {
  it('asks whether the call did its work, and does not make it again', async () => {
    const { folder, did } = project([{ name: 'a', type: 'tool', tool: 's/hang' }]);
    const running = startErrand(['run', 't.yaml'], { cwd: folder, env: ENV });
    await until(() => did().includes('hang'));
    running.kill('SIGKILL');
    await running.ended;
    const listed = await anyErrand(['runs', '--format', 'json'], { cwd: folder, env: ENV });
    const [{ run: id }] = JSON.parse(listed.stdout) as [{ run: string }];
    const resumed = await anyErrand(['resume', id, '--format', 'json'], { cwd: folder, env: ENV });
    expect(resumed.exit).toBe(5);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ waiting: { reason: 'outcome' } });
    expect(did().filter((what) => what === 'hang')).toHaveLength(1);
  });
});

describe('before a run', () => {
  const place = (folder: string): Parameters<typeof checkFile>[1] => ({
    base: folder,
    env: { ...ENV, PATH: process.env['PATH'] },
  });

  async function discovered(folder: string): Promise<Validation> {
    const servers = serversFor(join(folder, 't.yaml'), place(folder));
    const verdict = await checkFile('t.yaml', place(folder), { discover: { servers } });
    await servers.close();
    return verdict;
  }

  it('a server that is away is a warning', async () => {
    const { folder, startBy } = project([{ name: 'a', type: 'tool', tool: 's/add' }]);
    startBy('crash');
    const verdict = await discovered(folder);
    expect(verdict.isValid).toBe(true);
    expect(verdict.files[0]?.diagnostics).toMatchObject([
      {
        code: 'server-unreachable',
        severity: 'warning',
        pointer: '/workflow/runtime/mcp_servers/s',
      },
    ]);
    expect(JSON.stringify(verdict.files)).not.toContain(ENV.SECRET_TOKEN);
  });

  it('a tool that it does not have is refused, with those that it has', async () => {
    const { folder } = project([{ name: 'a', type: 'tool', tool: 's/subtract' }]);
    const verdict = await discovered(folder);
    const expected = expect.stringMatching(/\badd\b.*\bwrite\b/) as unknown;
    expect(verdict.files[0]?.diagnostics).toMatchObject([
      { code: 'unknown-tool', severity: 'error', expected },
    ]);
  });

  it('tells the machine what each tool is', async () => {
    const { folder } = project([{ name: 'a', prompt: 'x', model: 'sim/m' }], {
      server: {
        tools: ['add', 'write', 'echo', 'plain'],
        tool_settings: { plain: { writes: false, timeout_seconds: 2 } },
      },
    });
    const verdict = await discovered(folder);
    expect(verdict.plan?.tools?.['']).toMatchObject({
      's/add': {
        description: 'Adds two numbers',
        isIdempotent: true,
        writes: false,
        timeoutMs: 60_000,
      },
      's/write': { isIdempotent: false, writes: true },
      's/echo': { isIdempotent: true, writes: null },
      's/plain': { isIdempotent: false, writes: false, timeoutMs: 2000 },
    });
    expect(Object.keys(verdict.plan?.tools?.[''] ?? {})).toHaveLength(4);
  });

  it('no server is started by validation, nor for nodes that cannot use one', async () => {
    const { folder, did } = project([{ name: 'a', prompt: 'x', model: 'sim/m' }]);
    expect((await anyErrand(['validate', 't.yaml'], { cwd: folder, env: ENV })).exit).toBe(0);
    expect(did()).toEqual([]);
    const other = project([{ name: 'a', prompt: 'x', model: 'sim/m', tools: [] }]);
    expect((await run(other.folder)).exit).toBe(0);
    expect(other.did()).toEqual([]);
  });
});
