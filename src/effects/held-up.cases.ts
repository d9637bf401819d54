/**
 * A process of ours that is held up for longer than anyone waits, in the worst moment: it has been
 * told that a child has ended, and has not read what that child wrote before. That comes about because
 * Node learns of every child's end when it learns of one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HELD_UP_MS = 800;
const MAX_MS = 20_000;

/** It looks for the end of a process before that has been collected. */
export const canHoldUp = existsSync('/proc/self/stat');

export interface HoldUp {
  /** What the child does first, in the language of a shell: it waits until it is told to go on. */
  readonly prelude: string;
  /** Lets the child go on, and returns when we are held up no more. */
  readonly bringAbout: () => Promise<void>;
}

export function holdUp(folder: string): HoldUp {
  const pidFile = join(folder, 'pid');
  const go = join(folder, 'go');
  return {
    prelude: `echo $$ > ${pidFile}; until [ -e ${go} ]; do sleep 0.01; done;`,
    bringAbout: async () => {
      while (!hasText(pidFile)) await new Promise((resolve) => setImmediate(resolve));
      const pid = Number(readFileSync(pidFile, 'utf8'));
      const other = spawn('echo', ['now'], { stdio: ['ignore', 'pipe', 'ignore'] });
      other.stdout.once('data', () => {
        writeFileSync(go, '');
        block(() => isZombie(pid));
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      other.once('exit', () => {
        const endsAtMs = performance.now() + HELD_UP_MS;
        block(() => performance.now() > endsAtMs);
        resolve();
      });
      // its output and its end then come in one turn, and the end of the child between the two
      block(() => isZombie(other.pid ?? 0));
      await promise;
    },
  };
}

function hasText(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
}

/** Nothing else of this process happens meanwhile. */
function block(isOver: () => boolean): void {
  const endsAtMs = performance.now() + MAX_MS;
  while (!isOver()) {
    if (performance.now() > endsAtMs) throw new Error('It never came');
    spawnSync('sleep', ['0.01']);
  }
}

/** Dead, and not collected by its parent yet. */
function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')')).startsWith(') Z ');
}
