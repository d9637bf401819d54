/** Describes the modules of all files of a workflow, before any of it runs. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import {
  describeModule,
  loadModule,
  type LoadOptions,
  type ModuleDescription,
} from './load-module.ts';

/**
 * Returns a description per file that has a module, by the file's name in the plan. Throws as
 * `loadModule` does, with the location in the file that names the module.
 */
export async function describeModules(
  plan: WorkflowPlan,
  options: LoadOptions = {},
): Promise<Readonly<Record<string, ModuleDescription>>> {
  const described: [string, ModuleDescription][] = [];
  // in sequence, so that the first failure is the same every time
  for (const file of [plan, ...Object.values(plan.children)]) {
    if (file.module === undefined) continue;
    described.push([file.file, await describeOne(file, file.module, options)]);
  }
  return Object.fromEntries(described);
}

async function describeOne(
  { name, file }: FilePlan,
  module: string,
  options: LoadOptions,
): Promise<ModuleDescription> {
  try {
    return describeModule(await loadModule(module, options));
  } catch (thrown) {
    const location = { workflow: name, file, pointer: '/workflow/module' };
    // adds the location instead of wrapping, so that the cause stays what the module threw
    throw new ErrandError(toReport(thrown, { location }), { cause: readProperty(thrown, 'cause') });
  }
}
