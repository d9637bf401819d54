/**
 * Blocks this process for longer than any grace period, at the worst moment: it knows that a child has
 * ended, and has not read that child's last output yet. That can happen because Node collects the exits
 * of all children when it receives one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HELD_UP_MS = 800;
const MAX_MS = 200_000;

/** The test reads the state of a process that has ended and has not been collected. */
export const canHoldUp = existsSync('/proc/self/stat');

export interface HoldUp {
  /** Shell code for the child to run first: it waits until `release` lets it continue. */
  readonly prelude: string;
  /** Lets the child continue, and returns when this process is no longer blocked. */
  readonly release: () => Promise<void>;
}

export function holdUp(folder: string): HoldUp {
  const pidFile = join(folder, 'pid');
  const go = join(folder, 'go');
  return {
    prelude: `echo $$ > ${pidFile}; until [ -e ${go} ]; do sleep 0.01; done;`,
    release: async () => {
      while (!hasText(pidFile)) await new Promise((resolve) => setTimeout(resolve, 5));
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
      // its output and its exit then arrive in one turn, with the exit of the child between them
      block(() => isZombie(other.pid ?? 0));
      await promise;
    },
  };
}

function hasText(file: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');
}

/** Blocks the whole process. */
function block(isOver: () => boolean): void {
  const endsAtMs = performance.now() + MAX_MS;
  while (!isOver()) {
    if (performance.now() > endsAtMs) throw new Error('The expected state was never reached');
    spawnSync('sleep', ['0.01']);
  }
}

/** Ended, but not yet collected by its parent. */
function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')')).startsWith(') Z ');
}
