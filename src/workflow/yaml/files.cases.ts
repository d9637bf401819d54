/** Files in memory, for tests. */
import { posix } from 'node:path';
import type { FilePort } from './file-port.ts';

export function memoryFiles(files: Readonly<Record<string, string>>): FilePort {
  return {
    read: (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      return text === undefined
        ? { ok: false, reason: 'there is no such file' }
        : { ok: true, text };
    },
    resolve: (from, to) => posix.join(posix.dirname(from), to),
  };
}

/** The smallest valid workflow. */
export const SMALL = `workflow: {name: small, entry_point: a}
nodes:
  - {name: a, type: set, value: 1}
`;
