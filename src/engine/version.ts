/** The version of the package that is running, from its own manifest. */
import { readFileSync } from 'node:fs';
import { readProperty } from '../errors/support/safe-json.ts';

const UNKNOWN = 'unknown';

export const VERSION: string = readVersion();

function readVersion(): string {
  try {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const version = readProperty(JSON.parse(manifest), 'version');
    return typeof version === 'string' ? version : UNKNOWN;
  } catch {
    // part of an application's own bundle, which has another manifest or none
    return UNKNOWN;
  }
}
