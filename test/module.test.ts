import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openModuleBench, type Answer, type ModuleBench } from './module.cases.ts';

let bench: ModuleBench;
beforeEach(() => {
  bench = openModuleBench();
});
afterEach(() => bench.dispose());

const ORDERS = `
import { raise, tool } from 'errand';
import { priceOf } from './prices.ts';

export function total(input: { items: string[] }, context: { attempt: number; idempotencyKey: string }): object {
  return { sum: input.items.length * priceOf(), attempt: context.attempt, key: context.idempotencyKey };
}

export const lookup = tool({
  description: 'Finds an order.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  output: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  raises: ['order.missing'],
  idempotent: true,
  writes: true,
  retry: { max: 2, backoff: 'fixed', initialSeconds: 0.5, on: ['tool.failed', 'provider.*'] },
  timeoutMs: 5000,
  run: ({ id }) => {
    if (id === 'none') throw raise('order.missing', 'No such order', { id });
    return id === 'odd' ? { id: 7 } : { id };
  },
});
`;

describe('a module', () => {
  it('is run with the Errand that runs, where none is installed', () => {
    expect(existsSync(join(bench.folder, 'node_modules'))).toBe(false);
    bench.write('orders.ts', ORDERS);
    bench.write(
      'prices.ts',
      `import { raise } from 'errand';\nexport const priceOf = () => (typeof raise === 'function' ? 2 : 0);`,
    );
    const module = './orders.ts';
    const [description, sum, found, missing] = bench.obey(
      { load: module },
      { call: 'total', arguments: { items: ['a', 'b'] }, module },
      { tool: 'lookup', arguments: { id: 'x' }, module },
      { tool: 'lookup', arguments: { id: 'none' }, module },
    );
    expect(sum).toEqual({ output: { sum: 4, attempt: 2, key: 'key-1' } });
    expect(found).toEqual({ output: { id: 'x' } });
    expect(missing?.error).toMatchObject({ kind: 'order.missing', details: { id: 'none' } });
    expect(description).toEqual({
      module,
      functions: ['lookup', 'total'],
      tools: {
        lookup: {
          isDeclared: true,
          description: 'Finds an order.',
          inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          outputSchema: {
            type: 'object',
            properties: { id: { type: 'string' } },
            required: ['id'],
          },
          raises: ['order.missing'],
          isIdempotent: true,
          writes: true,
          retry: {
            max: 2,
            backoff: 'fixed',
            initialMs: 500,
            maxMs: 60_000,
            jitter: 0.2,
            on: ['tool.failed', 'provider.*'],
          },
          timeoutMs: 5000,
        },
        total: { isDeclared: false, isIdempotent: false, writes: null },
      },
      others: {},
    });
  });

  it('has its declarations kept by its caller', () => {
    bench.write(
      'orders.ts',
      ORDERS.replace("import { priceOf } from './prices.ts';", 'const priceOf = () => 1;'),
    );
    const module = './orders.ts';
    for (const type of ['tool', 'call'] as const) {
      const [bad, odd] = bench.obey(
        { [type]: 'lookup', arguments: { id: 7 }, module },
        { [type]: 'lookup', arguments: { id: 'odd' }, module },
      );
      expect(bad?.error).toMatchObject({
        kind: 'tool.input_invalid',
        outcome: 'not_started',
        message:
          'The input of the tool lookup does not have its declared shape: /id must be a string',
      });
      expect(odd).toMatchObject({
        error: { kind: 'tool.output_malformed', outcome: 'failed' },
        output: { id: 7 },
      });
    }
  });

  it('may be JavaScript of either kind, and may import all that the package exports', () => {
    bench.write(
      'a.mjs',
      `export { raise as one } from 'errand'; export * from 'errand/errors'; import { workflow } from 'errand/workflow'; export const two = () => typeof workflow;`,
    );
    bench.write(
      'b.js',
      `const { failure } = require('errand');\nmodule.exports = { ['na' + 'me']: () => failure('a.b', 'x').kind };`,
    );
    bench.write(
      'c.js',
      `import data from 'errand/package.json' with { type: 'json' };\nexport const name = () => data.name;`,
    );
    // nothing says what the last two are, and Node would warn of that
    bench.write(
      'd.ts',
      `import type { Tool } from 'errand';\nexport const name = (): string => 'd';`,
    );
    // what `npm init` writes
    bench.write('plain/package.json', '{"type": "commonjs"}');
    bench.write('plain/e.ts', `import { one } from './f.js';\nexport const name = () => one;`);
    bench.write('plain/f.js', `export const one = 1;\nexport const name = () => one;`);
    bench.write('plain/g.js', `exports.name = () => 1;`);
    const answers = bench.obey(
      { call: 'two', module: 'a.mjs' },
      { call: 'name', module: 'b.js' },
      { call: 'name', module: 'c.js' },
      { call: 'name', module: 'd.ts' },
      { call: 'name', module: join(bench.folder, 'd.ts') },
      { call: 'name', module: 'plain/e.ts' },
      { call: 'name', module: 'plain/f.js' },
      { call: 'name', module: 'plain/g.js' },
    );
    expect(answers.map(({ output }) => output)).toEqual([
      'function',
      'a.b',
      'errand',
      'd',
      'd',
      1,
      1,
      1,
    ]);
  });

  it('has its own zod and its own packages, and a package of tools finds Errand too', () => {
    bench.install('zod');
    bench.write(
      'node_modules/kit/package.json',
      '{"name": "kit", "type": "module", "exports": "./kit.js"}',
    );
    bench.write(
      'node_modules/kit/kit.js',
      `import { failure } from 'errand'; export const kind = () => failure('kit.x', 'x').kind;`,
    );
    bench.write(
      'm.ts',
      `import { z } from 'zod';\nimport { kind } from 'kit';\nexport const go = () => [z.string().parse('x'), kind()];`,
    );
    expect(bench.obey({ call: 'go', module: 'm.ts' })).toEqual([{ output: ['x', 'kit.x'] }]);
  });

  it('is imported once, through links and however it is called', () => {
    bench.write(
      'm.mjs',
      'globalThis.times = (globalThis.times ?? 0) + 1;\nexport const times = () => globalThis.times;',
    );
    symlinkSync(join(bench.folder, 'm.mjs'), join(bench.folder, 'link.mjs'));
    const orders = ['m.mjs', './m.mjs', 'link.mjs'].map((module) => ({ call: 'times', module }));
    expect(bench.obey(...orders).map(({ output }) => output)).toEqual([1, 1, 1]);
  });

  it('can import every entry of the package', () => {
    const manifest = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    ) as {
      exports: Record<string, unknown>;
    };
    const code = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));
    const imports = code.map(
      (path, index) => `import * as e${index} from '${path.replace('.', 'errand')}';`,
    );
    bench.write('all.ts', `${imports.join('\n')}\nexport const go = () => 1;`);
    expect(bench.obey({ call: 'go', module: 'all.ts' })).toEqual([{ output: 1 }]);
  });
});

