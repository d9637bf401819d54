/** A workflow as it lies on disk, ready to be run. */
import { relative, resolve } from 'node:path';
import { ErrandError } from '../errors/errand-error.ts';
import { refusalDraft } from '../workflow/diagnostics.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { validateWorkflow } from '../workflow/validate.ts';
import { nodeFiles } from './files.ts';

export interface LoadedWorkflow {
  readonly plan: WorkflowPlan;
  /** Where it lies, whatever the current folder is. */
  readonly file: string;
  /** Values that must not be shown anywhere. */
  readonly secrets: readonly string[];
}

export interface LoadPlace {
  /** What the file's path, and all paths of the plan, are relative to. */
  readonly base: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws a refusal that tells everything that is wrong with the file. */
export function loadWorkflowFile(file: string, { base, env }: LoadPlace): LoadedWorkflow {
  const verdict = validateWorkflow(file, nodeFiles(base), env, { asTop: true });
  const { plan, secrets } = verdict;
  if (plan !== undefined) return { plan, file: resolve(base, file), secrets };
  const draft = refusalDraft(verdict.files.flatMap(({ diagnostics }) => diagnostics));
  throw new ErrandError(draft ?? { kind: 'validation.workflow', message: `${file} is not valid` });
}

/** The workflow of a run as its file is now; undefined when the file is gone. */
export function reloadWorkflow(file: string | null, place: LoadPlace): LoadedWorkflow | undefined {
  if (file === null) return undefined;
  const near = relative(place.base, file);
  return nodeFiles(place.base).read(near).ok ? loadWorkflowFile(near, place) : undefined;
}
