import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { build, type Plugin } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as aiSdk from '../src/ai-sdk/index.ts';
import * as classifier from '../src/classify.ts';
import * as errors from '../src/errors/index.ts';
import * as library from '../src/index.ts';
import * as stores from '../src/stores/index.ts';
import * as files from '../src/workflow/authoring/define.ts';
import { moduleOfPackedCases } from './module-packed.cases.ts';
import { stepsOf } from './docs/page.ts';
import { packPackage, runIn, type PackedPackage } from './packed-package.ts';
import { sampled } from './sampled.ts';

const ROOT = join(import.meta.dirname, '..');
/** Several checkers would each check most of the same types. */
const QUIET = ['--noEmit', '--singleThreaded'];

let packed: PackedPackage;

beforeAll(() => {
  packed = packPackage();
});

afterAll(() => packed.remove());

describe('the tarball', () => {
  it('holds the build and the launcher, and neither sources nor tests', () => {
    const unexpected = packed.files.filter(
      (file) =>
        !/^(package\.json|LICENSE|README\.md|CHANGELOG\.md|bin\/|dist\/|helpers\/|schema\/)/.test(
          file,
        ),
    );
    expect(unexpected).toEqual([]);
    const strays = packed.files.filter((file) =>
      /\.(test|test-d|cases)\.|__\w+__|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(file),
    );
    expect(strays).toEqual([]);
  });

  it('has everything that package.json promises', async () => {
    const { messages } = await publint({ pkgDir: packed.directory, pack: false, strict: true });
    // where the repository is published is not decided yet
    expect(messages.filter((message) => message.type !== 'suggestion')).toEqual([]);
  });

  it('has no script that npm asks about when it installs a tarball', () => {
    const text = readFileSync(join(packed.directory, 'package.json'), 'utf8');
    const { scripts } = JSON.parse(text) as { scripts: Record<string, string> };
    const asked = ['preinstall', 'install', 'postinstall', 'prepare'];
    expect(asked.filter((name) => name in scripts)).toEqual([]);
  });

  it('has the catalog as JSON', () => {
    const text = readFileSync(join(packed.directory, 'dist', 'catalog.json'), 'utf8');
    expect(JSON.stringify(JSON.parse(text))).toContain('provider.rate_limited');
  });
});