describe('a name', () => {
  it('is looked for at the host first', () => {
    bench.write('m.ts', 'export const ours = () => 1;');
    expect(bench.obey({ call: 'ours', module: 'm.ts' }, { tool: 'ours', module: 'm.ts' })).toEqual([
      { output: 'of the host' },
      { output: 'tool of the host' },
    ]);
  });

  it('that nobody has is refused, with what to do', () => {
    bench.write('m.ts', 'export const lookup = () => 1;');
    const [call, tool, none, broken, wrong] = bench.obey(
      { call: 'lokup', module: 'm.ts' },
      { tool: 'constructor', module: 'm.ts' },
      { call: 'lookup' },
      { call: 'broken' },
      { tool: 'wrong' },
    );
    expect(call?.error).toMatchObject({
      kind: 'validation.node_config',
      outcome: 'not_started',
      message: 'There is no function called `lokup`',
      action: { detail: 'Write `lookup`, or export lokup.' },
    });
    expect(tool?.error).toMatchObject({
      kind: 'tool.not_found',
      outcome: 'not_started',
      action: { detail: 'Export constructor from m.ts as a function, or as tool({…}).' },
    });
    expect(none?.error?.action.detail).toMatch(/^Name a module after `module:`/);
    expect(broken?.error).toMatchObject({
      kind: 'extension.contract',
      message: 'The host registered `broken`, which is a number and not a function',
    });
    expect(wrong?.error).toMatchObject({
      kind: 'extension.contract',
      message: 'The tool wrong of the host is declared wrongly: `run` is not a function',
    });
  });
});

