/** The project that a command works in: its engine, and the folder of its runs. */
import { join } from 'node:path';
import { openEngine, type Engine, type LoadedWorkflow } from '../../engine/errand.ts';
import type { EngineOptions } from '../../engine/open-backend.ts';
import type { Progress } from '../../engine/run/running-effects.ts';
import { jsonText } from '../../errors/support/printable.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { InternalRecord } from '../../errors/thrown/internal-record.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import { carrierInEnvironment } from '../../machine/ports/trace-carrier.ts';
import { appendPrivate, keepPrivate } from '../../stores/sqlite/private-files.ts';
import { createTelemetry, telemetryFault } from '../../telemetry/telemetry.ts';
import { CHECK_FUNCTION } from '../draft/draft-names.ts';
import { learnSecret } from '../report-of.ts';
import { createHome, errandHome } from './home.ts';
import { projectModules } from './project-extensions.ts';
import { rememberLocation, temporalFor } from './run-location.ts';
import { serverPlace } from './server-location.ts';

export interface Project {
  /** The folder that runs are exported to; undefined if a server has them. */
  readonly home: string | undefined;
  /** Address of the Errand server that executes the runs; undefined if there is none. */
  readonly server?: string | undefined;
  /** Opens its store, or connects to its server, when runs are first needed. */
  readonly engine: Engine;
  /** Records where a new run is, for later commands. */
  readonly remember: (run: string) => void;
  /** The workflow of a file; at a server, the one that it has under the name in the file. */
  readonly load: (file: string) => Promise<LoadedWorkflow>;
  /** The workflow of a run as it is now; undefined when it is gone. */
  readonly reload: (
    run: Pick<RunRecord, 'file' | 'workflow' | 'plan'>,
  ) => Promise<LoadedWorkflow | undefined>;
}

type HostedEngine = Pick<EngineOptions, 'extensionModules' | 'onInternal' | 'onSecret' | 'locate'>;

export interface ProjectListeners {
  /** Facts that a person should know before a run starts. */
  readonly note?: (text: string) => void;
  /** Text of models while it comes. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Opens the project for that run, or for a new one. `onWarning`: problems that are no failures of a run. */
export async function openProject(
  onWarning: (error: ErrorReport) => void,
  run?: string,
  { note = () => undefined, onProgress }: ProjectListeners = {},
): Promise<Project> {
  const server = serverPlace();
  if (server !== undefined) return atServer(server, onWarning, note);
  const home = errandHome(process.env, process.cwd());
  let remember = (_run: string): void => undefined;
  let keep: ((record: InternalRecord) => void) | undefined;
  const engine = await openEngine({
    extensionModules: projectModules(),
    onWarning,
    trace: carrierInEnvironment(process.env),
    telemetry: createTelemetry({
      directory: process.cwd(),
      onFault: (thrown) => onWarning(telemetryFault(thrown)),
    }),
    ...(onProgress === undefined ? {} : { onProgress }),
    onInternal: (record) => keep?.(record),
    onSecret: learnSecret,
    onOutage: 'halt',
    builtins: {
      [CHECK_FUNCTION]: async (input: JsonValue) =>
        (await import('../draft/check-draft.ts')).checkDraft(input),
    },
    locate: () => {
      createHome(process.env, process.cwd());
      const temporal = temporalFor(run);
      if (temporal !== undefined) {
        remember = (id) => rememberLocation(id, temporal);
        return { temporal };
      }
      keep = keepInternal(home);
      return { store: storeAddress(home), home };
    },
  });
  return {
    home,
    engine,
    remember: (id) => remember(id),
    load: (file) => engine.load(file),
    reload: (run) => engine.reload(run),
  };
}

/** Creates no folder: everything is at the server. */
async function atServer(
  server: NonNullable<ReturnType<typeof serverPlace>>,
  onWarning: (error: ErrorReport) => void,
  note: (text: string) => void,
): Promise<Project> {
  const engine = await openEngine({
    extensionModules: projectModules(),
    onWarning,
    trace: carrierInEnvironment(process.env),
    locate: () => ({ server }),
  });
  const { servedNow, servedWorkflow } = await import('./served-workflow.ts');
  return {
    home: undefined,
    server: server.url,
    engine,
    remember: () => undefined,
    load: (file) => servedWorkflow(engine, file, note),
    reload: ({ workflow }) => servedNow(engine, workflow),
  };
}

/** The engine of a server that this process is, on the store of the project. */
export function hostedEngine(home: string): HostedEngine {
  return {
    extensionModules: projectModules(),
    onInternal: keepInternal(home),
    onSecret: learnSecret,
    locate: () => ({ store: storeAddress(home), home }),
  };
}

export function storeAddress(home: string): string {
  return process.env['ERRAND_STORE'] || `sqlite:${join(home, 'errand.db')}`;
}

/** Appends stacks to `internal.jsonl`, their only destination, under the id that is shown. */
export function keepInternal(home: string): (record: InternalRecord) => void {
  const path = join(home, 'internal.jsonl');
  keepPrivate(path);
  return (record) => appendPrivate(path, `${jsonText(record)}\n`);
}
