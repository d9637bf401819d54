/** Keeps the last rehearsal of each workflow in the folder of runs, where there is one already: the dashboard shows it. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalResult } from '../../rehearsal/report/result.ts';
import { keepPrivate } from '../../stores/sqlite/private-files.ts';
import { errandHome } from './home.ts';
import { makePrivateFolder } from './make-folder.ts';

export const REHEARSALS = 'rehearsals';

/** `workflow` is the name of the workflow. What cannot be kept is reported by `warn`; the rehearsal counts. */
export function keepLast(
  workflow: string,
  result: RehearsalResult,
  warn: (text: string) => void,
): void {
  try {
    const home = errandHome(process.env, process.cwd());
    if (!existsSync(home)) return;
    const folder = join(home, REHEARSALS);
    makePrivateFolder(folder);
    const file = join(folder, `${encodeURIComponent(workflow)}.json`);
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify(result)}\n`, { mode: 0o600 });
    renameSync(fresh, file);
    keepPrivate(file);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    warn(`The rehearsal could not be kept for the dashboard: ${why}`);
  }
}
