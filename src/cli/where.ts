/**
 * Where a command finds its runs: in the store of this project, or at a Temporal server. Whoever
 * started a run there need not say so again: the project remembers it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporalPlace, type TemporalPlace } from '../drivers/temporal/place.ts';
import { isPlainObject } from '../errors/json.ts';
import { refusal } from './exit.ts';
import { errandHome } from './home.ts';
import { PRIVATE_FILE } from '../stores/private-files.ts';
import { makePrivateFolder } from './make-folder.ts';
import { whereFlags, type WhereFlags } from './where-flags.ts';

/** The server that has the run, or all runs; undefined where the project's own store has. */
export function temporalFor(run?: string): TemporalPlace | undefined {
  const flags = whereFlags();
  // an address is Temporal's
  const meant = flags.address === undefined ? undefined : 'temporal';
  // what is typed is one of them
  const on = flags.on ?? meant ?? process.env['ERRAND_ON'];
  if (on !== undefined && on !== 'local' && on !== 'temporal')
    throw refusal(`${on} is nothing that runs can be on`, 'Set ERRAND_ON to local or temporal.');
  if (on === 'local') return undefined;
  const remembered = run === undefined ? undefined : rememberedPlace(run);
  if (on === undefined && remembered === undefined) return undefined;
  return temporalPlace({ ...remembered, ...flags }, process.env, process.cwd());
}

/** For the commands that follow. */
export function rememberPlace(run: string, { address, namespace, taskQueue }: TemporalPlace): void {
  const file = placeFile(run);
  makePrivateFolder(dirname(file));
  writeFileSync(file, `${JSON.stringify({ address, namespace, taskQueue })}\n`, {
    mode: PRIVATE_FILE,
  });
}

function rememberedPlace(run: string): Omit<WhereFlags, 'on'> | undefined {
  // an id is what somebody typed
  if (!/^[\w-]{1,80}$/.test(run) || !existsSync(placeFile(run))) return undefined;
  const { address, namespace, taskQueue } = readPlace(placeFile(run));
  return {
    ...(typeof address === 'string' ? { address } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(typeof taskQueue === 'string' ? { taskQueue } : {}),
  };
}

function readPlace(file: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isPlainObject(read) ? read : {};
  } catch {
    // written by nobody but us; a torn one says no more than that the run is there
    return {};
  }
}

function placeFile(run: string): string {
  return join(errandHome(process.env, process.cwd()), 'runs', run, 'temporal.json');
}
