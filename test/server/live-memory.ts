/**
 * What a process really holds. Its resident memory says when V8 last collected garbage, which depends on
 * how busy the machine is. A process that is started with `asked` collects and tells when it gets a signal.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const FILE = 'ERRAND_TEST_MEMORY';
const SIGNAL = 'SIGUSR2';

interface Held {
  readonly bytes: number;
}

/** For the environment of the process. */
export function asked(folder: string): Readonly<Record<string, string>> {
  return {
    [FILE]: join(folder, 'live-memory.json'),
    NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`,
  };
}

/** In megabytes, without garbage. */
export async function liveMemoryOf(pid: number, folder: string): Promise<number> {
  const file = asked(folder)[FILE] ?? '';
  process.kill(pid, SIGNAL);
  while (!existsSync(file)) await after(10);
  // written below
  const { bytes } = JSON.parse(readFileSync(file, 'utf8')) as Held;
  rmSync(file);
  return bytes / 1e6;
}

const file = process.env[FILE];
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on(SIGNAL, () => {
    // what the first round finalizes is free after the second
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ bytes: heapUsed + external } satisfies Held));
    renameSync(`${file}.new`, file);
  });
}
