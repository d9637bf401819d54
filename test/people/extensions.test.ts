/** Extensions from the command line and in an application: what they add, their order, their failures. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import {
  extension,
  raise,
  workflow,
  type Extension,
  type ExtensionOptions,
} from '../../src/index.ts';
import { errand } from '../survival/process.ts';
import { spyModel } from './spy-model.ts';
import { closeAll, open } from './stage.ts';

afterEach(closeAll);

const root = mkdtempSync(join(tmpdir(), 'errand-extensions-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let places = 0;
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(root, String(++places));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The fenced blocks of the guide: a module, then a workflow. */
function guide(): { readonly module: string; readonly file: string; readonly says: string } {
  const path = join(import.meta.dirname, '../../docs/guide/extensions.md');
  const text = readFileSync(path, 'utf8');
  const [module = '', file = ''] = [...text.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(
    ([, block = '']) => block,
  );
  const [says = 'nothing'] = /^acme says: .*$/m.exec(text) ?? [];
  return { module, file, says };
}

describe('the example of the guide', () => {
  const { module, file, says } = guide();

  it('runs as it says, and its sink sees every event', async () => {
    const cwd = folderWith({ 'acme.ts': module, 'prices.yaml': file });
    const ran = await errand(['run', 'prices.yaml', '--format', 'acme'], { cwd });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(ran.stdout.trim()).toBe(says);
    const [home] = [join(cwd, '.errand', 'runs')];
    const listed = await errand(['runs', '--format', 'json'], { cwd });
    const [{ run }] = JSON.parse(listed.stdout) as [{ run: string }];
    const types = readFileSync(join(home, run, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    const seen = [...ran.stderr.matchAll(/^acme saw (\S+)$/gm)].map(([, type]) => type);
    expect(seen).toEqual(types);
  });

  it('is checked by validate: its names, with what was meant', async () => {
    const cwd = folderWith({
      'acme.ts': module,
      't.yaml': file
        .replace('type: acme.convert', 'type: acme.covnert')
        .replace('tool: acme.rate', 'tool: acme.rat'),
    });
    const { exit, stdout } = await errand(['validate', 't.yaml', '--format', 'json'], { cwd });
    expect(exit).toBe(2);
    const [{ diagnostics }] = (JSON.parse(stdout) as { files: [{ diagnostics: object[] }] }).files;
    expect(diagnostics).toMatchObject([
      { code: 'unknown-tool', pointer: '/nodes/0/tool', suggestion: 'acme.rate' },
      { code: 'unknown-node-type', pointer: '/nodes/1/type', suggestion: 'acme.convert' },
    ]);
  });
});

describe('a node type of an extension', () => {
  const acme = extension({
    name: 'acme',
    contract: 1,
    nodes: {
      double: ({ n }: { n: number }) => ({ n: n * 2 }),
      refuse: () => {
        throw raise('acme.refused', 'No');
      },
      wrong: () => ({ n: 'many' }),
    },
  });
  const of = (type: `${string}.${string}`, more: object = {}): ReturnType<typeof workflow> =>
    workflow({
      name: 't',
      entryPoint: 'a',
      nodes: [{ name: 'a', type, arguments: { n: 21 }, ...more }],
    });

  it.each([
    ['acme.double', { status: 'completed', output: { n: 42 } }],
    ['acme.refuse', { status: 'failed', error: { kind: 'acme.refused', location: { node: 'a' } } }],
    ['acme.wrong', { status: 'failed', error: { kind: 'internal.schema_violation' } }],
  ] as const)('%s gives or fails as a call does', async (type, result) => {
    const errand = await open({ extensions: [acme] });
    const output = { n: { type: 'number' } };
    const run = await errand.start(of(type, { output }));
    expect(await run.result()).toMatchObject(result);
  });

  it('that nobody has keeps the workflow from running', async () => {
    const errand = await open({});
    await expect(errand.start(of('acme.double'))).rejects.toMatchObject({
      kind: 'validation.node_config',
      details: { code: 'unknown-node-type', path: 'nodes[0].type' },
    });
  });
});

describe('an application', () => {
  it('has the models, tools, guards and stores of its extensions', async () => {
    const spy = spyModel([{ name: 'acme__look' }], 'seen');
    let opened = '';
    const acme = extension({
      name: 'acme',
      contract: 1,
      models: { 'acme/spy': spy.model },
      tools: { look: () => 'a secret' },
      guard: ({ tool }) => (tool === 'acme.look' ? { deny: 'not this one' } : undefined),
      store: (address) => {
        opened = address;
        return openMemoryStore({ now: Date.now });
      },
    });
    const errand = await open({ extensions: [acme], store: 'acme:somewhere' });
    const run = await errand.start(
      workflow({
        name: 't',
        entryPoint: 'a',
        nodes: [{ name: 'a', prompt: 'Look', model: 'acme/spy', tools: ['acme.look'] }],
      }),
    );
    expect(await run.result()).toMatchObject({ status: 'completed', output: { result: 'seen' } });
    expect(opened).toBe('somewhere');
    expect(spy.results()[0]?.value).toMatchObject({ error: { kind: 'tool.denied' } });
  });

  const life: string[] = [];
  const living = (name: string, more: Partial<ExtensionOptions> = {}): Extension =>
    extension({
      name,
      contract: 1,
      load: () => {
        life.push(`load ${name}`);
        return {};
      },
      start: () => life.push(`start ${name}`),
      stop: () => life.push(`stop ${name}`),
      ...more,
    });
  const nothing = workflow({
    name: 't',
    entryPoint: 'a',
    nodes: [{ name: 'a', type: 'set', value: 1 }],
  });

  it('loads and starts them by what they need, once, and stops them the other way round', async () => {
    life.length = 0;
    const errand = await open({
      extensions: [living('a', { needs: ['c'] }), living('b'), living('c')],
    });
    expect(life).toEqual(['load c', 'load a', 'load b']);
    await (await errand.start(nothing)).result();
    await (await errand.start(nothing)).result();
    await errand.close();
    expect(life.slice(3)).toEqual(['start c', 'start a', 'start b', 'stop b', 'stop a', 'stop c']);
  });

  it('keeps no store open that it could not be opened with', async () => {
    life.length = 0;
    const store = openMemoryStore({ now: Date.now });
    store.close = async () => void life.push('close');
    const kept = living('kept', { store: () => store });
    const boom = living('boom', {
      start: () => {
        throw new Error('no power');
      },
    });
    const refused = { kind: 'extension.lifecycle' };
    const options = { extensions: [kept, boom], adopt: true };
    await expect(open({ ...options, store: 'kept:here' })).rejects.toMatchObject(refused);
    expect(life.slice(2)).toEqual(['start kept', 'stop kept', 'close']);
    // the host has opened this one, and closes it
    life.length = 0;
    await expect(open({ ...options, store })).rejects.toMatchObject(refused);
    expect(life.slice(2)).toEqual(['start kept', 'stop kept']);
    // what is refused before needs none
    await expect(
      open({ store: 'kept:here', extensions: [kept], fetch: { allow: ['no host'] } }),
    ).rejects.toMatchObject({ kind: 'validation.input' });
    expect(life.slice(4)).toEqual(['load kept']);
  });

  it('runs nothing with half of its parts: what was started is stopped again', async () => {
    life.length = 0;
    const boom = (): never => {
      throw new Error('no power');
    };
    const errand = await open({
      extensions: [living('a'), living('b', { start: boom }), living('c')],
    });
    await expect(errand.start(nothing)).rejects.toMatchObject({
      kind: 'extension.lifecycle',
      report: { details: { extension: 'b', phase: 'started' } },
    });
    expect(life.slice(3)).toEqual(['start a', 'stop a']);
    expect(await errand.list()).toEqual([]);
  });

  it.each<[string, readonly Extension[]]>([
    ['extension.cycle', [living('a', { needs: ['b'] }), living('b', { needs: ['a'] })]],
    ['extension.missing', [living('a', { needs: ['b'] })]],
    ['extension.contract', [living('a'), living('a')]],
    ['extension.contract', [living('a', { contract: 2 })]],
    ['extension.contract', [living('A b')]],
    ['extension.contract', [living('a', { tols: {} } as never)]],
    ['extension.contract', [living('a', { tools: { x: 3 } } as never)]],
    ['extension.contract', [living('a', { load: () => ({ what: 1 }) as never })]],
    ['extension.contract', [{ name: 'a' } as never]],
    ['extension.lifecycle', [living('a', { load: () => Promise.reject(new Error('no')) })]],
  ])('is not opened with %s', async (kind, extensions) => {
    await expect(open({ extensions })).rejects.toMatchObject({ kind });
  });

  it('is not hurt by a sink that throws or hangs, nor by a stop that fails', async () => {
    const warned: ErrorReport[] = [];
    const reported: string[] = [];
    const errand = await open({
      onWarning: (error) => warned.push(error),
      extensions: [
        extension({
          name: 'bad',
          contract: 1,
          sink: () => {
            throw new Error('full');
          },
          stop: () => Promise.reject(new Error('stuck')),
        }),
        extension({
          name: 'good',
          contract: 1,
          sink: (event) => {
            reported.push(event.type);
            // a listener may do with its copy what it likes
            Object.assign(event, { type: 'nonsense' });
          },
        }),
      ],
    });
    const run = await errand.start(nothing);
    expect(await run.result()).toEqual({ status: 'completed', output: 1 });
    const types: string[] = [];
    for await (const event of errand.history(run.id)) types.push(event.type);
    await errand.close();
    expect(reported).toEqual(types);
    expect(
      warned.map(({ kind, details }) => [kind, details?.['extension'], details?.['phase']]),
    ).toEqual([
      ['extension.lifecycle', 'bad', 'sink'],
      ['extension.lifecycle', 'bad', 'stopped'],
    ]);
  });
});

describe('a file whose extension cannot be used', () => {
  const FILE = JSON.stringify({
    workflow: { name: 't', entry_point: 'a', extensions: ['./ext.ts'] },
    nodes: [{ name: 'a', type: 'set', value: 1 }],
  });

  it.each([
    ['extension.missing', undefined],
    ['extension.contract', 'export const nothing = 1;'],
    ['extension.lifecycle', 'throw new Error("no");'],
    [
      'extension.cycle',
      `import { extension } from 'errand';
export const a = extension({ name: 'a', contract: 1, needs: ['b'] });
export const b = extension({ name: 'b', contract: 1, needs: ['a'] });`,
    ],
    [
      'extension.lifecycle',
      `import { extension } from 'errand';
export const a = extension({ name: 'a', contract: 1, start: () => { throw new Error('no'); } });`,
    ],
  ])('is not run: %s', async (kind, module) => {
    const cwd = folderWith({
      't.yaml': FILE,
      ...(module === undefined ? {} : { 'ext.ts': module }),
    });
    const { exit, stdout } = await errand(['run', 't.yaml', '--format', 'json'], { cwd });
    expect(exit).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'refused',
      error: { kind, action: { detail: expect.stringMatching(/[^.]\.$/) as unknown } },
    });
  });

  it('and a format that nobody renders is refused with what there is', async () => {
    const cwd = folderWith({
      't.yaml': FILE,
      'ext.ts': `import { extension } from 'errand';
const printing = (name, render) => extension({ name, contract: 1, render });
export const acme = printing('acme', () => { throw new Error('no ink'); });
export const later = printing('later', async () => { throw new Error('no ink'); });
export const counting = printing('counting', () => 7);`,
    });
    const other = await errand(['run', 't.yaml', '--format', 'acmee'], { cwd });
    expect([other.exit, other.stderr]).toEqual([2, expect.stringContaining('acme')]);
    const words = {
      acme: 'no ink',
      later: 'it returned a promise',
      counting: 'it returned no text',
    };
    for (const [format, why] of Object.entries(words)) {
      const broken = await errand(['run', 't.yaml', '--format', format], { cwd });
      expect(broken.exit).toBe(0);
      expect(broken.stderr).toContain(`The extension ${format} could not render: ${why}`);
      expect(JSON.parse(broken.stdout)).toMatchObject({ status: 'completed', output: 1 });
    }
  });
});

describe('a store of an extension', () => {
  it('keeps the runs of every command', async () => {
    const cwd = folderWith({
      't.yaml': JSON.stringify({
        workflow: { name: 't', entry_point: 'a' },
        nodes: [{ name: 'a', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] }],
      }),
      // what another database would be: ours, at another place
      'ext.ts': `import { extension } from 'errand';
const { openSqliteStore } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/stores/sqlite/sqlite.ts'))});
export const acme = extension({ name: 'acme', contract: 1,
  store: (address) => openSqliteStore({ path: './' + address + '.db', now: Date.now }) });`,
    });
    const env = { ERRAND_EXTENSIONS: './ext.ts', ERRAND_STORE: 'acme:elsewhere' };
    const paused = await errand(['run', 't.yaml', '--format', 'json'], { cwd, env });
    expect(paused.exit, paused.stderr).toBe(5);
    const { run } = JSON.parse(paused.stdout) as { run: string };
    const listed = await errand(['runs', '--format', 'json'], { cwd, env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ run, status: 'paused' }]);
    const answered = await errand(['answer', run, '--value', 'yes'], { cwd, env });
    expect(answered.exit).toBe(0);
    const unknown = await errand(['run', 't.yaml', '--format', 'json'], {
      cwd,
      env: { ERRAND_STORE: 'nobody:x' },
    });
    expect([unknown.exit, JSON.parse(unknown.stdout)]).toMatchObject([
      2,
      { status: 'refused', error: { kind: 'validation.input' } },
    ]);
  });
});
