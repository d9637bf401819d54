/**
 * The location of runs: the store of this project, or a Temporal server. The project remembers which runs
 * are on a server, so that later commands need no flag.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporalConfig, type TemporalConfig } from '../../engine/temporal/config.ts';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { refusal } from '../exit.ts';
import { errandHome } from './home.ts';
import { writePrivate } from '../../stores/sqlite/private-files.ts';
import { makePrivateFolder } from './make-folder.ts';
import { runLocationFlags, type RunLocationFlags } from './run-location-flags.ts';

/** Returns the server of the run, or of all runs; undefined for the project's own store. */
export function temporalFor(run?: string): TemporalConfig | undefined {
  const named = namedServer(run);
  return named && temporalConfig(named, process.env, process.cwd());
}

/** Needs none of Temporal's packages, unlike the server itself. */
export function isOnTemporal(run?: string): boolean {
  return namedServer(run) !== undefined;
}

/** The server that the flags or the project name; undefined for the project's own store. */
function namedServer(run: string | undefined): RunLocationFlags | undefined {
  const flags = runLocationFlags();
  // only Temporal has an address
  const meant = flags.address === undefined ? undefined : 'temporal';
  // the flag has been checked by its choices; the variable has not
  const on = flags.on ?? meant ?? process.env['ERRAND_ON'];
  if (on !== undefined && on !== 'local' && on !== 'temporal')
    throw refusal(`ERRAND_ON must be local or temporal, not ${on}`, 'Set ERRAND_ON, or give --on.');
  if (on === 'local') return undefined;
  const remembered = run === undefined ? undefined : rememberedLocation(run);
  if (on === undefined && remembered === undefined) return undefined;
  return { ...remembered, ...flags };
}

/** Saves the server of a run for later commands. */
export function rememberLocation(
  run: string,
  { address, namespace, taskQueue }: TemporalConfig,
): void {
  const file = locationFile(run);
  makePrivateFolder(dirname(file));
  writePrivate(file, `${JSON.stringify({ address, namespace, taskQueue })}\n`);
}

function rememberedLocation(run: string): Omit<RunLocationFlags, 'on'> | undefined {
  // an id is user input, and becomes part of a path
  if (!/^[\w-]{1,80}$/.test(run) || !existsSync(locationFile(run))) return undefined;
  const { address, namespace, taskQueue } = readLocation(locationFile(run));
  return {
    ...(typeof address === 'string' ? { address } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof taskQueue === 'string' ? { taskQueue } : {}),
  };
}

function readLocation(file: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isPlainObject(read) ? read : {};
  } catch {
    // only Errand writes it; a torn file still means that the run is on a server
    return {};
  }
}

function locationFile(run: string): string {
  return join(errandHome(process.env, process.cwd()), 'runs', run, 'temporal.json');
}
