/** The name that the operating system or Node gives an error, such as `ENOENT`. */
import { readProperty } from '../errors/json.ts';

export function codeOf(thrown: unknown): string {
  const code = readProperty(thrown, 'code');
  return typeof code === 'string' ? code : 'unknown';
}
