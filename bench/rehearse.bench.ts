/** The rehearsal of a file of 50 nodes and 400 kinds of failure, with its crash points: time and memory. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Rehearsed } from './rehearse-child.ts';

const LIMIT_SECONDS = 10;
const LIMIT_MB = 300;

export const bench = {
  name: 'rehearse',
  run: () => {
    const { seconds, pairs, megabytes } = measured();
    return [
      {
        name: `50 nodes, ${pairs} kinds, 200 crash points`,
        value: seconds,
        unit: 's',
        limit: LIMIT_SECONDS,
        ratio: seconds / LIMIT_SECONDS,
      },
      {
        name: 'most memory',
        value: megabytes,
        unit: 'MB',
        limit: LIMIT_MB,
        ratio: megabytes / LIMIT_MB,
      },
    ];
  },
};

function measured(): Rehearsed {
  const script = join(import.meta.dirname, 'rehearse-child.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the process ended with ${status}\n${stderr}`);
  // `rehearse-child.ts` writes this form
  return JSON.parse(stdout) as Rehearsed;
}
