/**
 * The memory that a process really holds. Its resident memory depends on V8's latest collection,
 * and so on how busy the machine is. A process that starts with `asked` collects and reports when
 * it gets a signal.
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

/** The environment of the process. */
export function asked(folder: string): Readonly<Record<string, string>> {
  return {
    [FILE]: join(folder, 'live-memory.json'),
    NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`,
  };
}

/** Megabytes without garbage. */
export async function liveMemoryOf(pid: number, folder: string): Promise<number> {
  const file = asked(folder)[FILE] ?? '';
  process.kill(pid, SIGNAL);
  while (!existsSync(file)) await after(10);
  // the other process writes it below
  const { bytes } = JSON.parse(readFileSync(file, 'utf8')) as Held;
  rmSync(file);
  return bytes / 1e6;
}

const file = process.env[FILE];
if (file !== undefined) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  process.on(SIGNAL, () => {
    // the second round frees what the first one finalized
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(`${file}.new`, JSON.stringify({ bytes: heapUsed + external } satisfies Held));
    renameSync(`${file}.new`, file);
  });
}