describe('an installed package', () => {
  it('can be imported by name, with the catalog as JSON', () => {
    const result = runModule(`
      import * as errand from 'errand';
      import { toReport } from 'errand/errors';
      import catalog from 'errand/catalog.json' with { type: 'json' };
      if (Object.keys(errand).length === 0 || typeof catalog !== 'object') process.exit(9);
      console.log(toReport(new Error('boom')).kind);
    `);
    expect(result).toEqual({ status: 0, stdout: 'internal.unexpected\n', stderr: '' });
  });

  it('exports what its sources do, and nothing that bundling added', () => {
    const sources = {
      errand: library,
      'errand/ai-sdk': aiSdk,
      'errand/classify': classifier,
      'errand/errors': errors,
      'errand/workflow': files,
      'errand/stores': stores,
    };
    const result = runModule(`
      const exported = {};
      for (const specifier of ${JSON.stringify(Object.keys(sources))})
        exported[specifier] = Object.keys(await import(specifier));
      console.log(JSON.stringify(exported));
    `);
    expect(JSON.parse(result.stdout)).toEqual(
      Object.fromEntries(
        Object.entries(sources).map(([name, source]) => [name, Object.keys(source).toSorted()]),
      ),
    );
  });

  it('has what a store of one’s own is held to', () => {
    const result = runModule(`
      import { openMemoryStore, storeCases } from 'errand/stores';
      const open = (now) => openMemoryStore({ now });
      const newPlace = (open) => async (now) => {
        const store = open(now);
        return { open: async () => store };
      };
      const failuresOf = async (open) => {
        const failed = [];
        for (const { name, run } of storeCases(newPlace(open)))
          await run().catch(() => failed.push(name));
        return failed;
      };
      const lax = (now) => Object.assign(open(now), { heartbeat: async () => [] });
      console.log(JSON.stringify([await failuresOf(open), await failuresOf(lax)]));
    `);
    expect(JSON.parse(result.stdout)).toEqual([
      [],
      expect.arrayContaining(['lets a lease run out, and a heartbeat prolong it']),
    ]);
  });

  it('says what to install for runs in PostgreSQL', () => {
    const result = runModule(`
      import { openErrand } from 'errand';
      import { toReport } from 'errand/errors';
      const { kind, action } = toReport(await openErrand({ store: 'postgres://db/x' }).catch((e) => e));
      console.log(kind, action.detail);
    `);
    expect(result.stdout).toBe('extension.missing Run `npm install pg`.\n');
  });

  it('keeps its inner files to itself', () => {
    const result = runModule(`await import('errand/dist/errors/build.js');`);
    expect(result.stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  /** The engine speaks of signals and addresses, which every place where it can run has types for. */
  it.each([
    ['errand/errors', 'toReport', 'es2024'],
    ['errand/classify', 'reportFromFailure', 'es2024'],
    ['errand', 'reportFrom', 'es2024,dom'],
  ])('%s is typed for a project without Node types', (specifier, maker, lib) => {
    const source = `
      import { isKind } from 'errand/errors';
      import { ${maker} as makeReport } from '${specifier}';
      import type * as errand from '${specifier}';
      const report = makeReport(null as never);
      const kind: string = report.kind;
      if (isKind(report, 'provider.rate_limited')) report.details;
      // @ts-expect-error a report is immutable
      report.message = kind;
      export type All = typeof errand;
    `;
    writeFileSync(join(packed.app, 'consumer.mts'), source);
    const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc');
    const options = [...QUIET, '--strict', '--module', 'nodenext', '--target', 'es2024'];
    const args = [compiler, ...options, '--lib', lib, '--types', '', 'consumer.mts'];
    expect(runIn(packed.app, process.execPath, args)).toMatchObject({ status: 0, stdout: '' });
  });

  /** Most of it are the types of Node, once more for each way to find modules: a commit takes one of the ways. */
  const WAYS = [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const;
  const tried = sampled(WAYS, { oneOf: WAYS.length, what: 'ways to find the types' });
  it.each(tried)('has types for what the guide shows, in %s by %s', (module, resolution) => {
    const programs = globSync('docs/guide/*.md', { cwd: ROOT })
      .flatMap((page) => stepsOf(readFileSync(join(ROOT, page), 'utf8')))
      .flatMap((step) => (step.type === 'file' && /\.m?ts$/.test(step.name) ? [step] : []))
      .map(({ name, text }) => ({ name: `guide-${name.replace(/m?ts$/, 'mts')}`, text }));
    expect(programs.length).toBeGreaterThan(2);
    for (const { name, text } of programs) writeFileSync(join(packed.app, name), text);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = [...QUIET, '--strict', '--skipLibCheck', 'false', '--target', 'es2024'];
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const found = ['--module', module, '--moduleResolution', resolution];
    const names = programs.map(({ name }) => name);
    const args = [compiler, ...options, ...roots, ...found, ...names];
    const result = runIn(packed.app, process.execPath, args);
    expect(result).toMatchObject({ status: 0, stdout: '' });
  });

  it('has types for every door without the packages that are optional', () => {
    // the types of the door to the AI SDK are made of the types of its interface
    const doors = [
      '',
      '/classify',
      '/errors',
      '/server',
      '/stores',
      '/temporal',
      '/testing',
      '/workflow',
    ];
    const source = doors
      .map((door, at) => `export * as door${at} from 'errand${door}';\n`)
      .join('');
    writeFileSync(join(packed.app, 'doors.mts'), source);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const options = [...QUIET, '--strict', '--skipLibCheck', 'false', '--target', 'es2024'];
    const args = [compiler, ...options, ...roots, '--module', 'nodenext', 'doors.mts'];
    expect(runIn(packed.app, process.execPath, args)).toMatchObject({ status: 0, stdout: '' });
  });

  it('explains a kind from the command line', () => {
    const result = runBin('explain', 'provider.rate_limited');
    expect(result.stderr).toBe('');
    expect(result.stdout).toContain('provider.rate_limited');
    expect(result.status).toBe(0);
  });

  it('writes a first workflow, whose test passes', () => {
    expect(runBin('init', 'first.yaml').status).toBe(0);
    const result = runIn(packed.app, process.execPath, ['--test', 'first.test.mjs']);
    expect(result.stdout).toMatch(/\bpass 2\b[^]*\bfail 0\b/);
    expect(result.status).toBe(0);
  });

  it('refuses a Node that is too old, and says only what helps there', () => {
    const pretend = `Object.defineProperty(process, 'versions', {value: {...process.versions, node: '20.1.0'}})`;
    const { status, stdout, stderr } = runIn(packed.app, process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(pretend)}`,
      join(packed.directory, 'bin', 'errand.mjs'),
      'runs',
    ]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/\b22\.18\b.*\b20\.1\.0\b/);
    expect(stderr).not.toContain('npm start');
  });

  it('refuses a kind that does not exist', () => {
    expect(runBin('explain', 'provider.no_such_kind').status).toBe(2);
  });
});

describe('a module of an installed package', () => moduleOfPackedCases(() => packed));

it('errand/ai-sdk needs neither Node nor a package of the AI SDK, so that it runs at the edge', async () => {
  const { code, builtins } = await bundle('errand/ai-sdk');
  expect(builtins).toEqual([]);
  expect(code).not.toMatch(/\bfrom\s*["']|\brequire\(|__vite-browser-external|["']node:/);
});

/** `workflow()` checks values by JSON Schema, whose references are addresses. */
describe.each([
  ['errand', 'reportFrom', { URL }],
  ['errand/errors', 'toReport', {}],
])('%s in a browser bundle', (specifier, maker, globals) => {
  it('needs no Node module and runs where there are only the globals of the language', async () => {
    const { code, builtins } = await bundle(specifier);
    expect(builtins).toEqual([]);
    expect(code).not.toMatch(/\bfrom\s*["']|\brequire\(|__vite-browser-external|["']node:/);

    const context = createContext(Object.assign(Object.create(null) as object, globals), {
      codeGeneration: { strings: false, wasm: false },
    });
    expect(runInContext('typeof process + typeof require + typeof setTimeout', context)).toBe(
      'undefined'.repeat(3),
    );
    runInContext(code, context);
    expect(runInContext(`bundle.${maker}(new Error('boom')).kind`, context)).toMatch(
      /^(internal\.unexpected|call\.failed)$/,
    );
  });
});

/** As esbuild and others make one for a server, whose files then lie somewhere else. */
describe('a bundle for Node', () => {
  const PROGRAM = `
    import { isKind, openErrand, reportFrom, workflow } from 'errand';
    import { workflow as define } from 'errand/workflow';
    const errand = await openErrand({ store: 'memory', directory: import.meta.dirname });
    const ended = async (flow) => {
      const result = await (await errand.start(flow)).result();
      return result.error?.kind ?? result.output;
    };
    const flow = { name: 't', entryPoint: 'a', nodes: [{ name: 'a', type: 'set', value: 'set' }] };
    const results = [reportFrom(new Error('boom')).kind];
    results.push(await ended(define(flow)));
    try {
      workflow(flow);
    } catch (error) {
      results.push(isKind(error, 'extension.missing'));
    }
    results.push(await ended(await errand.load('sandbox.yaml')));
    results.push(await ended(await errand.load('module.yaml')));
    await errand.close();
    console.log(JSON.stringify(results));`;

  it.each([
    ['has its address', {}],
    ['has no address, as one for CommonJS', { 'import.meta.url': 'undefined' }],
  ])('runs workflows, and says what it cannot: %s', async (_, define) => {
    const from = join(packed.app, 'server.mjs');
    writeFileSync(from, PROGRAM);
    mkdirSync(join(packed.app, 'out'), { recursive: true });
    writeFileSync(
      join(packed.app, 'out', 'sandbox.yaml'),
      'workflow: {name: s, entry_point: a}\nnodes: [{name: a, type: transform, code: "1"}]\n',
    );
    writeFileSync(
      join(packed.app, 'out', 'module.yaml'),
      'workflow: {name: m, entry_point: a, module: ./own.ts}\nnodes: [{name: a, type: call, function: go}]\n',
    );
    writeFileSync(
      join(packed.app, 'out', 'own.ts'),
      `import { raise } from 'errand'; export const go = () => { throw raise('own.kind', 'no'); };`,
    );
    const bundler = await rolldown({ input: from, platform: 'node', transform: { define } });
    await bundler.write({
      dir: join(packed.app, 'out'),
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
    await bundler.close();
    const { stdout, stderr } = runIn(packed.app, process.execPath, ['out/server.mjs']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      'call.failed',
      'set',
      true,
      'extension.missing',
      'own.kind',
    ]);
  });
});

it('of a bundler without the condition `module`, a bundle says what it lacks, and never throws', async () => {
  const from = join(packed.app, 'lacking.mjs');
  writeFileSync(
    from,
    `import { reportFrom } from 'errand';
    const { kind, cause } = reportFrom(new Error('boom'));
    console.log(JSON.stringify([kind, cause.kind]));`,
  );
  const bundler = await rolldown({
    input: from,
    platform: 'node',
    resolve: { conditionNames: ['import', 'default'] },
  });
  await bundler.write({
    dir: join(packed.app, 'lacking'),
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  });
  await bundler.close();
  const { stdout, stderr } = runIn(packed.app, process.execPath, ['lacking/lacking.mjs']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(['extension.missing', 'internal.unexpected']);
});

function runModule(text: string): ReturnType<typeof pick> {
  writeFileSync(join(packed.app, 'program.mjs'), text);
  return pick(runIn(packed.app, process.execPath, ['program.mjs']));
}

function runBin(...args: string[]): ReturnType<typeof pick> {
  const launcher = join(packed.directory, 'bin', 'errand.mjs');
  return pick(runIn(packed.app, process.execPath, [launcher, ...args]));
}

function pick({ status, stdout, stderr }: ReturnType<typeof runIn>): ReturnType<typeof runIn> {
  return { status, stdout, stderr };
}

async function bundle(specifier: string): Promise<{ code: string; builtins: string[] }> {
  const builtins: string[] = [];
  // Vite replaces Node modules by empty ones without failing, so they are caught before it sees them
  const watchBuiltins: Plugin = {
    name: 'watch-builtins',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id.startsWith('node:') || builtinModules.includes(id))
        builtins.push(`${importer}: ${id}`);
    },
  };
  const entry = join(packed.app, 'entry.mjs');
  writeFileSync(entry, `export * from '${specifier}';`);
  const output = await build({
    configFile: false,
    root: packed.app,
    logLevel: 'silent',
    plugins: [watchBuiltins],
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['iife'], name: 'bundle' },
    },
  });
  const chunks = [output].flat().flatMap((each) => ('output' in each ? each.output : []));
  const [chunk] = chunks;
  if (chunks.length !== 1 || chunk?.type !== 'chunk') throw new Error('expected one chunk');
  return { code: chunk.code, builtins };
}
