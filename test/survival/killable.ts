/**
 * A process that runs one leg and is killed at the point that its job names. `process.ts` starts
 * it.
 */
import { killingStore, type KillPoint } from './kill-points.ts';
import { oneLeg, type Job } from './one-leg.ts';
import { legWithOutage, type Outage } from './outage-leg.ts';

export interface KillableJob extends Job {
  /** Absent: the process lives. */
  readonly kill?: KillPoint;
  readonly outage?: Outage;
}

const { kill, outage, ...job } = JSON.parse(process.argv[2] ?? '{}') as KillableJob;
const ended = await (outage === undefined
  ? oneLeg(job, { around: (store) => (kill === undefined ? store : killingStore(store, kill)) })
  : legWithOutage(job, outage));
// the process that holds the lock ends with this one
process.stdout.write(JSON.stringify(ended), () => process.exit());
