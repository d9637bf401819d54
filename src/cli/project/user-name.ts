/** The user at the command line, for the log of a run: `cli:anna`, or `cli` where the name is unknown. */
import { userInfo } from 'node:os';

const MAX_NAME_CHARS = 64;

export function currentUser(): string {
  const name = accountName()
    .replace(/[^\p{L}\p{N}_.@-]+/gu, '-')
    .slice(0, MAX_NAME_CHARS);
  return name === '' ? 'cli' : `cli:${name}`;
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // a container may run under a user id without an account
    return '';
  }
}
