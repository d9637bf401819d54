/**
 * What the server carries on: runs of the workflows it serves that are due, and those whose process is
 * gone. The engine does it; this file is the one place where the server asks it to.
 */
import type { Engine } from '../engine/errand.ts';
import type { ErrorReport } from '../errors/report/report.ts';

export interface CarryOnOptions {
  /** The workflows that are served now, by name. */
  readonly workflows: () => readonly string[];
  /** How many runs are executed at a time. */
  readonly maxRuns: number;
  readonly onWarning: (error: ErrorReport) => void;
}

export interface CarryOn {
  /** Whether one more run may be started or resumed here. */
  hasRoom(): boolean;
  /** Keeps a place for a run that is about to start; undefined where there is none. Call the result then. */
  reserve(): (() => void) | undefined;
  /** No new effect begins; those under way have that long to end. Runs stay resumable. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

export async function beginCarryOn(engine: Engine, { maxRuns }: CarryOnOptions): Promise<CarryOn> {
  await engine.adopt();
  let reserved = 0;
  const hasRoom = (): boolean => engine.executing + reserved < maxRuns;
  return {
    hasRoom,
    reserve: () => {
      if (!hasRoom()) return undefined;
      reserved++;
      let isKept = true;
      return () => {
        if (isKept) reserved--;
        isKept = false;
      };
    },
    stop: () => engine.close(),
  };
}
