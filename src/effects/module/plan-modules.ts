/** Describes the modules of all files of a workflow, before any of it runs. */
import { posix } from 'node:path';
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

/**
 * Digests of the files of a workflow's modules, as loaded here, by path from the folder of the
 * workflow file. Leaves out modules that cannot be loaded: their users report that.
 */
export async function moduleDigests(
  plan: WorkflowPlan,
  options: LoadOptions = {},
): Promise<Readonly<Record<string, string>>> {
  const digests = new Map<string, string>();
  for (const { module } of [plan, ...Object.values(plan.children)]) {
    if (module === undefined) continue;
    const files = await filesOf(module, options);
    const folder = posix.dirname(module);
    const above = posix.isAbsolute(module) ? '.' : posix.relative(posix.dirname(plan.file), folder);
    for (const [path, digest] of files) digests.set(posix.join(above, path), digest);
  }
  return Object.fromEntries([...digests].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function filesOf(module: string, options: LoadOptions): Promise<ReadonlyMap<string, string>> {
  try {
    return (await loadModule(module, options)).files;
  } catch {
    return new Map();
  }
}
