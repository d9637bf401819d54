import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { SandboxWorker } from './sandbox-worker.ts';
import { ask, NEVER, PATIENT } from './sandbox.cases.ts';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox(PATIENT);
afterAll(() => sandbox.close());

const { run, value } = ask(sandbox);

describe('code', () => {
  const good: readonly [string, unknown, unknown][] = [
    ['input.a + 1', { a: 1 }, 2],
    ['input.a + 1;', { a: 1 }, 2],
    ['{ total: input.a }', { a: 1 }, { total: 1 }],
    ['input.list.map(function (x) { return x * 2 })', { list: [1, 2] }, [2, 4]],
    ['const x = input.a;\nreturn { x }', { a: 1 }, { x: 1 }],
    ['return input.a', { a: [null, 'é→😀'] }, [null, 'é→😀']],
    ['// first\ninput.a // last', { a: true }, true],
    ['({ ["__proto__"]: 1 })', {}, JSON.parse('{"__proto__":1}')],
    ['({ a: undefined, b: 1 })', {}, { b: 1 }],
    ['globalThis.left = 1; return left', {}, 1],
    ['typeof left', {}, 'undefined'],
  ];
  it.each(good)('%s', async (code, input, expected) => {
    expect(await value(code, input)).toEqual(expected);
  });

  it('returns any JSON unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (json) => {
        // JSON has no negative zero
        const written = JSON.stringify(json);
        expect(await value('input', json)).toEqual(JSON.parse(written));
      }),
      { numRuns: 100 },
    );
  });
});

describe('the sandbox has no clock, no randomness and no way out', () => {
  const absent =
    'Date eval Function performance WeakRef FinalizationRegistry SharedArrayBuffer Atomics queueMicrotask setTimeout setInterval setImmediate console process require fetch module globalThis.std globalThis.os Math.random';
  it.each(absent.split(' '))('%s does not exist', async (name) => {
    expect(await value(`typeof ${name}`)).toBe('undefined');
  });

  const constructors = [
    '() => {}',
    'function () {}',
    'function* () {}',
    'async () => {}',
    'async function* () {}',
    'class {}',
  ];
  it.each(constructors)('creates no function from text through %s', async (source) => {
    expect(await value(`typeof (${source}).constructor`)).toBe('undefined');
  });

  it('has only the names that are known here', async () => {
    expect(await value('Object.getOwnPropertyNames(globalThis).sort()')).toMatchInlineSnapshot(`
      [
        "AggregateError",
        "Array",
        "ArrayBuffer",
        "BigInt",
        "BigInt64Array",
        "BigUint64Array",
        "Boolean",
        "DataView",
        "Error",
        "EvalError",
        "Float16Array",
        "Float32Array",
        "Float64Array",
        "Infinity",
        "Int16Array",
        "Int32Array",
        "Int8Array",
        "InternalError",
        "Iterator",
        "JSON",
        "Map",
        "Math",
        "NaN",
        "Number",
        "Object",
        "Promise",
        "Proxy",
        "RangeError",
        "ReferenceError",
        "Reflect",
        "RegExp",
        "Set",
        "String",
        "Symbol",
        "SyntaxError",
        "TypeError",
        "URIError",
        "Uint16Array",
        "Uint32Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "WeakMap",
        "WeakSet",
        "decodeURI",
        "decodeURIComponent",
        "encodeURI",
        "encodeURIComponent",
        "escape",
        "globalThis",
        "isFinite",
        "isNaN",
        "parseFloat",
        "parseInt",
        "undefined",
        "unescape",
      ]
    `);
  });

  it('imports nothing', async () => {
    expect(await run('import("fs")')).toMatchObject({ ok: false, fault: 'result' });
    expect(await run('import fs from "fs"; return 1')).toMatchObject({
      ok: false,
      fault: 'syntax',
    });
  });

  it('gives the same result for the same code and input, in any worker', async () => {
    const other = createSandbox(PATIENT);
    const code =
      '[[3,1,2].sort(), Object.keys({b:1,a:2,1:3}), Math.sin(0.5), 0.1+0.2, "ä".localeCompare("z"), new Error("x").stack.length, [..."ab"].sort(() => 0)]';
    const job = { code, input: '{}' };
    const [one, two] = await Promise.all([
      sandbox.evaluate(job, NEVER),
      other.evaluate(job, NEVER),
    ]);
    expect(one).toEqual(two);
    await other.close();
  });
});

