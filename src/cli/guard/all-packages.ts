/**
 * Loads a part of the command whose packages a checkout has only with its development packages:
 * `npm start` installs less. An installed Errand has them in its bundles.
 */
import { readProperty } from '../../errors/support/safe-json.ts';

/** Rejects with `extension.missing` if a package is missing. */
export async function withAllPackages<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    if (readProperty(thrown, 'code') !== 'ERR_MODULE_NOT_FOUND') throw thrown;
    // help is to load nothing, least of all for a failure that hardly happens
    const { ErrandError } = await import('../../errors/thrown/errand-error.ts');
    throw new ErrandError(
      {
        kind: 'extension.missing',
        message: 'Not all packages that this command needs are installed',
        action: {
          kind: 'install_package',
          detail: 'Run npm ci in the checkout of Errand, then the command again.',
        },
      },
      { cause: thrown },
    );
  }
}
