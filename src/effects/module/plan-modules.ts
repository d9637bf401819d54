/** The modules of a whole workflow, before any of it runs: each file has its own. */
import { ErrandError } from '../../errors/errand-error.ts';
import { readProperty } from '../../errors/json.ts';
import { toReport } from '../../errors/to-report.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/model.ts';
import {
  describeModule,
  loadModule,
  type LoadOptions,
  type ModuleDescription,
} from './load-module.ts';

/**
 * What each file's module has, by the file's name in the plan; files without a module are left out.
 * Throws what `loadModule` does, with the place in the file that names the module.
 */
export async function describeModules(
  plan: WorkflowPlan,
  options: LoadOptions = {},
): Promise<Readonly<Record<string, ModuleDescription>>> {
  const described: [string, ModuleDescription][] = [];
  // one after the other: the first that fails is the same every time
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
    // the same failure with its place, not one around it: its cause is what the module threw
    throw new ErrandError(toReport(thrown, { location }), { cause: readProperty(thrown, 'cause') });
  }
}
