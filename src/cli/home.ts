/** Where runs live: `ERRAND_HOME`, else `.errand` of the current project. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export function errandHome(env: NodeJS.ProcessEnv, directory: string): string {
  const set = env['ERRAND_HOME'];
  if (set !== undefined && set !== '') return resolve(directory, set);
  return join(projectOf(directory), '.errand');
}

/** The nearest folder upward that has runs already, else the current one. */
function projectOf(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.errand'))) return folder;
    if (dirname(folder) === folder) return directory;
  }
}
