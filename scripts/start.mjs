/** `npm start`: shows what Errand makes of two failures that look alike. Installs what that needs. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ensureNode, ROOT, runScript } from './install.mjs';

const SCENES = [
  {
    kind: 'provider.rate_limited',
    introduction: 'A provider answers 429: too many requests. Waiting makes this one go away:',
  },
  {
    kind: 'provider.quota_exhausted',
    introduction: 'Another 429, with an empty account behind it. No amount of retrying helps here:',
  },
];

const HINT = `Next:
  node bin/errand.mjs explain --list     every failure Errand knows
  node bin/errand.mjs explain KIND       what one means, what to do, what Errand does by itself
  npm test                               the whole suite (installs more, needs no key)
`;

runScript(() => {
  ensureInstalled('runtime');
  const node = ensureNode();

  for (const { kind, introduction } of SCENES) {
    console.log(`\n${introduction}\n`);
    const { status } = spawnSync(node, [join(ROOT, 'bin', 'errand.mjs'), 'explain', kind], {
      stdio: 'inherit',
    });
    if (status !== 0) {
      process.exitCode = status ?? 1;
      return;
    }
  }
  console.log(`\n${HINT}`);
});
