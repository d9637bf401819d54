/**
 * The package as users install it: what `npm run build` made. With `ERRAND_BENCH_BEFORE=FOLDER`, a checkout or a
 * copy of one that was built earlier, benches of steps and fan-outs measure that build too, in the same rounds.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Build {
  readonly name: string;
  readonly openErrand: typeof import('../src/index.ts').openErrand;
  readonly openSqliteStore: typeof import('../src/stores/index.ts').openSqliteStore;
  readonly workflow: typeof import('../src/workflow/authoring/define.ts').workflow;
}

/** The build of this checkout, and the earlier one where it is named. */
export async function builds(): Promise<readonly Build[]> {
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