describe('what cannot be called', () => {
  it('is recognised when the module is loaded', () => {
    const { functions, others } = bench.load(
      'm.ts',
      `export default class Orders {}
       export class Other { static go() {} }
       export async function* stream() { yield 1; }
       export function* list() { yield 1; }
       export const limit = 3;
       export const nothing = null;
       export const bare = { run: () => 1 };
       export const trap = new Proxy({}, { get() { throw new Error('no'); } });
       export const odd = new Proxy(() => 1, { get() { throw new Error('no'); } });
       export const getters = { get run() { throw new Error('no'); }, get description() { throw new Error('no'); } };
       export const arrow = async () => 1;`,
    );
    expect(functions).toEqual(['arrow', 'odd']);
    expect(others).toEqual({
      Other: 'is a class, which cannot be called',
      bare: 'is an object with `run`, without tool({…}) around it',
      default: 'is a class, which cannot be called',
      getters: 'is an object and not a function',
      limit: 'is a number and not a function',
      list: 'is a generator function, which returns no result',
      nothing: 'is null',
      stream: 'is a generator function, which returns no result',
      trap: 'is an object and not a function',
    });
  });

  it('says so when a node names it, and a default function has the name default', () => {
    bench.write(
      'm.ts',
      'export default function lookup() { return 1; }\nexport async function* s() { yield 1; }\nexport const iterator = () => [1].values();',
    );
    const [all, generator, iterator] = bench.obey(
      { call: 'default', module: 'm.ts' },
      { call: 's', module: 'm.ts' },
      { tool: 'iterator', module: 'm.ts' },
    );
    expect(all).toEqual({ output: 1 });
    expect(generator?.error).toMatchObject({
      kind: 'validation.node_config',
      message: '`s` of the module m.ts is a generator function, which returns no result',
    });
    expect(iterator?.error?.kind).toBe('tool.output_malformed');
  });

  it('of CommonJS may hide behind getters that throw', () => {
    const { functions, others } = bench.load(
      'm.js',
      `exports.go = () => 1;\nObject.defineProperty(exports, 'evil', { enumerable: true, get() { throw new Error('no'); } });`,
    );
    expect(functions).toEqual(['go']);
    expect(others).toEqual({ evil: 'is undefined' });
  });
});

