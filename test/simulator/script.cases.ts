/** Scripts for tests, from text. */
import type { FilePort } from '../../src/workflow/load/port.ts';
import { loadScript, type Script } from '../../src/effects/simulator/server/script.ts';

export function scriptOf(text: string, others: Readonly<Record<string, string>> = {}): Script {
  const texts: Readonly<Record<string, string>> = { 'script.yaml': text, ...others };
  const files: FilePort = {
    resolve: (_from, to) => to.replace(/^\.\//, ''),
    read: (path) => {
      const found = texts[path];
      return found === undefined
        ? { ok: false, reason: 'there is no such file' }
        : { ok: true, text: found };
    },
  };
  return loadScript('script.yaml', files, {});
}
