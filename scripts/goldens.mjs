/**
 * `npm run goldens`: rewrites every golden file and every generated page, for a change of wording
 * that many of them show. Read the diff before you commit it. Values inside a test stay unchanged:
 * they are meant to stop an accidental change.
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { devNode, ensureInstalled, ROOT, runScript, toolEnvironment } from './install.mjs';

const PARTS = ['src', 'test'];

runScript(() => {
  ensureInstalled('dev', 'sdks', 'servers', 'client', 'temporal', 'otel', 'oldest');
  const node = devNode();
  const suites = PARTS.flatMap((part) => globSync(`${part}/**/*.test.ts`, { cwd: ROOT })).filter(
    (file) => readFileSync(join(ROOT, file), 'utf8').includes('toMatchFileSnapshot'),
  );
  const vitest = [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...suites, '-u'];
  for (const args of [vitest, [join(ROOT, 'scripts', 'docs.ts')]]) {
    const options = {
      cwd: ROOT,
      env: toolEnvironment(node),
      stdio: /** @type {const} */ ('inherit'),
    };
    const { status } = spawnSync(node, args, options);
    if (status !== 0) process.exitCode = status ?? 1;
  }
  console.log('\nRead what has changed: git diff --stat');
});
