/**
 * A process on another machine, whose clock is not that of the others, and which wants a run that
 * somebody has: it cannot see whether that process lives, and must not believe its own clock.
 */
import { isKind } from '../../errors/errand-error.ts';
import { toReport } from '../../errors/to-report.ts';
import type { LocalDriver } from '../local.ts';

/** What came of it. */
export interface Rivalry {
  readonly atMs: number;
  /** When the rival was refused or got the run: a slow store may let it wait until the run rests. */
  readonly endedAtMs: number;
  /** How far the clock of the rival is ahead. */
  readonly aheadMs: number;
  /** Of the process that had the run. */
  readonly process: number;
  /** Undefined when the rival got the run. */
  readonly refusedAs: string | undefined;
}

export async function claimAsRival(
  driver: LocalDriver,
  run: string,
): Promise<Pick<Rivalry, 'refusedAs'>> {
  try {
    const stolen = await driver.resume(run, { by: 'rival' });
    stolen.stop();
    return { refusedAs: undefined };
  } catch (refusal) {
    if (isKind(refusal, 'internal.*')) throw refusal;
    return { refusedAs: toReport(refusal).kind };
  }
}

/** From far behind to far ahead of all leases. */
export const CLOCKS_AHEAD_MS = [-3_600_000, -20_000, 20_000, 60_000, 3_600_000] as const;
