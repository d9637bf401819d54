/** `npm start`: runs a workflow in which three things fail, and shows what Errand makes of it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ensureNode, ROOT, runScript } from './install.mjs';

const SCENES = [
  {
    introduction: 'Before anything runs: what can fail, what takes it, and the most it can cost.',
    args: ['validate', 'examples/first-run.yaml'],
  },
  {
    introduction:
      'Now the run: a flaky download, a broken member, a declined payment. It still ends well.',
    args: ['run', 'examples/first-run.yaml'],
  },
  {
    introduction:
      'And one failure that no retry will fix, although it answers 429 like a rate limit:',
    args: ['explain', 'provider.quota_exhausted'],
  },
];

const HINT = `Next:
  node bin/errand.mjs explain --list     every failure Errand knows
  node bin/errand.mjs runs               the run you just saw, and those before it
  npm test                               the whole suite (installs more, needs no key)
`;

runScript(() => {
  ensureInstalled('runtime');
  const node = ensureNode();

  for (const { args, introduction } of SCENES) {
    console.log(`\n${introduction}\n`);
    const { status } = spawnSync(node, [join(ROOT, 'bin', 'errand.mjs'), ...args], {
      cwd: ROOT,
      stdio: 'inherit',
    });
    if (status !== 0) {
      process.exitCode = status ?? 1;
      return;
    }
  }
  console.log(`\n${HINT}`);
});
