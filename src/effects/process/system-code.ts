/** Reads the error code of the operating system or Node, such as `ENOENT`. */
import { readProperty } from '../../errors/support/safe-json.ts';

export function codeOf(thrown: unknown): string {
  const code = readProperty(thrown, 'code');
  return typeof code === 'string' ? code : 'unknown';
}
