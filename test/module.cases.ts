/** A folder outside of any project, where modules are written and a host of their own loads them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue } from '../src/errors/support/safe-json.ts';
import type { Order } from './module-host.ts';

export interface Answer {
  readonly output?: JsonValue;
  readonly error?: {
    readonly kind: string;
    readonly message: string;
    readonly outcome: string;
    readonly retryable: boolean | null;
    readonly action: { readonly kind: string; readonly detail: string };
    readonly details?: JsonObject;
  };
  readonly functions?: readonly string[];
  readonly tools?: Readonly<Record<string, JsonObject>>;
  readonly others?: Readonly<Record<string, string>>;
}

export interface ModuleBench {
  readonly folder: string;
  write(name: string, text: string): void;
  /** The packages of that name become the module's own. */
  install(name: string): void;
  obey(...orders: readonly Order[]): readonly Answer[];
  /** For a module that is only loaded. */
  load(name: string, text: string): Answer;
  dispose(): void;
}

const ROOT = join(import.meta.dirname, '..');

export function openModuleBench(): ModuleBench {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'errand-module-')));
  const write = (name: string, text: string): void => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  // a project of its own that says nothing, whatever lies above it
  write('package.json', '{"private": true}');
  const obey = (...orders: readonly Order[]): readonly Answer[] => {
    const host = join(import.meta.dirname, 'module-host.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [host], {
      cwd: folder,
      encoding: 'utf8',
      input: JSON.stringify(orders),
      timeout: 300_000,
      maxBuffer: 64 * 1024 * 1024,
    });
    if (status !== 0 || stderr !== '') throw new Error(`the host ended with ${status}: ${stderr}`);
    return JSON.parse(stdout) as Answer[];
  };
  return {
    folder,
    write,
    obey,
    load: (name, text) => {
      write(name, text);
      return obey({ load: `./${name}` })[0] ?? {};
    },
    install: (name) => {
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