describe('failures', () => {
  const bad: readonly [string, string, RegExp, { line?: number; column?: number }?][] = [
    ['1 +', 'syntax', /cannot be parsed/],
    ['return 1 +\n  * 2', 'syntax', /cannot be parsed/, { line: 2, column: 3 }],
    ['1), (2', 'syntax', /brackets/],
    [
      'input.secretName.x',
      'runtime',
      /^it threw a TypeError, for a property of undefined$/,
      { line: 1 },
    ],
    [
      'const a = 1;\nreturn secretName',
      'runtime',
      /ReferenceError, for a name that is not defined$/,
      { line: 2 },
    ],
    ['input()', 'runtime', /a call of something that is not a function$/],
    ['throw new Error("secretName")', 'runtime', /^it threw an Error$/],
    ['throw "secretName"', 'runtime', /^it threw a value that is not an error$/],
    ['throw null', 'runtime', /not an error$/],
    [
      'class secretName extends RangeError {}; throw new secretName()',
      'runtime',
      /^it threw a RangeError$/,
    ],
    ['throw new (class extends Error { get message() { throw 1 } })', 'runtime', /not an error$/],
    [
      'Array.prototype.find = String.prototype.toString = () => { throw 1 }; throw new TypeError()',
      'runtime',
      /TypeError$/,
    ],
    ['undefined', 'result', /undefined/],
    ['const a = 1', 'result', /needs a return/],
    ['x => x', 'result', /function/],
    ['[Symbol("secretName")]', 'result', /symbol/],
    ['({ a: 10n })', 'result', /bigint/],
    ['({ a: { b: NaN } })', 'result', /not finite/],
    ['[1, , 2]', 'result', /undefined/],
    ['new Map([["secretName", 1]])', 'result', /not plain data/],
    ['(async () => 1)()', 'result', /not plain data/],
    ['const a = {}; a.a = a; return a', 'result', /contains itself/],
    ['const f = () => f() + 1; return f()', 'memory', /too deep/],
    ['[].concat(JSON.parse("[".repeat(1e5) + "]".repeat(1e5)))', 'memory', /too deep/],
    ['"x".repeat(2 ** 30 - 1)', 'memory', /memory/],
    ['let s = "x"; for (;;) s += s', 'memory', /too long/],
    ['new Array(1e8).fill(0)', 'memory', /memory/],
  ];
  it.each(bad)('%s', async (code, fault, reason, place = {}) => {
    const answer = await run(code);
    expect(answer).toMatchObject({
      ok: false,
      fault,
      reason: expect.stringMatching(reason),
      ...place,
    });
    expect(JSON.stringify(answer)).not.toContain('secretName');
  });

  it('of code that is nested too deeply', async () => {
    const code = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(await run(code)).toMatchObject({ ok: false, fault: 'memory' });
  });

  it('of an input that is too deep or too large', async () => {
    const deep = `${'['.repeat(2e5)}${']'.repeat(2e5)}`;
    expect(await sandbox.evaluate({ code: '1', input: deep }, NEVER)).toMatchObject({
      answer: { fault: 'memory' },
    });
    for (const text of ['x'.repeat(6e6), `${'x'.repeat(5e6)}→`]) {
      expect(await run('input.length', text)).toMatchObject({ ok: false, fault: 'memory' });
    }
    expect(await value('input.length', 'x'.repeat(4e6))).toBe(4e6);
  });
});

