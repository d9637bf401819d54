/**
 * Makes `dist` from what the compiler wrote: few files of JavaScript instead of hundreds, because a
 * program that imports Errand pays for every file that is opened, and the types as they are.
 */
import { cpSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILED = join(ROOT, 'build');
const DIST = join(ROOT, 'dist');

/** What package.json exports, and what is started or looked up on its own. */
const ENTRIES = [
  'index',
  'browser',
  'errors/index',
  'workflow/define',
  'cli/main',
  'effects/module/load-module',
  'effects/sandbox/worker',
];

/** What finds other files from where it is, and so has to stay there. */
const PLACED = [
  'cli/version',
  'effects/module/errand-hook',
  'effects/sandbox/engine',
  'effects/sandbox/sandbox-worker',
];

/**
 * What is always wanted together goes into one file, with all that it imports and no earlier one
 * has: what a failure is, what every platform has, and the engine.
 */
const TOGETHER = {
  errors: ['errors/index'],
  shared: ['providers/report-from', 'resilience', 'workflow/tool'],
  engine: ['drivers/errand', 'stores/sqlite'],
};

const bundler = await rolldown({
  input: Object.fromEntries([...ENTRIES, ...PLACED].map((name) => [name, compiled(name)])),
  // the sandbox finds its engine, which is no JavaScript, by its package
  external: [/^node:/, /quickjs/],
  platform: 'node',
  logLevel: 'warn',
});
await bundler.write({
  dir: DIST,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: ({ moduleIds }) => {
    const placed = PLACED.find((name) => moduleIds.includes(compiled(name)));
    return placed === undefined ? 'chunks/[name].mjs' : `${dirname(placed)}/[name].part.js`;
  },
  codeSplitting: {
    groups: Object.entries(TOGETHER).map(([name, roots], index, { length }) => ({
      name,
      test: (id) => roots.some((root) => id === compiled(root)),
      includeDependenciesRecursively: true,
      priority: length - index,
    })),
  },
});
await bundler.close();

for (const file of readdirSync(COMPILED, { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.d.ts')) cpSync(join(COMPILED, file), join(DIST, file));

/** @param {string} name */
function compiled(name) {
  return join(COMPILED, `${name}.js`);
}
