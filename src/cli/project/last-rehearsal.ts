/**
 * Keeps the last rehearsal of each workflow in the folder of runs, if there already is one: the
 * dashboard shows it.
 */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonFrom, isJsonObject, type JsonObject } from '../../errors/support/safe-json.ts';
import type { RehearsalResult } from '../../rehearsal/report/rehearsal-result.ts';
import { keepPrivate } from '../../stores/sqlite/private-files.ts';
import { errandHome } from './home.ts';
import { makePrivateFolder } from './make-folder.ts';

const REHEARSALS = 'rehearsals';

/**
 * `workflow` is the name of the workflow. `warn` reports a rehearsal that cannot be kept; it still
 * counts.
 */
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
    const file = fileOf(home, workflow);
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify(result)}\n`, { mode: 0o600 });
    renameSync(fresh, file);
    keepPrivate(file);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    warn(`The rehearsal could not be kept for the dashboard: ${why}`);
  }
}

/** The coverage of the last rehearsal, with its time; undefined where there was none. */
export function lastRehearsal(home: string, workflow: string): JsonObject | undefined {
  const file = fileOf(home, workflow);
  if (!existsSync(file)) return undefined;
  try {
    const kept = jsonFrom(readFileSync(file, 'utf8'));
    const coverage = isJsonObject(kept) ? kept['coverage'] : undefined;
    const at = statSync(file).mtime.toISOString();
    return isJsonObject(coverage) ? { at, ...coverage } : undefined;
  } catch {
    // a file that is being replaced, or damaged, has no information about the workflow
    return undefined;
  }
}

function fileOf(home: string, workflow: string): string {
  return join(home, REHEARSALS, `${encodeURIComponent(workflow)}.json`);
}
