import { afterAll, describe, expect, it } from 'vitest';
import { contextFor, reportOf, SECRET } from './effect-port.cases.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createTransformEffect } from './transform-effect.ts';

/** Only endless code reaches this limit, however busy the machine is. */
const sandbox = createSandbox({ limitMs: 60_000 });
const brief = createSandbox({ limitMs: 400 });
const transform = createTransformEffect(sandbox);
afterAll(() => Promise.all([sandbox.close(), brief.close()]));

const ENDLESS = 'for (;;);';
const ITEMS = { type: 'array', items: { type: 'integer' } } as const;

describe('a transform', () => {
  it('returns the value of its code', async () => {
    const request = { code: 'input.items.filter((n) => n > 1)', input: { items: [1, 2, 3] } };
    expect(await transform(request, contextFor())).toEqual({ ok: true, output: [2, 3] });
    expect(await transform({ ...request, outputSchema: ITEMS }, contextFor())).toMatchObject({
      ok: true,
    });
  });

  it('has configured secrets removed from its output', async () => {
    const result = await transform(
      { code: '({ a: input.a, n: 1 })', input: { a: `x ${SECRET}` } },
      contextFor(),
    );
    expect(result).toEqual({ ok: true, output: { a: 'x [redacted]', n: 1 } });
  });

  const failures: readonly [string, string, RegExp, string][] = [
    [
      '1 +* secretName',
      'sandbox.syntax',
      /^The code is not valid JavaScript: it cannot be parsed \(line 1, column \d+\)$/,
      'not_started',
    ],
    [
      'input.secretName.x',
      'sandbox.runtime',
      /^The code failed: it threw a TypeError, for a property of undefined \(line 1, column 17\)$/,
      'failed',
    ],
    [
      'const a = []; for (;;) a.push(Array(1000).fill(1))',
      'sandbox.memory',
      /^The code exceeded a limit of the sandbox: it ran out of memory/,
      'failed',
    ],
    [
      '() => "secretName"',
      'sandbox.result',
      /^The value of the code cannot be an output: it is or contains a function$/,
      'failed',
    ],
    [
      'let a = []; for (let i = 0; i < 600; i++) a = [a]; return a',
      'sandbox.result',
      /deeper than 500 levels/,
      'failed',
    ],
    ['["secretName"]', 'sandbox.result', /declared shape: \/0 must be an integer$/, 'failed'],
    [ENDLESS, 'sandbox.timeout', /^The code ran longer than its time limit$/, 'failed'],
  ];
  it.each(failures)('%s is %s', async (code, kind, message, outcome) => {
    const within = code === ENDLESS ? createTransformEffect(brief) : transform;
    const result = await within({ code, input: {}, outputSchema: ITEMS }, contextFor());
    const report = reportOf(result);
    expect(report).toMatchObject({ kind, outcome, message: expect.stringMatching(message) });
    expect(report.retryable).toBe(kind === 'sandbox.timeout');
    expect(JSON.stringify(report)).not.toContain('secretName');
  });

  it('that is aborted is cancelled, while it runs and before', async () => {
    const control = new AbortController();
    const running = transform(
      { code: 'for (;;);', input: {} },
      contextFor({ signal: control.signal }),
    );
    control.abort();
    expect(reportOf(await running)).toMatchObject({ kind: 'cancelled.call', outcome: 'failed' });
    const late = contextFor({ signal: control.signal, cancelled: 'cancelled.node' });
    expect(reportOf(await transform({ code: '1', input: {} }, late))).toMatchObject({
      kind: 'cancelled.node',
      outcome: 'not_started',
    });
  });

  it('whose worker breaks is an internal error, with the cause in the internal record', async () => {
    const thrown = new Error('no worker');
    const broken = createTransformEffect({
      evaluate: () => Promise.resolve({ type: 'broken', thrown }),
      close: () => Promise.resolve(),
    });
    const result = await broken({ code: '1', input: {} }, contextFor());
    expect(reportOf(result).kind).toBe('internal.unexpected');
    expect(result).toMatchObject({ thrown });
  });

  it('never rejects, whatever the sandbox does', async () => {
    const broken = createTransformEffect({
      evaluate: () => Promise.reject(new TypeError('a bug')),
      close: () => Promise.resolve(),
    });
    const result = await broken({ code: '1', input: {} }, contextFor());
    expect(reportOf(result)).toMatchObject({ kind: 'internal.unexpected', class: 'internal' });
  });
});
