/** Loads the real SDKs that `npm test` installs; nothing of the product depends on them. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';

const SDKS = fileURLToPath(new URL('../sdks/', import.meta.url));
const MODULES = join(SDKS, 'node_modules');

export function requireSdks(): void {
  if (!existsSync(join(MODULES, 'ai', 'package.json'))) {
    throw new Error(
      `The provider SDKs are not installed in ${SDKS}. Run \`npm test\`, which does it.`,
    );
  }
}

/** A module of an SDK by its file, since the packages are not visible from this folder. */
export async function load(file: string) {
  requireSdks();
  return import(pathToFileURL(join(MODULES, file)).href);
}

/** Loads packages in CommonJS. */
export function loadCommon(name: string) {
  requireSdks();
  return createRequire(join(SDKS, 'package.json'))(name);
}
