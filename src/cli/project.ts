/** The project that a command works in: its store, its workflow files, and the driver over both. */
import { mkdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createEffectRunner } from '../drivers/effect-runner.ts';
import { LocalDriver } from '../drivers/local.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { RunRecord, RunStore } from '../machine/store-port.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { refusalDraft } from '../workflow/diagnostics.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { validateWorkflow } from '../workflow/validate.ts';
import { nodeFiles } from './files.ts';
import { errandHome } from './home.ts';

export interface LoadedWorkflow {
  readonly plan: WorkflowPlan;
  /** Where it lies, whatever the current folder is. */
  readonly file: string;
  readonly secrets: readonly string[];
}

/** Throws a refusal that tells everything that is wrong with the file. */
export function loadWorkflowFile(file: string): LoadedWorkflow {
  const verdict = validateWorkflow(file, nodeFiles(process.cwd()), process.env, { asTop: true });
  const absolute = resolve(process.cwd(), file);
  if (verdict.plan !== undefined)
    return { plan: verdict.plan, file: absolute, secrets: verdict.secrets };
  const draft = refusalDraft(verdict.files.flatMap(({ diagnostics }) => diagnostics));
  throw new ErrandError(draft ?? { kind: 'validation.workflow', message: `${file} is not valid` });
}

/** The workflow of a run as its file is now; undefined when the file is gone. */
export function reloadWorkflow({ file }: RunRecord): LoadedWorkflow | undefined {
  if (file === null) return undefined;
  const near = relative(process.cwd(), file);
  const isThere = nodeFiles(process.cwd()).read(near).ok;
  return isThere ? loadWorkflowFile(near) : undefined;
}

export interface Project {
  readonly home: string;
  readonly store: RunStore;
}

export async function openProject(): Promise<Project> {
  const home = errandHome(process.env, process.cwd());
  mkdirSync(home, { recursive: true });
  const store = await openSqliteStore({ path: join(home, 'errand.db'), now: Date.now });
  return { home, store };
}

export function openDriver({ store }: Project, workflow: LoadedWorkflow | undefined): LocalDriver {
  return new LocalDriver({
    store,
    effects: createEffectRunner({
      env: process.env,
      directory: workflow === undefined ? process.cwd() : dirname(workflow.file),
      functions: {},
    }),
    secrets: workflow?.secrets ?? [],
  });
}
