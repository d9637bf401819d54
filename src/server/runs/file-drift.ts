/** How a file, or a text in its place, differs from the stored form of a run. */
import type { PlanOfFile, RunDrift } from '../../engine/run-drift.ts';
import type { FoldedRun } from '../../engine/build-run-page.ts';
import type { RunCore } from '../core.ts';

/** Runs store no secrets, so the file is compared without its own. */
export async function driftFrom(
  { engine }: Pick<RunCore, 'engine'>,
  { fold }: Pick<FoldedRun, 'fold'>,
  file: PlanOfFile,
): Promise<RunDrift> {
  return fold.drift(await (await engine()).comparedPlan(file));
}
