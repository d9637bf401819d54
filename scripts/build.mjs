/**
 * `npm run build`: `dist` from nothing, so that it holds no file whose source is gone, and the catalog
 * as JSON for readers that run no JavaScript.
 *
 * With `--if-possible`, after an installation: builds when the compiler is there, so that
 * `import 'errand'` works in a checkout at once, and leaves the rest alone when it is not. npm asks for
 * that when it packs too, right after `prepack` has built everything.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { devNode, ensureInstalled, ROOT, runScript } from './install.mjs';

const COMPILED = join(ROOT, 'build');
const DIST = join(ROOT, 'dist');
const PACKING = new Set(['pack', 'publish']);
const COMPILER = 'node_modules/typescript/bin/tsc';

runScript(() => {
  if (process.argv.includes('--if-possible')) {
    if (PACKING.has(process.env['npm_command'] ?? '')) return;
    if (!existsSync(join(ROOT, COMPILER))) return;
  } else ensureInstalled('dev');
  build();
});

function build() {
  for (const folder of [COMPILED, DIST]) rmSync(folder, { recursive: true, force: true });
  // the command line refers to every other layer
  run([COMPILER, '-b', 'src/cli', 'src/ai-sdk', '--force']);
  run(['scripts/bundle.mjs']);
  run(['scripts/dashboard.mjs']);
  const catalog = run(['dist/cli/main.js', 'explain', '--list', '--format', 'json']);
  writeFileSync(join(DIST, 'catalog.json'), catalog);
}

/**
 * @param {readonly string[]} args of Node
 * @returns {string} what it printed
 */
function run(args) {
  const { status, stdout } = spawnSync(devNode(), args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    process.stderr.write(stdout);
    process.exit(status ?? 1);
  }
  return stdout;
}
