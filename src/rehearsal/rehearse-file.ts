/** Rehearses a workflow file, or what a plan says about one: loads and checks it first, like `errand validate`. */
import type { JsonObject } from '../errors/support/safe-json.ts';
import { checkProjectFile, type Workspace } from '../engine/loading/check-file.ts';
import type { ValidatedFile } from '../workflow/check/validate.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { rehearsePlan, type Rehearsed, type RehearseOptions } from './rehearse.ts';

export interface RehearseFileOptions extends Omit<RehearseOptions, 'input'> {
  readonly workspace: Workspace;
  readonly extensionModules: readonly string[];
  readonly inputOf: (plan: WorkflowPlan) => JsonObject;
}

export type FileRehearsal =
  | { readonly type: 'invalid'; readonly files: readonly ValidatedFile[] }
  | { readonly type: 'rehearsed'; readonly rehearsed: Rehearsed; readonly exit: number };

export async function rehearseFile(
  path: string,
  { workspace, extensionModules, inputOf, ...options }: RehearseFileOptions,
): Promise<FileRehearsal> {
  const validation = await checkProjectFile(path, workspace, { extensionModules });
  const { plan, files } = validation;
  if (plan === undefined) return { type: 'invalid', files };
  const rehearsed = await rehearsePlan(plan, validation, { ...options, input: inputOf(plan) });
  return { type: 'rehearsed', rehearsed, exit: exitOf(rehearsed) };
}

function exitOf({ isBroken, result }: Rehearsed): number {
  if (isBroken) return 1;
  return result.ok ? 0 : 3;
}
