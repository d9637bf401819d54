/** The limits of the sandbox hold, whatever the code does. */
import { afterAll, describe, expect, it } from 'vitest';
import { ask, NEVER, PATIENT } from './sandbox.cases.ts';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox(PATIENT);
afterAll(() => sandbox.close());

const { run, value } = ask(sandbox);

describe('the memory limit', () => {
  it('is 16 MiB beyond the engine’s own, and holds again after it was reached', async () => {
    const count =
      'const a = []; try { for (;;) a.push(new ArrayBuffer(65536)) } catch {} return a.length / 16';
    for (let round = 0; round < 3; round++) {
      const mebibytes = await value(count);
      expect(mebibytes).toBeGreaterThan(15.5);
      expect(mebibytes).toBeLessThanOrEqual(16.1);
    }
  });

  const hungry = [
    'globalThis.a = []; for (;;) a.push(Array(100).fill(1))',
    'globalThis.a = {}; for (let i = 0; ; i++) a["k" + i] = Array(100).fill(i)',
    'globalThis.a = null; for (;;) a = { a, b: Array(100).fill(a) }',
    'globalThis.a = []; for (;;) a.push("x".repeat(1000) + a.length)',
    'globalThis.a = []; for (;;) a.push(() => a, Array(100).fill(a))',
    'globalThis.a = new Map(); for (let i = 0; ; i++) a.set(i, [i].concat(Array(99).fill(i)))',
    '/(?:a|b)*c/.test("ab".repeat(2e6))',
  ];
  it.each(hungry)('ends %s and nothing of the process', async (code) => {
    const before = process.memoryUsage.rss();
    expect(await run(`${code}; return 1`)).toMatchObject({ ok: false, fault: 'memory' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(120e6);
    expect(await value('1')).toBe(1);
  });
});

describe('the time limit', () => {
  const endless = [
    'for (;;);',
    'return /(a+)+b/.test("a".repeat(40))',
    'const a = Array.from({ length: 1e5 }, (_, i) => -i); for (;;) a.sort()',
    'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1)',
    'let f = () => { try { f() } catch { f() } }; f()',
    'return { get a() { for (;;); } }',
    'return { toJSON() { for (;;); } }',
  ];
  it.each(endless)('ends %s', async (code) => {
    const brief = createSandbox({ limitMs: 100 });
    expect(await brief.evaluate({ code, input: '{}' }, NEVER)).toEqual({ type: 'deadline' });
    expect(await brief.evaluate({ code: '7', input: '{}' }, NEVER)).toMatchObject({
      answer: { json: '7' },
    });
    await brief.close();
  });

  it('is one second, without the start of the worker and the wait in line', async () => {
    const one = createSandbox({ maxWorkers: 1 });
    const startedAt = performance.now();
    const [slow, ...rest] = await Promise.all(
      ['for (;;);', '1', '2'].map((code) => one.evaluate({ code, input: '{}' }, NEVER)),
    );
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    expect(slow).toEqual({ type: 'deadline' });
    expect(rest).toMatchObject([{ answer: { json: '1' } }, { answer: { json: '2' } }]);
    await one.close();
  });

  it('accepts a result that was in time, even when it is read late', async () => {
    const brief = createSandbox({ limitMs: 500 });
    await brief.evaluate({ code: '1', input: '{}' }, NEVER);
    const result = brief.evaluate({ code: '2', input: '{}' }, NEVER);
    await Promise.resolve();
    // this thread does nothing for longer than the limit, and leaves the cores to the worker
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    expect(await result).toMatchObject({ answer: { json: '2' } });
    await brief.close();
  });
});
