/**
 * A process on another machine that claims a run of a live process: its clock differs, it cannot see
 * whether that process is alive, and it must not rely on its own clock.
 */
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { LocalBackend } from '../../engine/local/local-backend.ts';

/** The result of the claim. */
export interface Rivalry {
  readonly atMs: number;
  /** When the rival was refused or got the run: a slow store may delay it until the leg ends. */
  readonly endedAtMs: number;
  /** How far the clock of the rival is ahead. */
  readonly aheadMs: number;
  /** Number of the process that had the run. */
  readonly process: number;
  /** Undefined when the rival got the run. */
  readonly refusedAs: string | undefined;
}

export async function claimAsRival(
  backend: LocalBackend,
  run: string,
): Promise<Pick<Rivalry, 'refusedAs'>> {
  try {
    const stolen = await backend.resume(run, { by: 'rival' });
    stolen.stop();
    return { refusedAs: undefined };
  } catch (refusal) {
    if (isKind(refusal, 'internal.*')) throw refusal;
    return { refusedAs: toReport(refusal).kind };
  }
}

/** From far behind to far ahead of all leases. */
export const CLOCKS_AHEAD_MS = [-3_600_000, -20_000, 20_000, 60_000, 3_600_000] as const;
