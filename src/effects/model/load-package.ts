/**
 * Loads optional packages when they are used, from the folder of the workflow, of the process, or of
 * Errand. `require` resolves from any folder, supports every package manager, and loads ES modules in each
 * Node that Errand supports.
 */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { hideHostPaths } from '../../errors/redaction/host-paths.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { codeOf } from '../process/system-code.ts';

export type Loading =
  | { readonly type: 'loaded'; readonly exports: unknown }
  | { readonly type: 'missing' }
  /** Installed, but it does not load. */
  | { readonly type: 'broken'; readonly thrown: unknown };

/** Returns the exports; `missing` makes an error from the end of a sentence about the package. */
export function exportsOf(
  loading: Loading,
  missing: (why: string, thrown?: unknown) => Error,
): unknown {
  switch (loading.type) {
    case 'loaded':
      return loading.exports;
    case 'missing':
      throw missing('is not installed');
    case 'broken':
      throw missing(`does not load: ${whyBroken(loading.thrown)}`, loading.thrown);
  }
}

/** In one line without host paths. */
export function whyBroken(thrown: unknown): string {
  const [why = ''] = hideHostPaths(describe(thrown)).split('\n');
  return why;
}

export type LoadPackage = (name: string, directory: string | undefined) => Loading;

/** Caches loaded packages; a missing one is searched again, because it may be installed meanwhile. */
export function createLoadPackage(ownDirectory: string = process.cwd()): LoadPackage {
  const loaded = new Map<string, Loading>();
  return (name, directory) => {
    const key = `${directory ?? ''}\n${name}`;
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const bases = [
      ...(directory === undefined ? [] : [resolve(directory, 'package.json')]),
      join(ownDirectory, 'package.json'),
      // undefined in a CommonJS bundle
      ...(URL.canParse(import.meta.url) ? [import.meta.url] : []),
    ];
    const loading = loadFrom(name, bases);
    if (loading.type === 'loaded') loaded.set(key, loading);
    return loading;
  };
}

function loadFrom(name: string, bases: readonly string[]): Loading {
  for (const base of bases) {
    const from = createRequire(base);
    try {
      from.resolve(name);
    } catch (thrown) {
      if (codeOf(thrown) === 'MODULE_NOT_FOUND') continue;
      return { type: 'broken', thrown };
    }
    try {
      return { type: 'loaded', exports: from(name) as unknown };
    } catch (thrown) {
      return { type: 'broken', thrown };
    }
  }
  return { type: 'missing' };
}
