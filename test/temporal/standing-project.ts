/**
 * A workflow whose extension makes the first process that loads it stand still, like a stopped
 * process.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { planOfTexts } from '../engine/plan.ts';
import { ROOT } from './stage.ts';

export interface StandingProject {
  plan(): WorkflowPlan;
  /** Whether a process stands still. */
  stands(): boolean;
  /** Lets it continue. */
  goOn(): void;
}

const ERRAND = pathToFileURL(join(ROOT, 'src', 'index.ts')).href;

export function standingProject(folder: string): StandingProject {
  const [module, stands, goesOn] = ['still.ts', 'stands', 'goes-on'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  // a synchronous child blocks the whole thread: no timer, no heartbeat
  writeFileSync(
    module,
    `import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { extension } from '${ERRAND}';
if (!existsSync('${stands}')) {
  writeFileSync('${stands}', '');
  execFileSync('sh', ['-c', 'while ! test -e "$0"; do sleep 0.05; done', '${goesOn}']);
}
export const still = extension({ name: 'still', contract: 1, start: () => undefined });
`,
  );
  return {
    plan: () => ({
      ...planOfTexts({
        'main.yaml': `workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: call, function: deed, arguments: {name: a}}`,
      }),
      extensions: [module],
    }),
    stands: () => existsSync(stands),
    goOn: () => writeFileSync(goesOn, ''),
  };
}
