/**
 * `npm test`: installs the packages that the suites need and runs all suites; arguments go to
 * Vitest. The last line is the count.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devNode, ensureInstalled, ROOT, runScript, toolEnvironment } from './install.mjs';

runScript(() => {
  ensureInstalled('dev', 'sdks', 'servers', 'client', 'temporal', 'otel', 'oldest');
  const node = devNode();
  // one process builds the parts that several test files would otherwise build at the same time
  for (const maker of makers(process.argv.slice(2)))
    spawnSync(node, [join(ROOT, maker)], { stdio: 'inherit' });
  const directory = mkdtempSync(join(tmpdir(), 'errand-test-'));
  const outcome = join(directory, 'outcome.json');
  try {
    const { status } = spawnSync(
      node,
      [
        join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${outcome}`,
        ...process.argv.slice(2),
      ],
      { cwd: ROOT, env: toolEnvironment(node), stdio: 'inherit' },
    );
    process.exitCode = status ?? 1;
    console.log(`\n${summarize(outcome)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/**
 * @param {readonly string[]} wanted arguments for Vitest
 * @returns {readonly string[]} scripts that make what these suites share
 */
function makers(wanted) {
  const names = wanted.filter((word) => !word.startsWith('-'));
  const isAll = names.length === 0;
  const hasTemporal = isAll || names.some((name) => /temporal|engine/.test(name));
  return [
    ...(hasTemporal ? ['test/temporal/server.ts', 'test/temporal/stage.ts'] : []),
    ...(isAll ? ['src/cli/built-errand.cases.ts'] : []),
  ];
}

/**
 * @param {string} outcome path of what Vitest's JSON reporter wrote
 * @returns {string}
 */
function summarize(outcome) {
  /** @type {Record<string, number> & {testResults?: {status: string, assertionResults: unknown[]}[]}} */
  let counts;
  try {
    counts = JSON.parse(readFileSync(outcome, 'utf8'));
  } catch (error) {
    process.exitCode ||= 1;
    return `The tests did not finish: ${error instanceof Error ? error.message : String(error)}`;
  }
  // a file that cannot be loaded has no tests, and is still a failure
  const broken = (counts.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const skipped = (counts['numPendingTests'] ?? 0) + (counts['numTodoTests'] ?? 0);
  const failed = (counts['numFailedTests'] ?? 0) + broken;
  if (failed > 0) process.exitCode ||= 1;
  const line = `${counts['numPassedTests'] ?? 0} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
