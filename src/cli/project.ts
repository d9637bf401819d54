/** The project that a command works in: its store, its workflow files, and the driver over both. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonValue } from '../errors/json.ts';
import { createEffectRunner } from '../drivers/effect-runner.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { LocalDriver } from '../drivers/local.ts';
import type { LoadedWorkflow } from '../drivers/load-file.ts';
import type { RunStore } from '../machine/store-port.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { CHECK_FUNCTION } from './draft/names.ts';
import { errandHome } from './home.ts';

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

export function openDriver(
  { home, store }: Project,
  workflow: LoadedWorkflow | undefined,
): LocalDriver {
  return new LocalDriver({
    // the one place that a stack goes to, under the id that is shown
    onInternal: (record) =>
      appendFileSync(join(home, 'internal.jsonl'), `${JSON.stringify(record)}\n`),
    store,
    effects: createEffectRunner({
      env: process.env,
      directory: folderOf(workflow),
      base: process.cwd(),
      functions: {
        [CHECK_FUNCTION]: async (input: JsonValue) =>
          (await import('./draft/check-draft.ts')).checkDraft(input),
      },
    }),
    secrets: [...(workflow?.secrets ?? []), ...keyValuesIn(process.env)],
  });
}

/** A workflow that lies nowhere runs where the command does. */
function folderOf(workflow: LoadedWorkflow | undefined): string {
  return workflow === undefined || workflow.file === '' ? process.cwd() : dirname(workflow.file);
}
