/** The project that a command works in: its runs, its workflow files, and the driver over both. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonValue } from '../errors/json.ts';
import { createEffectRunner } from '../drivers/effect-runner.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { LocalDriver } from '../drivers/local.ts';
import type { LoadedWorkflow } from '../drivers/load-file.ts';
import type { TemporalDriver } from '../drivers/temporal/client.ts';
import type { InternalRecord } from '../errors/internal-record.ts';
import type { ReadableStore, RunStore } from '../machine/store-port.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { CHECK_FUNCTION } from './draft/names.ts';
import { errandHome } from './home.ts';
import { rememberPlace, temporalFor } from './where.ts';

/** What carries runs on, here or elsewhere. */
export type Driver = Pick<LocalDriver, 'start' | 'resume' | 'answer' | 'cancel' | 'close'>;

export interface Project {
  readonly home: string;
  readonly store: ReadableStore;
  /** For the legs of a workflow that was loaded. */
  readonly driverFor: (workflow: LoadedWorkflow | undefined) => Driver;
  /** The run has an id now. */
  readonly remember: (run: string) => void;
}

/** For that run, or for a new one. */
export async function openProject(run?: string): Promise<Project> {
  const home = errandHome(process.env, process.cwd());
  mkdirSync(home, { recursive: true });
  const place = temporalFor(run);
  if (place === undefined) {
    const store = await openSqliteStore({ path: join(home, 'errand.db'), now: Date.now });
    const driverFor = (workflow: LoadedWorkflow | undefined): Driver =>
      localDriver(home, store, workflow);
    return { home, store, driverFor, remember: () => undefined };
  }
  // most people never need it
  const { openTemporal } = await import('../drivers/temporal/client.ts');
  const driver: TemporalDriver = await openTemporal({ place });
  return {
    home,
    store: driver.store,
    driverFor: () => driver,
    remember: (id) => rememberPlace(id, place),
  };
}

/** The one place that a stack goes to, under the id that is shown. */
export function keepInternal(home: string): (record: InternalRecord) => void {
  return (record) => appendFileSync(join(home, 'internal.jsonl'), `${JSON.stringify(record)}\n`);
}

function localDriver(
  home: string,
  store: RunStore,
  workflow: LoadedWorkflow | undefined,
): LocalDriver {
  return new LocalDriver({
    onInternal: keepInternal(home),
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
