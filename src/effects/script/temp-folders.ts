/**
 * The temporary folders of scripts. A name says which process made the folder, so that a later Errand can
 * remove what a killed one left behind.
 */
import { lstat, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../process/system-code.ts';

/** A script that outlived its Errand may still use its folder. */
const MIN_AGE_MS = 24 * 60 * 60 * 1000;

const NAME = /^errand-script-(?<namespace>\d+)-(?<pid>\d+)-/;

/** The beginning of the names of this process's folders. Never rejects. */
export async function folderPrefix(): Promise<string> {
  return `errand-script-${await pidNamespace()}-${process.pid}-`;
}

/** Removes folders of this user whose process is gone. Never rejects: the next one tries again. */
export async function removeAbandoned(parent: string, nowMs: number): Promise<void> {
  const namespace = await pidNamespace();
  try {
    for (const name of await readdir(parent)) {
      const maker = NAME.exec(name)?.groups;
      // a pid says nothing about processes of another namespace
      if (maker?.['namespace'] !== namespace || isRunning(Number(maker['pid']))) continue;
      const folder = join(parent, name);
      const { uid, mtimeMs } = await lstat(folder);
      const isOwn = process.getuid === undefined || process.getuid() === uid;
      if (isOwn && nowMs - mtimeMs > MIN_AGE_MS) await rm(folder, { recursive: true, force: true });
    }
  } catch {
    // another process may be cleaning up as well; leftovers cost a few bytes
  }
}

/** 0 where the system has none to tell. */
async function pidNamespace(): Promise<string> {
  try {
    const link = await readlink('/proc/self/ns/pid');
    return /\d+/.exec(link)?.[0] ?? '0';
  } catch {
    // not Linux
    return '0';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is there, and belongs to somebody else
    return codeOf(thrown) !== 'ESRCH';
  }
}
