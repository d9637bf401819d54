/** Rehearses a workflow that is written in a test. */
import { loadWorkflowText } from '../../src/workflow/yaml/load-workflow.ts';
import { validateLoaded } from '../../src/workflow/check/validate-workflow.ts';
import {
  rehearsePlan,
  type Rehearsed,
  type RehearseOptions,
} from '../../src/rehearsal/rehearse-plan.ts';
import type { ScenarioResult } from '../../src/rehearsal/report/rehearsal-result.ts';

export async function rehearsed(text: string, options: RehearseOptions = {}): Promise<Rehearsed> {
  const loaded = loadWorkflowText(text, { file: 't.yaml' });
  const validation = validateLoaded('t.yaml', loaded, {});
  if (validation.plan === undefined)
    throw new Error(JSON.stringify(validation.files.flatMap(({ diagnostics }) => diagnostics)));
  return rehearsePlan(validation.plan, validation, { crashes: 'none', ...options });
}

export function namesOf({ result }: Rehearsed): readonly string[] {
  return result.scenarios.map(({ name }) => name);
}

export function scenario({ result }: Rehearsed, name: string): ScenarioResult {
  const found = result.scenarios.find((each) => each.name === name);
  if (found === undefined) throw new Error(`No scenario is called ${name}`);
  return found;
}
