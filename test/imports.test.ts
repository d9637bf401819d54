import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesOfLayers } from '../scripts/layer-files.mjs';
import { LAYERS } from '../scripts/layers.mjs';
import { findDashboardOffences, findOffences, type SourceFile } from './import-rules.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

function sources(pattern = 'src/**/*.ts'): SourceFile[] {
  return globSync(pattern, { cwd: ROOT }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(join(ROOT, path), 'utf8'),
  }));
}

function reasons(path: string, text: string): string[] {
  return findOffences([{ path, text }]).map((offence) => `${offence.line}: ${offence.reason}`);
}

describe('every import in src', () => {
  it('goes in the direction of the layers, and the pure layers stay pure', () => {
    const files = sources();
    const found = findOffences(files).map(({ path, line, reason }) => `${path}:${line} ${reason}`);
    expect(files.length).toBeGreaterThan(0);
    expect(found, found.join('\n')).toEqual([]);
  });
});

describe('every import in the dashboard', () => {
  it('is of its own, of a pure layer, or a type', () => {
    const files = sources('dashboard/**/*.{ts,tsx}');
    const found = findDashboardOffences(files).map(
      ({ path, line, reason }) => `${path}:${line} ${reason}`,
    );
    expect(files.length).toBeGreaterThan(0);
    expect(found, found.join('\n')).toEqual([]);
  });

  it.each([
    [`import { serve } from '../../src/server/listen.ts';`, 'may not import server'],
    [`import { decide } from '../../src/machine/decide/decide.ts';`, 'may not import machine'],
    [`import type { Engine } from '../../src/engine/errand.ts';`, 'may not import engine'],
    [`import { readFileSync } from 'node:fs';`, 'runs in a browser'],
    [`import x from 'react';`, 'imports react'],
    [`import { renderToString } from 'preact-render-to-string';`, 'dashboard/html.tsx may'],
  ])('is refused: %s', (text, reason) => {
    const found = findDashboardOffences([{ path: 'dashboard/app/x.ts', text }]);
    expect(found.map((offence) => offence.reason)).toEqual([expect.stringContaining(reason)]);
  });

  it('may name types of the server and of the machine', () => {
    const text = `import type { A } from '../../src/server/http/problem-response.ts';
import type { B } from '../../src/machine/state/events.ts';
import { c } from '../../src/history/run-view.ts';
import { render } from 'preact';`;
    expect(findDashboardOffences([{ path: 'dashboard/app/x.ts', text }])).toEqual([]);
  });
});

describe('the table of layers', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  it('is what the compiler and the linter were given: else run `npm run layers`', () => {
    for (const [path, text] of filesOfLayers(read))
      expect(JSON.parse(read(path)), path).toEqual(JSON.parse(text));
  });

  it('has every folder of src', () => {
    const folders = globSync('src/*/', { cwd: ROOT }).map((path) => path.slice('src/'.length));
    expect(folders.toSorted()).toEqual(Object.keys(LAYERS).toSorted());
  });
});

describe('a folder of src', () => {
  it('has at most 25 source files', () => {
    const counts = new Map<string, number>();
    for (const { path } of sources().filter(({ path }) => !/\.(test|test-d)\.ts$/.test(path)))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
  });
});

