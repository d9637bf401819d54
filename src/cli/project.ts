/** The project that a command works in: its runs, its workflow files, and the driver over both. */
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonValue } from '../errors/json.ts';
import { jsonText } from '../errors/printable.ts';
import { createEffectRunner } from '../drivers/effect-runner.ts';
import { keyValuesIn } from '../effects/model/key-values.ts';
import { LocalDriver, type LocalOptions } from '../drivers/local.ts';
import type { LoadedWorkflow } from '../drivers/load-file.ts';
import type { TemporalDriver } from '../drivers/temporal/client.ts';
import type { InternalRecord } from '../errors/internal-record.ts';
import type { ReadableStore, RunStore } from '../machine/store-port.ts';
import { CHECK_FUNCTION } from './draft/names.ts';
import type { Extensions } from '../drivers/extensions.ts';
import { exportsIn } from '../drivers/exported-events.ts';
import { refuseLostLog, witnessed } from '../drivers/lost-log.ts';
import { openStore } from '../drivers/open-store.ts';
import { keepPrivate, PRIVATE_FILE } from '../stores/private-files.ts';
import { madeHome } from './home.ts';
import { rememberPlace, temporalFor } from './where.ts';

/** What carries runs on, here or elsewhere. */
export type Driver = Pick<LocalDriver, 'start' | 'resume' | 'answer' | 'cancel' | 'close'>;

/** Hears what is wrong beside the runs. */
type OnWarning = NonNullable<LocalOptions['onWarning']>;

export interface Project {
  readonly home: string;
  readonly store: ReadableStore;
  readonly extensions: Extensions;
  /** For the legs of a workflow that was loaded. */
  readonly driverFor: (workflow: LoadedWorkflow | undefined, onWarning: OnWarning) => Driver;
  /** Rejects with `store.corrupt` where the log of the run has lost what was exported of it. */
  readonly refuseLostLog: (run: string) => Promise<void>;
  /** The run has an id now. */
  readonly remember: (run: string) => void;
}

/** For that run, or for a new one. */
export async function openProject(extensions: Extensions, run?: string): Promise<Project> {
  const home = madeHome(process.env, process.cwd());
  const place = temporalFor(run);
  if (place === undefined) {
    const address = process.env['ERRAND_STORE'] || `sqlite:${join(home, 'errand.db')}`;
    const opened = await openStore(address, process.cwd(), extensions);
    const store = witnessed(opened, exportsIn(home));
    const driverFor: Project['driverFor'] = (workflow, onWarning) =>
      localDriver({ home, store, extensions, onWarning }, workflow);
    const refuseLost = (id: string): Promise<void> => refuseLostLog(store, id, exportsIn(home));
    return {
      home,
      store,
      extensions,
      driverFor,
      refuseLostLog: refuseLost,
      remember: () => undefined,
    };
  }
  // most people never need it
  const { openTemporal } = await import('../drivers/temporal/client.ts');
  const driver: TemporalDriver = await openTemporal({ place, secrets: keyValuesIn(process.env) });
  return {
    home,
    extensions,
    store: driver.store,
    driverFor: () => driver,
    // a server that forgets an old run has lost nothing
    refuseLostLog: () => Promise.resolve(),
    remember: (id) => rememberPlace(id, place),
  };
}

/** The one place that a stack goes to, under the id that is shown. */
export function keepInternal(home: string): (record: InternalRecord) => void {
  const path = join(home, 'internal.jsonl');
  keepPrivate(path);
  return (record) => appendFileSync(path, `${jsonText(record)}\n`, { mode: PRIVATE_FILE });
}

interface LocalParts {
  readonly home: string;
  readonly store: RunStore;
  readonly extensions: Extensions;
  readonly onWarning: OnWarning;
}

function localDriver(
  { home, store, extensions, onWarning }: LocalParts,
  workflow: LoadedWorkflow | undefined,
): LocalDriver {
  return new LocalDriver({
    onInternal: keepInternal(home),
    onWarning,
    store,
    onEvent: (event) => extensions.tell(event),
    effects: createEffectRunner({
      extensions,
      ...(workflow?.servers === undefined ? {} : { servers: workflow.servers }),
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
