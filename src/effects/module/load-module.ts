/**
 * Loads a workflow's module: imported once per process, its exports read and checked. An import runs
 * foreign code, so every way in which it can fail is a report.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename, extname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GUARD, type Guard } from '../../workflow/authoring/guard.ts';
import type { NamedGuard } from '../run-guards.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { keysOf, readProperty } from '../../errors/support/safe-json.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import { codeOf } from '../process/system-code.ts';
import { readCallable, type Callable } from './callable.ts';
import type { ToolDescription } from '../../workflow/authoring/tool-description.ts';
import { adoptModule } from './errand-hook.ts';
import { digestsOf } from './file-digests.ts';
import { importFailure, type ModuleFile } from './import-failure.ts';

export interface LoadOptions {
  /** Base folder of a relative path. Default: the folder of the process. */
  readonly base?: string;
  /** Time limit of its top level. Default: 30 s. An endless loop is not interrupted. */
  readonly timeoutMs?: number;
}

export interface LoadedModule {
  /** The path as written, or the last name of an absolute path. */
  readonly name: string;
  readonly callables: ReadonlyMap<string, Callable>;
  /** Guards declared with `guard`. */
  readonly guards: readonly NamedGuard[];
  /** Exports that cannot be called, and why: `is a class`. */
  readonly others: ReadonlyMap<string, string>;
  /** Digests of the files that it consists of, as they were loaded, by path from its folder. */
  readonly files: ReadonlyMap<string, string>;
}

export interface ModuleDescription {
  readonly module: string;
  /** Names for a `call` node; all of them are tools too. */
  readonly functions: readonly string[];
  readonly tools: Readonly<Record<string, ToolDescription>>;
  readonly others: Readonly<Record<string, string>>;
}

const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs'];
const IMPORT_TIMEOUT_MS = 30_000;

/** Returns all exports of a module and its name. Throws as `loadModule` does. */
export async function loadExports(
  path: string,
  options: LoadOptions = {},
): Promise<{ readonly name: string; readonly values: readonly unknown[] }> {
  const file = findModule(path, options);
  const exports = await importExports(file, options.timeoutMs ?? IMPORT_TIMEOUT_MS);
  return { name: file.name, values: keysOf(exports).map((key) => readProperty(exports, key)) };
}

/** A failed load is not kept, so the next request imports again. */
const loaded = new Map<string, Promise<LoadedModule>>();

/** Throws `extension.*` or `validation.unsupported`. */
export async function loadModule(path: string, options: LoadOptions = {}): Promise<LoadedModule> {
  const file = findModule(path, options);
  const known = loaded.get(file.path);
  if (known !== undefined) return known;
  const loading = importModule(file, options.timeoutMs ?? IMPORT_TIMEOUT_MS);
  loaded.set(file.path, loading);
  try {
    return await loading;
  } catch (failure) {
    loaded.delete(file.path);
    throw failure;
  }
}

/** Describes a module as plain data, for validation, models and people. */
export function describeModule({ name, callables, others }: LoadedModule): ModuleDescription {
  const tools = Array.from(callables, ([key, { describes }]) => [key, describes] as const);
  return {
    module: name,
    functions: [...callables.keys()],
    tools: Object.fromEntries(tools),
    others: Object.fromEntries(others),
  };
}

function findModule(path: string, { base = process.cwd() }: LoadOptions): ModuleFile {
  const name = isAbsolute(path) ? basename(path) : path;
  const extension = extname(path);
  if (!EXTENSIONS.includes(extension)) {
    const what = extension === '' ? 'no extension' : `the extension ${extension}`;
    throw new ErrandError({
      kind: 'validation.unsupported',
      message: `The module ${name} has ${what}, but only JavaScript and TypeScript can be loaded`,
      details: { module: name, extensions: EXTENSIONS },
      action: {
        kind: 'fix_file',
        detail: `Name a file that ends in ${EXTENSIONS.join(', ')} after \`module:\`.`,
      },
    });
  }
  try {
    const real = realpathSync(resolve(base, path));
    if (statSync(real).isFile()) return { name, path: real };
    throw missing(name, 'is not a file');
  } catch (thrown) {
    if (thrown instanceof ErrandError) throw thrown;
    throw missing(name, REASONS[codeOf(thrown)] ?? `cannot be read (${codeOf(thrown)})`, thrown);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'cannot be read: permission is denied',
  ELOOP: 'cannot be read: its path is a loop of links',
};

function missing(name: string, why: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.missing',
      message: `The module ${name} ${why}`,
      details: { module: name },
      action: {
        kind: 'fix_file',
        detail: 'Correct its path, which is relative to the workflow file, or create the module.',
      },
    },
    cause === undefined ? {} : { cause },
  );
}

async function importModule(file: ModuleFile, timeoutMs: number): Promise<LoadedModule> {
  const exports = await importExports(file, timeoutMs);
  return { ...(await readExports(file.name, exports)), files: digestsOf(file.path) };
}

async function importExports(file: ModuleFile, timeoutMs: number): Promise<object> {
  const url = pathToFileURL(file.path).href;
  adoptModule(url);
  const { promise: late, resolve: tell } = Promise.withResolvers<'late'>();
  const stopTimer = MACHINE_CLOCK.after(timeoutMs, () => tell('late'));
  const ending = await Promise.race([settled(url), late]);
  stopTimer();
  if (ending === 'late') throw tooLate(file, timeoutMs);
  if ('thrown' in ending) throw importFailure(ending.thrown, file);
  return exportsOf(ending.exports);
}

/** Never rejects, so that an import that is too late leaves no unhandled rejection. */
async function settled(url: string): Promise<{ exports: object } | { thrown: unknown }> {
  try {
    return { exports: (await import(url)) as object };
  } catch (thrown) {
    return { thrown };
  }
}

function tooLate({ name }: ModuleFile, timeoutMs: number): ErrandError {
  return new ErrandError({
    kind: 'extension.lifecycle',
    message: `The module ${name} was not loaded within ${timeoutMs} ms`,
    details: { module: name, timeoutMs },
    action: {
      kind: 'fix_code',
      detail: `Find the \`await\` at the top level of ${name} that does not finish, and move it into a function.`,
    },
  });
}

/** Node does not detect every export name of CommonJS, so its `module.exports` is read. */
function exportsOf(exports: object): object {
  const common = readProperty(exports, 'module.exports');
  return typeof common === 'object' && common !== null ? common : exports;
}

async function readExports(name: string, exports: object): Promise<Omit<LoadedModule, 'files'>> {
  const callables = new Map<string, Callable>();
  const guards: NamedGuard[] = [];
  const others = new Map<string, string>();
  for (const key of keysOf(exports)) {
    if (key === 'module.exports') continue;
    const value = readProperty(exports, key);
    const check = readProperty(value, GUARD);
    if (check !== undefined) {
      guards.push({ name: `${key} of the module ${name}`, check: readGuard(key, name, check) });
      continue;
    }
    const reading = await readCallable(key, value, `the module ${name}`);
    if (reading.type === 'callable') callables.set(key, reading.callable);
    else others.set(key, reading.what);
  }
  return { name, callables, guards, others };
}

function readGuard(key: string, module: string, check: unknown): Guard {
  // true: it gets a guard's input, and its result is read as unknown
  if (typeof check === 'function') return check as Guard;
  throw new ErrandError({
    kind: 'extension.contract',
    message: `The guard ${key} of the module ${module} is not a function`,
    details: { module, guard: key },
    action: { kind: 'fix_code', detail: 'Write guard((call) => …).' },
  });
}
