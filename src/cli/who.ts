/** Who is at the command line, for the record of a run: `cli:anna`, or `cli` where nobody can say. */
import { userInfo } from 'node:os';

const MAX_NAME_CHARS = 64;

export function whoIsHere(): string {
  const name = userName()
    .replace(/[^\p{L}\p{N}_.@-]+/gu, '-')
    .slice(0, MAX_NAME_CHARS);
  return name === '' ? 'cli' : `cli:${name}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container may run as a number that no account has
    return '';
  }
}
