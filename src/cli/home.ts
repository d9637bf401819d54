/** Where runs live: `ERRAND_HOME`, else `.errand` of the current project. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ErrandError } from '../errors/errand-error.ts';
import { makeFolder, systemWords } from './make-folder.ts';

export function errandHome(env: NodeJS.ProcessEnv, directory: string): string {
  const set = env['ERRAND_HOME'];
  if (set !== undefined && set !== '') return resolve(directory, set);
  return join(projectOf(directory), '.errand');
}

/** Made where it is not there yet. Throws `store.unavailable`. */
export function madeHome(env: NodeJS.ProcessEnv, directory: string): string {
  const home = errandHome(env, directory);
  try {
    makeFolder(home);
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
    if (existsSync(join(folder, '.errand'))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
