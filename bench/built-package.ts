/**
 * The package as users install it: the result of `npm run build`. With
 * `ERRAND_BENCH_BEFORE=FOLDER`, an earlier built checkout or a copy of one, benches of steps and
 * fan-outs measure that build too, in the same rounds.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { openErrand } from '../src/index.ts';
import type { openSqliteStore } from '../src/stores/index.ts';
import type { workflow } from '../src/workflow/authoring/define.ts';
import { buildOnce } from './door/installed.ts';

export interface Build {
  readonly name: string;
  readonly openErrand: typeof openErrand;
  readonly openSqliteStore: typeof openSqliteStore;
  readonly workflow: typeof workflow;
}

/** The build of this checkout, and the earlier one if it is named. */
export async function builds(): Promise<readonly Build[]> {
  buildOnce();
  const before = process.env['ERRAND_BENCH_BEFORE'];
  const now = await load(join(import.meta.dirname, '..'), '');
  return before === undefined ? [now] : [now, await load(before, ', the build before')];
}

async function load(root: string, name: string): Promise<Build> {
  // by a computed address: the compiler must not look for files that only a build makes
  const part = (path: string): Promise<object> =>
    import(pathToFileURL(join(root, 'dist', path)).href) as Promise<object>;
  const parts = await Promise.all([
    part('index.js'),
    part('stores/index.js'),
    part('workflow/authoring/define.js'),
  ]);
  return Object.assign({ name }, ...parts) as Build;
}
