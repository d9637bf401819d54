/**
 * Loads a part of the command that stands on packages which a checkout has only with those for development: `npm start`
 * installs less. An installed Errand has them in its bundles.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

/** Rejects with `extension.missing` where a package is not there. */
export async function withAllPackages<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    if (readProperty(thrown, 'code') !== 'ERR_MODULE_NOT_FOUND') throw thrown;
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
