/** Tells what has changed in the file of a run before it goes on, or is refused. */
import type { LoadedWorkflow } from '../drivers/load-file.ts';
import { withoutValues } from '../errors/without-values.ts';
import { asEvent } from '../drivers/subscription.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { createRedactor } from '../errors/redact.ts';
import type { ReadableStore, RunRecord } from '../machine/store-port.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { planChanges } from './screen/plan-changes.ts';

/** Nothing where nothing has. */
export async function driftNote(
  store: ReadableStore,
  record: Pick<RunRecord, 'run' | 'plan'>,
  workflow: LoadedWorkflow,
): Promise<readonly string[]> {
  const redactor = createRedactor([...workflow.secrets, ...keyValuesIn(process.env)]);
  const changes = planChanges(
    await planOf(store, record),
    withoutValues(workflow.plan, redactor, { keys: 'as they are' }),
  );
  if (changes.length === 0) return [];
  return ['Changed since the run went on last:', ...changes.map((line) => `  ${line}`)];
}

/** As the run has it now: a resumption may have taken over another one. */
async function planOf(
  store: ReadableStore,
  { run, plan }: Pick<RunRecord, 'run' | 'plan'>,
): Promise<WorkflowPlan> {
  // written by a driver, and its row is checked
  let latest = JSON.parse(plan) as WorkflowPlan;
  for await (const { events } of store.read(run))
    for (const event of events.map(asEvent))
      if (event.type === 'run:resumed') latest = event.plan ?? latest;
  return latest;
}
