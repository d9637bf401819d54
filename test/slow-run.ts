/** A command that carries a run which waits for an hour, to be killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BINARY = join(import.meta.dirname, '..', 'bin', 'errand.mjs');

/** Writes `slow.yaml` there, and returns once its run has begun. */
export async function startSlowRun(folder: string): Promise<{ kill(): Promise<void> }> {
  writeFileSync(
    join(folder, 'slow.yaml'),
    'workflow: {name: slow, entry_point: a}\nnodes:\n  - {name: a, type: wait, duration: 1h}\n',
  );
  const carrier = spawn(process.execPath, [BINARY, 'run', 'slow.yaml', '--wait', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = once(carrier, 'exit');
  await once(createInterface({ input: carrier.stdout }), 'line');
  return {
    async kill() {
      carrier.kill('SIGKILL');
      await gone;
    },
  };
}