describe('a helper of tests', () => {
  it('has no hook at its top, which only the first test file of a process would get', () => {
    const helpers = [...sources('test/**/*.ts'), ...sources('src/**/*.cases.ts')].filter(
      ({ path }) => !/\.(test|setup)\.ts$|node_modules/.test(path),
    );
    const hooked = helpers.filter(({ text }) => /^(?:after|before)(?:All|Each)\(/m.test(text));
    expect(hooked.map(({ path }) => `${path}: ask test/left-behind.ts`)).toEqual([]);
  });
});

describe('the checker', () => {
  const upward = 'errors may not import providers (src/providers/a.ts)';

  it.each([
    ['a static import', `import { a } from '../providers/a.ts';`],
    ['an import for its effect', `import '../providers/a.ts';`],
    ['a type import', `import type { A } from '../providers/a.ts';`],
    ['a re-export', `export { a } from '../providers/a.ts';`],
    ['a re-export of everything', `export * from '../providers/a.ts';`],
    ['a dynamic import', `export const a = () => import('../providers/a.ts');`],
    ['a type written as an import', `export type A = import('../providers/a.ts').A;`],
  ])('catches %s that goes upward', (_, statement) => {
    expect(reasons('src/errors/x.ts', `// first line\n${statement}`)).toEqual([`2: ${upward}`]);
  });

  it.each([
    ['src/providers/x.ts', '../workflow/a.ts', 'providers may not import workflow'],
    ['src/effects/x.ts', '../stores/a.ts', 'effects may not import stores'],
    ['src/stores/x.ts', '../effects/a.ts', 'stores may not import effects'],
    ['src/engine/x.ts', '../cli/a.ts', 'engine may not import cli'],
    ['src/machine/x.ts', '../history/a.ts', 'machine may not import history'],
    ['src/history/x.ts', '../engine/a.ts', 'history may not import engine'],
    ['src/index.ts', './cli/main.ts', 'entry may not import cli'],
    ['src/browser.ts', './engine/errand.ts', 'root may not import engine'],
    ['src/providers/x.ts', '../browser.ts', 'providers may not import root'],
    ['src/providers/x.ts', '../errors/index.ts', 'import the file that has the name'],
    ['src/cli/x.ts', '../engine/local/local-backend.ts', 'cli may import of engine only errand.ts'],
    ['src/cli/x/y.ts', '../../engine/run/effect-runner.ts', 'cli may import of engine only'],
    ['src/cli/x.ts', '../engine/loading/extensions.ts', 'cli may import of engine only'],
    ['src/errors/x.ts', '../../scripts/a.ts', 'not a layer of src'],
    ['src/errors/x.ts', '../shared/a.ts', 'not a layer of src'],
  ])('refuses in %s an import of %s', (path, target, reason) => {
    expect(reasons(path, `import '${target}';`)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    ['src/errors/render/x.ts', '../report.ts'],
    ['src/providers/extract/x.ts', '../../errors/report.ts'],
    ['src/machine/x.ts', '../workflow/a.ts'],
    ['src/cli/commands/x.ts', '../../errors/catalog.ts'],
    ['src/cli/commands/x.ts', '../../engine/errand.ts'],
    ['src/cli/commands/x.ts', '../../engine/loading/check-file.ts'],
    ['src/rehearsal/x.ts', '../engine/local/local-backend.ts'],
    ['src/browser.ts', './errors/index.ts'],
    ['src/cli/x.ts', 'node:fs'],
    ['src/cli/commands/x.ts', 'commander'],
    ['src/errors/report/report-schema.ts', 'zod'],
    ['src/workflow/schema/x.ts', 'zod'],
    ['src/workflow/yaml/x.ts', 'yaml'],
  ])('allows in %s an import of %s', (path, target) => {
    expect(reasons(path, `import '${target}';`)).toEqual([]);
  });

  it.each([
    ['src/errors/x.ts', 'node:fs', 'pure and may not import node:fs'],
    ['src/providers/x.ts', 'fs/promises', 'pure and may not import fs/promises'],
    [
      'src/errors/x.ts',
      'zod',
      'only src/errors/report/report-schema.ts and src/workflow/schema/ may',
    ],
    ['src/workflow/nodes/x.ts', 'zod', 'imports zod, which only'],
    ['src/errors/x.ts', 'commander', 'imports commander, which only src/cli/ may'],
    ['src/cli/x.ts', '@scope/thing/sub', 'imports @scope/thing, which the table'],
    ['src/cli/x.ts', 'constructor', 'imports constructor, which the table'],
  ])('refuses in %s the module %s', (path, target, reason) => {
    expect(reasons(path, `import '${target}';`)).toEqual([expect.stringContaining(reason)]);
  });

  it('refuses an import whose path is computed', () => {
    const found = reasons('src/cli/x.ts', 'export const load = (name: string) => import(name);');
    expect(found).toEqual(['1: imports a computed path, which nobody can check']);
  });

  it.each([
    ['Date.now()', 'Date.now'],
    [`Date['now']()`, 'Date.now'],
    ['new Date()', 'new Date() without a time'],
    ['Math.random()', 'Math.random'],
    ['performance.now()', 'performance'],
    ['process.env', 'process'],
    ['setTimeout(() => 1, 2)', 'setTimeout'],
    ['globalThis.process', 'globalThis.process'],
    ['(globalThis as { crypto?: object }).crypto', 'globalThis.crypto'],
    ['({ process })', 'process'],
  ])('refuses %s in a pure layer', (expression, name) => {
    expect(reasons('src/errors/x.ts', `export const x = ${expression};`)).toContainEqual(
      expect.stringContaining(`src/errors is pure and may not use ${name}`),
    );
  });

  it.each([
    ['a word in a comment', '/* Date.now(), process */ export const x = 1; // Math.random()'],
    ['a word in a string', `export const x = 'process.env Date.now()';`],
    ['a property of that name', `export const x = (y: { process: 1 }) => y.process;`],
    ['a date made from a value', 'export const x = (at: string) => new Date(at);'],
    ['a static method of Date', 'export const x = (at: string) => Date.parse(at);'],
  ])('is not misled by %s', (_, text) => {
    expect(reasons('src/errors/x.ts', text)).toEqual([]);
  });

  it('lets one file of the pure layers look at the world, and tests do as they like', () => {
    const text = 'export const x = Date.now() + Math.random();';
    expect(reasons('src/errors/thrown/stamp.ts', text)).toEqual([]);
    expect(reasons('src/errors/x.test.ts', text)).toEqual([]);
    expect(reasons('src/cli/main.ts', text)).toEqual([]);
    expect(reasons('src/providers/stamp.ts', text)).toHaveLength(2);
  });
});
