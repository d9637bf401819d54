/**
 * `npm run check`: everything that is judged without running the product. All checks run, whatever
 * fails, so that one round shows all there is to repair.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { devNode, ensureInstalled, ROOT, runScript, toolEnvironment } from './install.mjs';

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string} program
 * @property {readonly string[]} args
 * @property {string} remedy
 * @property {string} [needs] a file without which there is nothing to check
 */

/** @type {readonly Check[]} */
const CHECKS = [
  { name: 'types', program: 'tsc', args: ['-b'], remedy: 'npm run types' },
  { name: 'lint', program: 'oxlint', args: [], remedy: 'npm run lint' },
  { name: 'format', program: 'oxfmt', args: ['--check'], remedy: 'npm run format' },
  { name: 'unused code', program: 'knip', args: [], remedy: 'npm run unused' },
  {
    name: 'imports',
    program: 'vitest',
    args: ['run', 'test/imports.test.ts'],
    remedy: 'npx vitest run test/imports.test.ts',
  },
  {
    name: 'docs up to date',
    program: 'node',
    args: ['scripts/docs.ts', '--check'],
    remedy: 'npm run docs',
    needs: 'scripts/docs.ts',
  },
];

runScript(() => {
  // the types of the tests include those of the SDKs
  ensureInstalled('dev', 'sdks', 'temporal');
  const env = toolEnvironment(devNode());
  const checks = CHECKS.filter(({ needs = '.' }) => existsSync(join(ROOT, needs)));
  const failed = checks.filter((check) => !run(check, env));

  console.log(`\n${checks.length - failed.length} of ${checks.length} checks passed`);
  for (const { name, remedy } of failed) console.log(`  failed: ${name} (${remedy})`);
  if (failed.length > 0) process.exitCode = 1;
});

/**
 * @param {Check} check
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean}
 */
function run({ name, program, args }, env) {
  console.log(`\n== ${name}: ${[program, ...args].join(' ')}`);
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error !== undefined) console.error(error.message);
  return status === 0;
}
