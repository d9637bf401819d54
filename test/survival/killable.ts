/** A process that does one leg of a run and is killed where its job says. Started by `process.ts`. */
import { killingStore, type KillPoint } from './kill-points.ts';
import { oneLeg, type Job } from './one-leg.ts';

export interface KillableJob extends Job {
  /** Absent: it may live. */
  readonly kill?: KillPoint;
}

const { kill, ...job } = JSON.parse(process.argv[2] ?? '{}') as KillableJob;
const ended = await oneLeg(job, (store) =>
  kill === undefined ? store : killingStore(store, kill),
);
process.stdout.write(JSON.stringify(ended));
