/** The folder of the built dashboard: beside the server in the package, in `dist` of a checkout. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDERS = ['../../dashboard/', '../../../dist/dashboard/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Undefined where it has not been built. */
export function pageFolder(): string | undefined {
  return FOLDERS.find((folder) => existsSync(`${folder}index.html`));
}
