/** Ways to make a store unusable for a while, each with a way to repair it. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname } from 'node:path';

export interface Breakage {
  /** Breaks it between two commits of the run. */
  readonly make: (store: string) => Promise<void>;
  /** Repairs it from the process that broke it, or from any other if that has died. */
  readonly mend: (store: string) => Promise<void>;
}

const FILES = ['', '-wal', '-shm'];

function moved(store: string, to: string): void {
  for (const suffix of FILES)
    if (existsSync(`${store}${suffix}`)) renameSync(`${store}${suffix}`, `${to}${suffix}`);
}

const HOLDER = `
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(process.argv[1], { timeout: 5000 });
db.exec('BEGIN IMMEDIATE');
process.stdout.write('locked');
process.stdin.resume().on('end', () => db.close());
`;

/** Lives in the process that locks; ends with it. */
let unlock: () => Promise<void> = () => Promise.resolve();

async function lock(store: string): Promise<void> {
  const holder = spawn(process.execPath, ['-e', HOLDER, store], {
    // so that nobody takes us for dead while it still holds the lock
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = once(holder, 'exit');
  await once(holder.stdout, 'data');
  unlock = async () => {
    holder.stdin.end();
    await gone;
  };
}

/** Leaves no free block. */
async function fill(store: string): Promise<void> {
  try {
    for (let count = 0; ; count++) writeFileSync(fillerOf(store, count), Buffer.alloc(4096));
  } catch {
    // that was the last free block
  }
}

async function empty(store: string): Promise<void> {
  for (let count = 0; existsSync(fillerOf(store, count)); count++) rmSync(fillerOf(store, count));
}

function fillerOf(store: string, count: number): string {
  return `${store}.filler-${count}`;
}

export const BREAKAGES = {
  'its files are taken away': {
    make: async (store) => moved(store, `${store}.away`),
    mend: async (store) => moved(`${store}.away`, store),
  },
  'its folder is taken away': {
    make: async (store) => renameSync(dirname(store), `${dirname(store)}.away`),
    mend: async (store) => renameSync(`${dirname(store)}.away`, dirname(store)),
  },
  'another process has locked it': { make: lock, mend: () => unlock() },
  'its disk is full': { make: fill, mend: empty },
} as const satisfies Record<string, Breakage>;

export type BreakageName = keyof typeof BREAKAGES;

/** False if this user may not mount anything. */
export function mountSmallDisk(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
  return status === 0;
}

export function unmount(folder: string): void {
  spawnSync('umount', [folder]);
}
