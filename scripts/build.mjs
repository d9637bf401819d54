/**
 * `npm run build`: makes `dist` from scratch, so that it holds no file without a source, and the
 * catalog as JSON for readers that run no JavaScript.
 *
 * With `--if-possible`, after an installation: builds if the compiler is installed, so that
 * `import 'errand'` works in a checkout at once, and otherwise does nothing. npm also runs this when
 * it packs, right after `prepack` has built everything. It is `postprepare` and not `prepare`, because
 * npm asks everybody who installs the tarball whether `prepare` may run there.
 *
 * With `--into FOLDER`, for tests of the package: builds there, reuses up-to-date output of the
 * compiler, and leaves `dist` alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { devNode, ensureInstalled, ROOT, runScript } from './install.mjs';

const COMPILED = join(ROOT, 'build');
const DIST = join(ROOT, 'dist');
const PACKING = new Set(['pack', 'publish']);
const INTO = '--into';
const COMPILER = 'node_modules/typescript/bin/tsc';

runScript(() => {
  if (process.argv.includes('--if-possible')) {
    if (PACKING.has(process.env['npm_command'] ?? '')) return;
    if (!existsSync(join(ROOT, COMPILER))) return;
  } else ensureInstalled('dev');
  const at = process.argv.indexOf(INTO);
  if (at < 0) buildAnew();
  else build(process.argv[at + 1] ?? DIST, []);
});

function buildAnew() {
  for (const folder of [COMPILED, DIST]) rmSync(folder, { recursive: true, force: true });
  build(DIST, ['--force']);
}

/**
 * @param {string} dist
 * @param {readonly string[]} options of the compiler
 */
function build(dist, options) {
  // the command line refers to every other layer
  run([COMPILER, '-b', 'src/cli', 'src/ai-sdk', ...options]);
  run(['scripts/bundle.mjs', COMPILED, dist]);
  run(['scripts/dashboard.mjs', dist]);
  const catalog = run([join(dist, 'cli/main.js'), 'explain', '--list', '--format', 'json']);
  writeFileSync(join(dist, 'catalog.json'), catalog);
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
