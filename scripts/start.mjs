/** `npm start`: shows a support desk on a bad day, and how Errand handles it. Needs no key. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ensureNode, ROOT, runScript } from './install.mjs';

const INTRODUCTION = `
A customer wants money back for three orders. On the way the first model is over its rate limit,
the second one answers off its schema, one order does not exist, and the bank is busy.
`;
const ASKED = 'You will be asked for a decision.\n';

const EXAMPLE = 'examples/support-desk.yaml';

runScript(() => {
  ensureInstalled('runtime');
  const node = ensureNode();
  const errand = join(ROOT, 'bin', 'errand.mjs');

  // if there is nobody to ask, the command brings the answer
  const isAsked = process.stdin.isTTY && process.stderr.isTTY;
  console.log(INTRODUCTION + (isAsked ? ASKED : ''));
  const status = show(['run', EXAMPLE, ...(isAsked ? [] : ['--answer', 'approve=pay'])]);
  const run = lastRun();
  if (status !== 0 || run === undefined) {
    process.exitCode = status;
    return;
  }
  console.log('\nIt ended well, and every attempt is on the bill, what failed too:\n');
  show(['costs', run]);
  console.log(`
Now look at it yourself (errand is "node bin/errand.mjs" here):
${inColumns([
  [`errand explain ${run}`, 'each failure: its source, what took it, why'],
  [`errand show ${run}`, 'what became of each node'],
  [`errand validate ${EXAMPLE}`, 'what can fail, and the most it can cost'],
  ['errand explain provider.quota_exhausted', 'a 429 that no waiting will mend'],
])}
Kill a run at any moment (Ctrl-C will do): errand resume RUN continues where it was.
Next: docs/tutorial.md takes ten minutes.
`);

  /**
   * @param {readonly string[]} args
   * @returns {number} how it ended
   */
  function show(args) {
    return spawnSync(node, [errand, ...args], { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
  }

  /** @returns {string | undefined} the run that was shown */
  function lastRun() {
    const args = [errand, 'runs', '--limit', '1', '--format', 'json'];
    const { stdout } = spawnSync(node, args, { cwd: ROOT, encoding: 'utf8' });
    /** @type {readonly { run: string }[]} */
    const runs = JSON.parse(stdout === '' ? '[]' : stdout);
    return runs[0]?.run;
  }
});

/**
 * @param {readonly (readonly [string, string])[]} rows a command, and what it shows
 * @returns {string}
 */
function inColumns(rows) {
  const width = Math.max(...rows.map(([command]) => command.length));
  return rows.map(([command, shows]) => `  ${command.padEnd(width)}  ${shows}`).join('\n');
}
