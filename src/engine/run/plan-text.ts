/** Plans and the texts that stores keep of them: each is written once and parsed once, for all its runs. */
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';

/** Most processes run a few workflows. */
const MAX_PLANS = 16;

const TEXTS = new WeakMap<WorkflowPlan, string>();
/** The one used last is last. */
const PLANS = new Map<string, WorkflowPlan>();

export function planText(plan: WorkflowPlan): string {
  let text = TEXTS.get(plan);
  if (text === undefined) {
    text = JSON.stringify(plan);
    TEXTS.set(plan, text);
  }
  return text;
}

/** The text was written by the engine, and the store checks its row. Nobody changes a plan. */
export function planFrom(text: string): WorkflowPlan {
  const plan = PLANS.get(text) ?? (JSON.parse(text) as WorkflowPlan);
  PLANS.delete(text);
  PLANS.set(text, plan);
  const [oldest] = PLANS.keys();
  if (PLANS.size > MAX_PLANS && oldest !== undefined) PLANS.delete(oldest);
  return plan;
}
