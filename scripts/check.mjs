/**
 * `npm run check`: every judgement that does not run the product. All checks run, even after a
 * failure, so that one round shows every necessary repair. Two run at a time, because most of them
 * use one core. The output of each appears when it has ended.
 */
import { spawn } from 'node:child_process';
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
 * @property {string} [after] an earlier check that makes what this one reads
 */

/** @type {readonly Check[]} */
const CHECKS = [
  { name: 'types', program: 'tsc', args: ['-b'], remedy: 'npm run types' },
  { name: 'lint', program: 'oxlint', args: [], remedy: 'npm run lint' },
  { name: 'format', program: 'oxfmt', args: ['--check'], remedy: 'npm run format' },
  { name: 'unused code', program: 'knip', args: [], remedy: 'npm run unused' },
  {
    name: 'imports and wording',
    program: 'vitest',
    args: ['run', 'test/imports.test.ts', 'test/wording.test.ts'],
    remedy: 'npx vitest run test/imports.test.ts test/wording.test.ts',
  },
  {
    name: 'docs up to date',
    program: 'node',
    args: ['scripts/docs.ts', '--check'],
    remedy: 'npm run docs',
    needs: 'scripts/docs.ts',
    after: 'types',
  },
];

const AT_ONCE = 2;

runScript(() => {
  // the types of the tests include those of the SDKs
  ensureInstalled('dev', 'sdks', 'temporal');
  void judge(toolEnvironment(devNode()));
});

/** @param {NodeJS.ProcessEnv} env */
async function judge(env) {
  const checks = CHECKS.filter(({ needs = '.' }) => existsSync(join(ROOT, needs)));
  const queue = [...checks];
  /** @type {Check[]} */
  const failed = [];
  /** @type {Map<string, ReturnType<typeof run>>} */
  const begun = new Map();
  const lane = async () => {
    for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
      await begun.get(check.after ?? '');
      const running = run(check, env);
      begun.set(check.name, running);
      const { isPassed, said } = await running;
      console.log(`\n== ${check.name}: ${[check.program, ...check.args].join(' ')}\n${said}`);
      if (!isPassed) failed.push(check);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  console.log(`\n${checks.length - failed.length} of ${checks.length} checks passed`);
  for (const { name, remedy } of failed) console.log(`  failed: ${name} (${remedy})`);
  if (failed.length > 0) process.exitCode = 1;
}

/**
 * @param {Check} check
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{readonly isPassed: boolean, readonly said: string}>}
 */
function run({ program, args }, env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (said += text));
    child.once('error', ({ message }) => resolve({ isPassed: false, said: `${said}${message}` }));
    child.once('close', (code) => resolve({ isPassed: code === 0, said: said.trimEnd() }));
  });
}
