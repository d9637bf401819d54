/** The engine is loaded when it is opened, so that a program which only reads failures never does. */
import type { ErrandOptions } from './errand-options.ts';
import type { Errand } from './errand.ts';

export type { ErrandOptions, RunnableWorkflow } from './errand-options.ts';
export type { Errand, GateAnswer, StartOptions } from './errand.ts';
export type { RunHandle, RunResult } from './leg.ts';
export type { RunView } from './run-view.ts';
export type { WorkflowVerdict } from '../workflow/verdict.ts';

/** Opens a store. Rejects with `store.*` when it cannot be used. */
export async function openErrand(options: ErrandOptions = {}): Promise<Errand> {
  const { createErrand } = await import('./errand.ts');
  return createErrand(options);
}
