/** The package as a user gets it, and a module that lies somewhere else altogether. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openModuleBench, type ModuleBench } from './module.cases.ts';
import { runIn, type PackedPackage } from './packed-package.ts';

export function moduleOfPackedCases(packed: () => PackedPackage): void {
  let bench: ModuleBench;
  beforeAll(() => {
    bench = openModuleBench();
    // a project of its own, whatever lies above it
    writeFileSync(join(packed().app, 'package.json'), '{"private": true}');
  });
  afterAll(() => bench.dispose());

  it('is run with the installed Errand, under all its names', () => {
    bench.write(
      't.yaml',
      `workflow: {name: t, entry_point: a, module: ./m.ts}\nnodes: [{name: a, type: tool, tool: go}]\noutput: {it: "{{ a.output }}"}\n`,
    );
    bench.write(
      'm.ts',
      `import { ErrandError, tool } from 'errand';
import * as errors from 'errand/errors';
import { workflow } from 'errand/workflow';
import catalog from 'errand/catalog.json' with { type: 'json' };
export const go = tool({ run: () => [errors.ErrandError === ErrandError, typeof workflow, Object.keys(catalog).length > 0] });`,
    );
    const launcher = join(packed().directory, 'bin', 'errand.mjs');
    const result = runIn(bench.folder, process.execPath, [launcher, 'run', 't.yaml']);
    expect(result).toMatchObject({ status: 0 });
    expect(JSON.parse(result.stdout)).toEqual({ it: [true, 'function', true] });
  });

  it('gets the classes of the command that runs it, and so does a package of tools', () => {
    // the command's own files are the only ones that the process has loaded as CommonJS
    const own = `[...Object.values(createRequire(import.meta.url).cache)].some(({ exports }) => Object.values(exports).includes(ErrandError))`;
    const tools = join(packed().app, 'node_modules', 'some-tools');
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'package.json'), '{"type": "module", "exports": "./tools.js"}');
    const head = `import { createRequire } from 'node:module';\nimport { ErrandError, tool } from 'errand';\n`;
    writeFileSync(join(tools, 'tools.js'), `${head}export const isOwn = ${own};`);
    writeFileSync(
      join(packed().app, 'own.mjs'),
      `${head}import { isOwn } from 'some-tools';\nexport const go = tool({ run: () => [${own}, isOwn] });`,
    );
    writeFileSync(
      join(packed().app, 'own.yaml'),
      `workflow: {name: t, entry_point: a, module: ./own.mjs}\nnodes: [{name: a, type: tool, tool: go}]\noutput: {it: "{{ a.output }}"}\n`,
    );
    const launcher = join(packed().directory, 'bin', 'errand.mjs');
    const result = runIn(packed().app, process.execPath, [launcher, 'run', 'own.yaml']);
    expect(result).toMatchObject({ status: 0 });
    expect(JSON.parse(result.stdout)).toEqual({ it: [true, true] });
  });

  it('is the same copy that the host has, and the host keeps its own imports', () => {
    writeFileSync(
      join(packed().app, 'host.mjs'),
      `import * as before from 'errand';
     import { loadModule } from ${JSON.stringify(join(packed().directory, 'dist/effects/module/load-module.js'))};
     const { callables } = await loadModule(${JSON.stringify(join(bench.folder, 'same.mjs'))});
     const after = await import('errand');
     console.log(before === after, callables.get('raised').run() instanceof before.ErrandError);`,
    );
    bench.write(
      'same.mjs',
      `import { failure } from 'errand'; export const raised = () => failure('a.b', 'x');`,
    );
    const result = runIn(packed().app, process.execPath, ['host.mjs']);
    expect(result).toMatchObject({ status: 0, stdout: 'true true\n', stderr: '' });
  });
}
