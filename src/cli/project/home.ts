/** The folder of runs: `ERRAND_HOME`, else `.errand` of the current project. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isLink, keepPrivate } from '../../stores/sqlite/private-files.ts';
import { makePrivateFolder, systemWords } from './make-folder.ts';

const OWN_FOLDER = '.errand';

/** Throws `store.unavailable` where a link or a file is in the place of a folder or file of Errand. */
export function errandHome(env: NodeJS.ProcessEnv, directory: string): string {
  const set = env['ERRAND_HOME'];
  const isSet = set !== undefined && set !== '';
  const home = isSet ? resolve(directory, set) : join(projectOf(directory), OWN_FOLDER);
  // the user may name a link; a repository may not carry one
  const link = [...(isSet ? [] : [home]), ...OWN_FILES.map((name) => join(home, name))].find(
    isLink,
  );
  if (link !== undefined) throw linkRefused(link);
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false)
    throw notAFolder(isSet ? set : home);
  return home;
}

/** A command that only reads would find no runs there, and say so. */
function notAFolder(home: string): ErrandError {
  return unusable({
    message: `The folder for runs ${home} is not a folder`,
    remedy: 'Set ERRAND_HOME to a folder, or remove what is in its place.',
  });
}

interface Unusable {
  readonly message: string;
  readonly remedy: string;
  readonly link?: string;
  readonly cause?: unknown;
}

/** Unlike an unreachable store, this does not recover by itself. */
function unusable({ message, remedy, link, cause }: Unusable): ErrandError {
  return new ErrandError(
    {
      kind: 'store.unavailable',
      message,
      outcome: 'not_started',
      category: 'configuration',
      retryable: false,
      details: { reason: 'cannot_open', ...(link === undefined ? {} : { link }) },
      action: { kind: 'fix_setup', detail: remedy },
    },
    { cause },
  );
}

/** Files that Errand writes in the folder; the files of a run are opened without following links. */
const OWN_FILES = [
  'errand.db',
  'errand.db-wal',
  'errand.db-shm',
  'internal.jsonl',
  'runs',
  'rehearsals',
];

function linkRefused(link: string): ErrandError {
  const name = basename(link);
  return unusable({
    message: `${name} in the folder for runs is a link; Errand does not follow links there, because it would write somewhere else`,
    remedy: `Remove the link ${name}, or set ERRAND_HOME to a folder of your own.`,
    link: name,
  });
}

/** Creates the folder where it does not exist. Throws `store.unavailable`. */
export function createHome(env: NodeJS.ProcessEnv, directory: string): string {
  const home = errandHome(env, directory);
  try {
    makePrivateFolder(home);
    // a folder that the user named may hold other things too
    if (basename(home) === OWN_FOLDER) keepPrivate(home);
    keepPrivate(join(home, 'runs'));
    return home;
  } catch (error) {
    throw unusable({
      message: `Cannot create the folder for runs: ${systemWords(error)}`,
      remedy: 'Set ERRAND_HOME to a writable folder; errand doctor checks it.',
      cause: error,
    });
  }
}

/** Returns the nearest folder upward that already has runs, else the current one. */
function projectOf(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, OWN_FOLDER))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
