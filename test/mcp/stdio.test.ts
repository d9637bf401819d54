/** Tools of a real server process: what works, and what is known after each way of failing. */
import { describe, expect, it } from 'vitest';
import { processesWith, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { host, onceIt, until } from './harness.ts';

const ok = (output: unknown): object => ({ ok: true, output });
const textOf = (result: EffectResult): string =>
  result.ok && typeof result.output === 'string' ? result.output : '';

describe('a tool of a server that is a process', () => {
  it('gives its structured content, or its text', async () => {
    const { call, did } = host();
    expect(await call('add', { a: 1, b: 2 })).toEqual(ok({ sum: 3 }));
    expect(await call('echo', { text: 'hello' })).toEqual(ok('hello'));
    expect(await call('plain')).toEqual(ok('nothing to say'));
    // one process for all calls
    expect(did()).toEqual(['start work', 'add 1 2']);
  });

  it('is not called with arguments that do not fit', async () => {
    const { call, did } = host();
    const { kind, outcome, message } = reportOf(await call('add', { a: 1, b: 'two' }));
    expect([kind, outcome]).toEqual(['tool.input_invalid', 'not_started']);
    expect(message).toContain('/b');
    expect(did()).toEqual(['start work']);
  });

  it('that does not exist is not found, with what was meant', async () => {
    const { call } = host();
    const { kind, outcome, action } = reportOf(await call('ad'));
    expect([kind, outcome, action.detail]).toEqual([
      'tool.not_found',
      'not_started',
      'Write s/add.',
    ]);
  });

  it('that the file does not let count does not exist', async () => {
    const { call } = host();
    const result = await call('write', { id: 1 }, { server: { tools: ['add'] } });
    expect(reportOf(result).kind).toBe('tool.not_found');
  });

  it('that cannot be started shows no half of a secret where its stderr is cut', async () => {
    const { call } = host();
    // of the last 4096 bytes, the first are the end of the secret
    const script = `head -c 9000 /dev/zero | tr '\\0' x >&2; printf %s "$TOKEN" >&2; head -c 4084 /dev/zero | tr '\\0' y >&2; exit 3`;
    const server = { command: 'sh', args: ['-c', script] };
    const report = reportOf(await call('add', { a: 1, b: 2 }, { server }));
    expect(report).toMatchObject({ kind: 'mcp.unreachable', details: { exit_code: 3 } });
    expect(report.details?.['stderr_tail']).toMatch(/y{1000}/);
    expect(JSON.stringify(report)).not.toContain('may-see');
  });

  it('says that it failed', async () => {
    const { call } = host();
    const report = reportOf(await call('refuse'));
    expect(report).toMatchObject({ kind: 'mcp.tool_failed', outcome: 'failed', retryable: null });
    expect(report.message).toContain('no luck');
    expect(JSON.stringify(report)).not.toContain('token-that-nobody-may-see');
    expect(reportOf(await call('throw')).kind).toBe('mcp.tool_failed');
  });

  it('says that it failed, and keeps beside that what it has got done', async () => {
    const { call } = host();
    expect(await call('half')).toEqual({
      ok: false,
      failure: expect.objectContaining({
        kind: 'mcp.tool_failed',
        outcome: 'partial',
        message: expect.stringContaining('page 2 is gone'),
      }),
      output: { pages: [1, 3] },
    });
  });

  it('gets its key, and nothing of the environment that the file does not give it', async () => {
    const { call } = host();
    expect(await call('key', {}, { context: { idempotencyKey: 'k', attempt: 2 } })).toEqual(
      ok('k'),
    );
    const result = await call('environment');
    expect(result).toMatchObject({ ok: true });
    const names = textOf(result).split(' ');
    expect(names).toContain('TOKEN');
    expect(names).not.toContain('OTHER_KEY');
    expect(names).not.toContain('SECRET_TOKEN');
  });

  it('whose text is too long fails, and the part that was kept goes with it', async () => {
    const { call } = host();
    const result = await call('big', { chars: 3_000_000 });
    const tooLarge = { kind: 'internal.output_too_large', details: { chars: 3_000_000 } };
    expect(reportOf(result)).toMatchObject({ ...tooLarge, outcome: 'unknown', retryable: false });
    expect(result.output).toHaveLength(1024 * 1024);
    const again = await call('big', { chars: 3_000_000 }, { request: { isIdempotent: true } });
    expect(reportOf(again)).toMatchObject({ ...tooLarge, outcome: 'failed' });
  });

  it('gives the beginning of a text where that will do, and says how much is missing', async () => {
    const { call } = host();
    const request = { keepsTruncated: true };
    const result = await call('big', { chars: 3_000_000 }, { request });
    expect(result).toMatchObject({
      ok: true,
      suppressed: [{ failure: { kind: 'internal.output_too_large' } }],
    });
    const text = textOf(result);
    expect(text.length).toBeLessThan(1_100_000);
    expect(text).toMatch(
      /\[The result of s\/big was cut: 1951424 of 3000000 characters were left out\]$/,
    );
  });

  it('whose result is far too long fails, and the server continues', async () => {
    const { call, did } = host();
    const both = await Promise.all([call('big', { chars: 40_000_000 }), call('plain')]);
    expect(reportOf(both[0])).toMatchObject({ kind: 'tool.output_malformed', outcome: 'unknown' });
    expect(both[1]).toEqual(ok('nothing to say'));
    expect(await call('plain')).toEqual(ok('nothing to say'));
    expect(did()).toEqual(['start work']);
  });

  it('gives pictures without their bytes', async () => {
    const { call } = host();
    expect(await call('picture')).toEqual(
      ok({
        content: [
          { type: 'text', text: 'a dot' },
          { type: 'image', mimeType: 'image/png', leftOutBytes: 3 },
        ],
      }),
    );
  });

  it('may be text that the node wants as JSON', async () => {
    const { call } = host();
    const request = { outputSchema: { type: 'object', required: ['id'] } };
    expect(await call('echo', { text: '{"id": 7}' }, { request })).toEqual(ok({ id: 7 }));
    expect(await call('echo', { text: '{"id": 7}' })).toEqual(ok('{"id": 7}'));
    const result = await call('echo', { text: '{"no": 7}' }, { request });
    expect(reportOf(result).kind).toBe('tool.output_malformed');
    const large = await call('echo', { text: '{"id": 9007199254740993}' }, { request });
    expect(reportOf(large)).toMatchObject({
      kind: 'tool.output_malformed',
      details: { pointer: '/id', written: '9007199254740993' },
    });
  });

  it('can tell how far it is', async () => {
    const { call } = host();
    const reported: unknown[] = [];
    const context = { progress: (value: unknown) => void reported.push(value) };
    expect(await call('progress', {}, { context })).toEqual(ok('done'));
    expect(reported).toEqual([{ progress: 1, total: 2 }]);
  });

  it('of a server that speaks only the newest protocol is called too', async () => {
    const { call, startBy, did, mark } = host();
    startBy('modern');
    expect(await call('add', { a: 1, b: 2 })).toEqual(ok({ sum: 3 }));
    expect(reportOf(await call('crash'))).toMatchObject({ outcome: 'unknown' });
    expect(did().filter((what) => !what.startsWith('start'))).toEqual(['add 1 2', 'crash']);
    expect(processesWith(mark)).toEqual([]);
  });

  it('of a server that prints other things too still answers', async () => {
    const { call } = host();
    expect(await call('noise')).toEqual(ok('after the noise'));
  });
});

describe('a server that ends in the middle of a call', () => {
  it('leaves the outcome unknown, and is started again for the next call', async () => {
    const { call, did } = host();
    expect(reportOf(await call('crash'))).toMatchObject({
      kind: 'mcp.unreachable',
      outcome: 'unknown',
    });
    expect(await call('add', { a: 1, b: 1 })).toEqual(ok({ sum: 2 }));
    expect(did()).toEqual(['start work', 'crash', 'start work', 'add 1 1']);
  });

  it.each([
    ['its own hint', 'crash_safely', {}],
    ['the file', 'crash', { server: { toolSettings: { crash: { idempotent: true } } } }],
    ['its node', 'crash', { request: { isIdempotent: true } }],
  ])('is not in doubt where the tool may be repeated by %s', async (_, tool, asked) => {
    const { call, did } = host();
    expect(reportOf(await call(tool, {}, asked))).toMatchObject({
      kind: 'mcp.unreachable',
      outcome: 'partial',
    });
    expect(did()).toEqual(['start work', tool]);
  });

  it('concerns all calls that were under way', async () => {
    const { call } = host();
    await call('plain');
    const results = await Promise.all([call('hang'), call('hang'), call('crash')]);
    expect(results.map((result) => reportOf(result).outcome)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
  });
});

describe('a server that cannot be started', () => {
  it('says which command is missing, and tries once', async () => {
    const { call } = host();
    const report = reportOf(await call('add', {}, { server: { command: 'no-such-command' } }));
    expect(report).toMatchObject({
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      retryable: false,
      message: 'The MCP server `s` could not be started: there is no command `no-such-command`',
      action: { detail: 'Install no-such-command, or correct `mcp_servers.s.command`.' },
    });
  });

  it('is tried three times, and says what it said, without its secrets', async () => {
    const { call, did, startBy } = host();
    startBy('crash');
    const report = reportOf(await call('add', { a: 1, b: 2 }));
    expect(report).toMatchObject({
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      category: 'configuration',
      retryable: false,
      action: { kind: 'fix_setup' },
    });
    expect(report.message).toMatch(/ended with exit code 3 before it responded: cannot start with/);
    expect(JSON.stringify(report)).not.toContain('token-that-nobody-may-see');
    expect(did()).toEqual(['start crash', 'start crash', 'start crash']);
    startBy('work');
    expect(await call('add', { a: 1, b: 2 })).toEqual(ok({ sum: 3 }));
  });

  it('says what its runtime said, and not how that ends every such report', async () => {
    const { call } = host();
    const server = { command: process.execPath, args: ['no-such-server.mjs'] };
    const report = reportOf(await call('add', {}, { server }));
    expect(report.message).toContain('before it responded: Error: Cannot find module');
    expect(report).toMatchObject({ category: 'configuration', retryable: false });
  });

  it('by others is no matter of its set-up', async () => {
    const { call } = host();
    const server = { command: 'sh', args: ['-c', 'kill -9 $$'] };
    expect(reportOf(await call('add', {}, { server }))).toMatchObject({
      message: 'The MCP server `s` was killed by SIGKILL before it responded',
      category: 'transient',
      retryable: true,
      action: { kind: 'wait_and_retry' },
    });
  });

  it('does not hang', async () => {
    const { call, startBy, mark } = host({ connectTimeoutMs: 700 });
    startBy('hang');
    const report = reportOf(await call('add', { a: 1, b: 2 }));
    expect(report.message).toContain('did not respond within 700 ms');
    expect(processesWith(mark)).toEqual([]);
  });

  it('needs a variable that is not set', async () => {
    const { call } = host();
    const report = reportOf(
      await call('add', {}, { server: { env: { A: '${NOT_SET_ANYWHERE}' } } }),
    );
    expect(report).toMatchObject({ kind: 'tool.unavailable', outcome: 'not_started' });
    expect(report.action.detail).toBe('Set NOT_SET_ANYWHERE, then resume the run.');
  });

  it('needs the client to be installed', async () => {
    const { call } = host({ loadPackage: () => ({ type: 'missing' }) });
    const { kind, action } = reportOf(await call('add'));
    expect([kind, action.kind]).toEqual(['tool.unavailable', 'install_package']);
    expect(action.detail).toContain('npm install @modelcontextprotocol/client');
  });
});

describe('a tool that takes too long', () => {
  it('is stopped at its own time, its server hears of it and lives on', async () => {
    const { call, did } = host();
    const server = { toolSettings: { hang: { timeoutMs: 200 } } };
    const context = { clock: onceIt(() => did().includes('hang')) };
    const report = reportOf(await call('hang', {}, { server, context }));
    expect(report).toMatchObject({
      kind: 'tool.timeout',
      outcome: 'unknown',
      message: 'The tool s/hang did not finish within 200 ms',
    });
    expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
    expect(did()).toEqual(['start work', 'hang', 'hang cancelled']);
  });

  it('has the time of its server where it has none, and its node may have less', async () => {
    const { call } = host();
    expect(reportOf(await call('hang', {}, { server: { timeoutMs: 150 } })).kind).toBe(
      'tool.timeout',
    );
    await call('plain');
    expect(reportOf(await call('hang', {}, { request: { timeoutMs: 150 } }))).toMatchObject({
      kind: 'limit.node_timeout',
      outcome: 'unknown',
    });
  });

  it('and whose server no longer listens gets a new server', async () => {
    const { call, did, mark } = host();
    const server = { toolSettings: { freeze: { timeoutMs: 200 } } };
    const context = { clock: onceIt(() => did().includes('freeze')) };
    expect(reportOf(await call('freeze', {}, { server, context })).kind).toBe('tool.timeout');
    expect(await call('plain', {}, { server })).toEqual(ok('nothing to say'));
    expect(did()).toEqual(['start work', 'freeze', 'start work']);
    expect(processesWith(mark)).toHaveLength(1);
  });
});

describe('a call that is no longer wanted', () => {
  it('is not made, or its server hears of it', async () => {
    const { call, did } = host();
    expect(
      reportOf(await call('plain', {}, { context: { signal: AbortSignal.abort() } })),
    ).toMatchObject({
      kind: 'cancelled.tool',
      outcome: 'not_started',
    });
    const controller = new AbortController();
    const calling = call('hang', {}, { context: { signal: controller.signal } });
    await until(() => did().includes('hang'));
    controller.abort();
    expect(reportOf(await calling)).toMatchObject({ kind: 'cancelled.tool', outcome: 'unknown' });
    await until(() => did().includes('hang cancelled'));
  });

  it('while its server starts was not begun', async () => {
    const { call, startBy, did } = host();
    startBy('hang');
    const controller = new AbortController();
    const calling = call('plain', {}, { context: { signal: controller.signal } });
    await until(() => did().length > 0);
    controller.abort();
    expect(reportOf(await calling)).toMatchObject({
      kind: 'cancelled.tool',
      outcome: 'not_started',
    });
  });
});

describe('closing', () => {
  it('ends every server, whatever it started, also three at once', async () => {
    const { call, servers, mark } = host();
    const names = ['one', 'two', 'three'];
    const results = await Promise.all(names.map((name) => call('child', {}, { name })));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(processesWith(mark)).toHaveLength(3);
    expect(processesWith('1000.5').length).toBeGreaterThanOrEqual(3);
    await servers.close();
    expect(processesWith(mark)).toEqual([]);
    expect(processesWith('1000.5')).toEqual([]);
  });

  it('is over for the second who asks when it is over for the first', async () => {
    const { call, servers, mark } = host();
    expect(await call('child')).toMatchObject({ ok: true });
    const first = servers.close();
    await new Promise((resolve) => setImmediate(resolve));
    await servers.close();
    expect(processesWith(mark)).toEqual([]);
    await first;
  });

  it('ends one that starts, and one that hangs', async () => {
    const { call, servers, mark, startBy, did } = host();
    startBy('hang');
    const caller = new AbortController();
    const calling = call('plain', {}, { context: { signal: caller.signal } });
    await until(() => did().length > 0);
    caller.abort();
    await calling;
    await servers.close();
    expect(processesWith(mark)).toEqual([]);
  });
});
