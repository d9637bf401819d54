/** The project that a command works in: its engine, and the folder of its runs. */
import { join } from 'node:path';
import { openEngine, type Engine } from '../../engine/errand.ts';
import { jsonText } from '../../errors/support/printable.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { InternalRecord } from '../../errors/thrown/internal-record.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { appendPrivate, keepPrivate } from '../../stores/sqlite/private-files.ts';
import { CHECK_FUNCTION } from '../draft/names.ts';
import { createHome, errandHome } from './home.ts';
import { projectModules } from './project-extensions.ts';
import { rememberLocation, temporalFor } from './run-location.ts';

export interface Project {
  readonly home: string;
  /** Opens its store, or connects to its server, when runs are first needed. */
  readonly engine: Engine;
  /** Records where a new run is, for later commands. */
  readonly remember: (run: string) => void;
}

/** Opens the project for that run, or for a new one. `onWarning`: problems that are no failures of a run. */
export async function openProject(
  onWarning: (error: ErrorReport) => void,
  run?: string,
): Promise<Project> {
  const home = errandHome(process.env, process.cwd());
  let remember = (_run: string): void => undefined;
  let keep: ((record: InternalRecord) => void) | undefined;
  const engine = await openEngine({
    extensionModules: projectModules(),
    onWarning,
    onInternal: (record) => keep?.(record),
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
  return { home, engine, remember: (id) => remember(id) };
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
