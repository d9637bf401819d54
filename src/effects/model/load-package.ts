/**
 * Packages that only some people need: looked for where the workflow is, where the process is and
 * where Errand is, and loaded when they are used. `require` resolves from any folder, knows every
 * package manager's ways, and loads ES modules in each Node that Errand runs on.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { hideHostPaths } from '../../errors/host-paths.ts';
import { describe } from '../../errors/to-report.ts';
import { codeOf } from '../system-code.ts';

export type Loading =
  | { readonly type: 'loaded'; readonly exports: unknown }
  | { readonly type: 'missing' }
  /** It is there and does not load. */
  | { readonly type: 'broken'; readonly thrown: unknown };

/** What it exports; `missing` makes a failure of the rest of a sentence about the package. */
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

/** In one line that anyone may read. */
export function whyBroken(thrown: unknown): string {
  const [why = ''] = hideHostPaths(describe(thrown)).split('\n');
  return why;
}

export type LoadPackage = (name: string, directory: string | undefined) => Loading;

/** Remembers what was loaded; what was missing is looked for again, since people install things. */
export function createLoadPackage(ownDirectory: string = process.cwd()): LoadPackage {
  const loaded = new Map<string, Loading>();
  return (name, directory) => {
    const key = `${directory ?? ''}\n${name}`;
    const known = loaded.get(key);
    if (known !== undefined) return known;
    const places = [
      ...(directory === undefined ? [] : [join(directory, 'package.json')]),
      join(ownDirectory, 'package.json'),
      // none in a bundle that is no ES module
      ...(URL.canParse(import.meta.url) ? [import.meta.url] : []),
    ];
    const loading = loadFrom(name, places);
    if (loading.type === 'loaded') loaded.set(key, loading);
    return loading;
  };
}

function loadFrom(name: string, places: readonly string[]): Loading {
  for (const place of places) {
    const from = createRequire(place);
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
