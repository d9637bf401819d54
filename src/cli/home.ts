/** Where runs live: `ERRAND_HOME`, else `.errand` of the current project. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ErrandError } from '../errors/errand-error.ts';
import { keepPrivate } from '../stores/private-files.ts';
import { makePrivateFolder, systemWords } from './make-folder.ts';

const OWN_FOLDER = '.errand';

export function errandHome(env: NodeJS.ProcessEnv, directory: string): string {
  const set = env['ERRAND_HOME'];
  if (set !== undefined && set !== '') return resolve(directory, set);
  return join(projectOf(directory), OWN_FOLDER);
}

/** Made where it is not there yet. Throws `store.unavailable`. */
export function madeHome(env: NodeJS.ProcessEnv, directory: string): string {
  const home = errandHome(env, directory);
  try {
    makePrivateFolder(home);
    // one that was named may be a folder for other things too
    if (basename(home) === OWN_FOLDER) keepPrivate(home);
    keepPrivate(join(home, 'runs'));
    return home;
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'store.unavailable',
        message: `The folder where runs are kept cannot be made: ${systemWords(error)}`,
        outcome: 'not_started',
        // unlike a store that is away, it does not come back by itself
        category: 'configuration',
        retryable: false,
        details: { reason: 'cannot_open' },
        action: {
          kind: 'fix_setup',
          detail: 'Let ERRAND_HOME name a folder that can be written; errand doctor looks at it.',
        },
      },
      { cause: error },
    );
  }
}

/** The nearest folder upward that has runs already, else the current one. */
function projectOf(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, OWN_FOLDER))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