describe('a module that cannot be loaded', () => {
  const failing: readonly [string, string, string, string, RegExp, RegExp][] = [
    [
      'has a type of another language',
      'm.py',
      'x = 1',
      'validation.unsupported',
      /^The module \.\/m\.py has the extension \.py, but only/,
      /ends in \.ts, \.mts, \.js, \.mjs/,
    ],
    ['has none', 'module', '', 'validation.unsupported', /has no extension/, /ends in/],
    [
      'does not parse',
      'm.ts',
      '\nexport const = 3',
      'extension.lifecycle',
      /^The module \.\/m\.ts cannot be read: Unexpected token .* \(line 2\)$/,
      /^Correct \.\/m\.ts \(line 2\)/,
    ],
    [
      'does not parse as JavaScript',
      'm.mjs',
      'export const = 3',
      'extension.lifecycle',
      /cannot be read: Unexpected token '='/,
      /node --check/,
    ],
    [
      'has an enum',
      'm.ts',
      'export enum A { B }',
      'extension.lifecycle',
      /has TypeScript that cannot be run as it is: TypeScript enum is not supported .*\(line 1\)$/,
      /plain JavaScript/,
    ],
    [
      'imports a name that is not there',
      'm.ts',
      `import { nope } from 'errand';\nexport const a = nope;`,
      'extension.lifecycle',
      /does not provide an export named 'nope' \(line 1\)$/,
      /Correct/,
    ],
    [
      'needs a package',
      'm.ts',
      `import 'no-such-package';`,
      'extension.missing',
      /^The module \.\/m\.ts needs the package no-such-package, which is not installed$/,
      /`npm install no-such-package`/,
    ],
    [
      'requires a package',
      'm.js',
      `require('no-such-package');`,
      'extension.missing',
      /needs the package no-such-package/,
      /npm install/,
    ],
    [
      'imports a file that is not there',
      'm.ts',
      `import './lib/helper.ts';`,
      'extension.missing',
      /^The module \.\/m\.ts imports \.\/lib\/helper\.ts, which does not exist$/,
      /with the extension of the file/,
    ],
    [
      'throws',
      'm.ts',
      `throw new Error('No KEY in /home/ann/secret/.env\\n at once');`,
      'extension.lifecycle',
      /^The module \.\/m\.ts threw while it was loaded: No KEY in …\/\.env$/,
      /does when it is imported/,
    ],
    [
      'throws what is no error',
      'm.ts',
      'throw null;',
      'extension.lifecycle',
      /threw while it was loaded: null was thrown/,
      /Correct/,
    ],
    [
      'throws a SyntaxError of its own',
      'm.ts',
      `JSON.parse('{');`,
      'extension.lifecycle',
      /threw while it was loaded: Expected property name/,
      /Correct/,
    ],
    [
      'throws what throws',
      'm.ts',
      `throw new Proxy({}, { get() { throw 1; }, has() { throw 1; }, getPrototypeOf() { throw 1; } });`,
      'extension.lifecycle',
      /threw while it was loaded/,
      /Correct/,
    ],
    [
      'raises',
      'm.ts',
      `import { raise } from 'errand';\nthrow raise('key.missing', 'No key');`,
      'extension.lifecycle',
      /threw while it was loaded: No key$/,
      /Correct/,
    ],
  ];

  it.each(failing)('because it %s is a report', (...row) => {
    const [, name, text, kind, message, advice] = row;
    const { error } = bench.load(name, text);
    expect(error).toMatchObject({
      kind,
      outcome: 'not_started',
      message: expect.stringMatching(message),
      action: { detail: expect.stringMatching(advice) },
    });
    expectNothingOfTheHost(error);
  });

  it('because it is not there, or a folder, is a report', () => {
    bench.write('folder.ts/inside.ts', '');
    const [none, folder, otherFile] = bench.obey(
      { load: './none.ts' },
      { load: 'folder.ts' },
      { load: join(bench.folder, 'deep/none.ts') },
    );
    expect(none?.error).toMatchObject({
      kind: 'extension.missing',
      message: 'The module ./none.ts does not exist',
      action: {
        kind: 'fix_file',
        detail: expect.stringMatching(/^Correct its path/),
      },
    });
    expect(folder?.error?.message).toBe('The module folder.ts is not a file');
    expect(otherFile?.error?.message).toBe('The module none.ts does not exist');
    for (const answer of [none, folder, otherFile]) expectNothingOfTheHost(answer?.error);
  });

  it('because its top level never ends is a report within its time, in a run too', () => {
    bench.write('m.ts', 'await new Promise(() => {});\nexport const go = () => 1;');
    const [loaded, called] = bench.obey(
      { load: 'm.ts', timeoutMs: 100 },
      { call: 'go', module: 'm.ts' },
    );
    expect(loaded?.error).toMatchObject({
      kind: 'extension.lifecycle',
      message: 'The module m.ts was not loaded within 100 ms',
      action: { detail: expect.stringContaining('`await`') },
    });
    expect(called?.error).toMatchObject({ kind: 'extension.lifecycle', outcome: 'not_started' });
  });

  it('fails the node that needs it and nobody else, each time', () => {
    bench.write('bad.ts', `throw new Error('no');`);
    bench.write('good.ts', 'export const go = () => 1;');
    const answers = bench.obey(
      { call: 'go', module: 'bad.ts' },
      { call: 'go', module: 'good.ts' },
      { tool: 'go', module: 'bad.ts' },
    );
    expect(answers.map(({ error, output }) => error?.kind ?? output)).toEqual([
      'extension.lifecycle',
      1,
      'extension.lifecycle',
    ]);
  });
});

function expectNothingOfTheHost(error: Answer['error']): void {
  const shown = JSON.stringify(error);
  expect(shown).not.toContain(bench.folder);
  expect(shown).not.toMatch(/node:internal|\\n\s+at |file:\/\//);
}
