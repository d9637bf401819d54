/** The tag of a workflow file: changes with its text. */
import { createHash } from 'node:crypto';

export function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
}