describe('an abort', () => {
  it('ends running and waiting jobs, and leaves no listener', async () => {
    const one = createSandbox({ ...PATIENT, maxWorkers: 1 });
    const control = new AbortController();
    const running = one.evaluate({ code: 'for (;;);', input: '{}' }, control.signal);
    const waiting = one.evaluate({ code: '1', input: '{}' }, control.signal);
    const other = one.evaluate({ code: '2', input: '{}' }, NEVER);
    control.abort();
    expect(await Promise.all([running, waiting])).toEqual([
      { type: 'cancelled' },
      { type: 'cancelled' },
    ]);
    expect(await other).toMatchObject({ answer: { json: '2' } });
    expect(await one.evaluate({ code: '1', input: '{}' }, control.signal)).toEqual({
      type: 'cancelled',
    });
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
    expect(getEventListeners(NEVER, 'abort')).toEqual([]);
    await one.close();
  });

  it('of the whole sandbox cancels everything, now and later', async () => {
    const one = createSandbox({ ...PATIENT, maxWorkers: 1 });
    const results = ['for (;;);', '1'].map((code) => one.evaluate({ code, input: '{}' }, NEVER));
    await one.close();
    expect(await Promise.all(results)).toEqual([{ type: 'cancelled' }, { type: 'cancelled' }]);
    expect(await one.evaluate({ code: '1', input: '{}' }, NEVER)).toEqual({ type: 'cancelled' });
  });
});

describe('a worker', () => {
  const options = { ...PATIENT, signal: NEVER };

  it('that cannot start is broken, and so is one that exits by itself', async () => {
    for (const entry of [
      'data:text/javascript,import "nowhere"',
      'data:text/javascript,process.exit(3)',
    ]) {
      const worker = new SandboxWorker(new URL(entry));
      expect(await worker.run({ code: '1', input: '{}' }, options)).toMatchObject({
        type: 'broken',
        thrown: expect.any(Error),
      });
      expect(worker.isOver).toBe(true);
    }
  });

  it('sees nothing of the host’s environment', async () => {
    const text = `import { workerData } from 'node:worker_threads';
      const { port } = workerData;
      port.on('message', () => port.postMessage({ type: 'answer', answer: { ok: true, json: JSON.stringify(process.env) } }));
      port.postMessage({ type: 'ready' });`;
    const worker = new SandboxWorker(new URL(`data:text/javascript,${encodeURIComponent(text)}`));
    expect(await worker.run({ code: '1', input: '{}' }, options)).toMatchObject({
      answer: { json: '{}' },
    });
    await worker.end();
  });
});

describe('a process', () => {
  const node = promisify(execFile);
  const program = (entry: string): string => `
    import { createSandbox } from ${JSON.stringify(entry)};
    const sandbox = createSandbox();
    const ending = await sandbox.evaluate({ code: 'input.a * 2', input: '{"a":21}' }, new AbortController().signal);
    console.log(ending.answer.json);`;

  it('runs from the sources, and exits although a worker is kept', async () => {
    const entry = resolve(import.meta.dirname, 'sandbox.ts');
    const { stdout } = await node(process.execPath, ['--input-type=module', '-e', program(entry)], {
      timeout: 300_000,
    });
    expect(stdout).toBe('42\n');
  });

  it('runs from a build', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-sandbox-test-'));
    try {
      symlinkSync(
        resolve(import.meta.dirname, '../../../node_modules'),
        join(folder, 'node_modules'),
      );
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      for (const name of readdirSync(import.meta.dirname).filter(
        (file) => !file.endsWith('.test.ts'),
      )) {
        const source = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, name), 'utf8'));
        writeFileSync(
          join(folder, name.replace(/ts$/, 'js')),
          source.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"),
        );
      }
      const { stdout } = await node(
        process.execPath,
        ['--input-type=module', '-e', program(join(folder, 'sandbox.js'))],
        { timeout: 300_000 },
      );
      expect(stdout).toBe('42\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
