/**
 * Marks that stand for secrets in a plan at Temporal. A mark names a variable; a worker fills in its own
 * value when it executes an effect. The machine takes a mark for a secret, so it treats it as a local
 * run treats the value: only effects get it. A mark has the seal of its run, which is random and which
 * no model, script or input gets to know, so none of them can write a mark.
 */
import { REDACTED } from '../../../errors/report/bounded-text.ts';
import { withoutValues } from '../../../errors/report/without-values.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';

/** Lets a worker fill in the secrets of a run. */
export interface SecretReferences {
  readonly seal: string;
  /** The variables that have secrets of the run. */
  readonly variables: readonly string[];
}

const MARK = /<secret [\da-f]{32} ([\w=]+)>/g;

/** The variables have the same value where the run was started. */
export function markOf(seal: string, variables: readonly string[]): string {
  return `<secret ${seal} ${variables.join('=')}>`;
}

export function marksIn(plan: WorkflowPlan): readonly string[] {
  if (plan.secretVariables === undefined) return [];
  return [...new Set(JSON.stringify(plan).match(MARK))];
}

/** As a local run stores it. */
export function withoutMarks(plan: WorkflowPlan): WorkflowPlan {
  if (plan.secretVariables === undefined) return plan;
  return withTexts(plan, (text) => text.replace(MARK, REDACTED));
}

/** Replaces the marks of this seal; any other text is left as it is. */
export function withMarksFilled<T extends object>(
  value: T,
  seal: string,
  fill: (variables: readonly string[]) => string,
): T {
  return withTexts(value, (text) =>
    text.replace(MARK, (mark, names: string) => {
      const variables = names.split('=');
      return mark === markOf(seal, variables) ? fill(variables) : mark;
    }),
  );
}

/** Changes every text in a value of JSON, and no key. */
export function withTexts<T extends object>(value: T, change: (text: string) => string): T {
  return withoutValues(value, { text: change, values: change }, { keys: 'as they are' });
}
