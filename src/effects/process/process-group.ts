/**
 * Ends a process and everything that it started. On POSIX that is a process group: TERM first, then KILL,
 * and it returns only when no member is left. A process that leaves the group on purpose (`setsid`) is
 * not ended.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './system-code.ts';

const IS_WINDOWS = process.platform === 'win32';

/** Between TERM and KILL. */
const KILL_AFTER_MS = 2000;

/** After KILL only a process that hangs in the kernel remains. */
const AFTER_KILL_MS = 2000;

const POLL_MS = 10;

/** Errors of reading a process that has ended meanwhile. */
const ENDED: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH']);

/** True when no member of the group is left. */
export async function endGroup(leader: number): Promise<boolean> {
  if (IS_WINDOWS) return endTree(leader);
  signalGroup(leader, 'SIGTERM');
  if (await isGoneWithin(leader, KILL_AFTER_MS)) return true;
  signalGroup(leader, 'SIGKILL');
  return isGoneWithin(leader, AFTER_KILL_MS);
}

/** The processes that TERM to a group can end. */
export type TermReach =
  /** The leader has ended, or the whole group ignores the signal. */
  | 'nobody'
  /**
   * The leader ignores the signal, and may mistake the end of a child for the child's own doing.
   */
  | 'children'
  /** Also assumed where there is no `/proc` to ask. */
  | 'leader';

/** Call it right before the signal is sent. */
export function termReach(leader: number): TermReach {
  if (process.platform !== 'linux') return 'leader';
  const own = dispositionOf(leader);
  if (own !== 'ignores') return own === 'ended' ? 'nobody' : 'leader';
  try {
    const accepts = (pid: number): boolean => dispositionOf(pid) === 'accepts';
    return livingMembers(leader).some(accepts) ? 'children' : 'nobody';
  } catch {
    // too many open files to inspect the members
    return 'children';
  }
}

function dispositionOf(pid: number): 'ended' | 'ignores' | 'accepts' {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    if (/^State:\s*[ZX]/m.test(status)) return 'ended';
    const ignored = BigInt(`0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
    return (ignored & TERM_BIT) === 0n ? 'accepts' : 'ignores';
  } catch (thrown) {
    return ENDED.has(codeOf(thrown)) ? 'ended' : 'accepts';
  }
}

/** In a mask of signals; TERM is number 15, and the first is 1. */
const TERM_BIT = 1n << 14n;

/** Waits for the group to end by itself. */
export async function isGoneWithin(leader: number, ms: number): Promise<boolean> {
  const endsAtMs = performance.now() + ms;
  while (isGroupAlive(leader)) {
    if (performance.now() >= endsAtMs) return false;
    await delay(POLL_MS);
  }
  return true;
}

function isGroupAlive(leader: number): boolean {
  if (IS_WINDOWS) return false;
  if (!signalGroup(leader, 0)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return livingMembers(leader).length > 0;
  } catch {
    // too many open files to inspect the members: trust `kill` until the next poll
    return true;
  }
}

/** False when there is no such group. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch (thrown) {
    // EPERM: the group exists, but its members belong to another user
    return codeOf(thrown) === 'EPERM';
  }
}

/**
 * `kill` also finds dead members that no parent has collected. In containers whose process 1 does not
 * reap, that is every orphan.
 */
function livingMembers(leader: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isLivingMember(name, leader))
    .map(Number);
}

function isLivingMember(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // the name in brackets may hold anything, brackets too
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leader && state !== 'Z' && state !== 'X';
  } catch (thrown) {
    if (!ENDED.has(codeOf(thrown))) throw thrown;
    return false;
  }
}

/** Windows has no groups and no TERM; `taskkill` finds the tree. */
async function endTree(root: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // an import would load it with every engine, for which only one platform has a use
  const { spawn } = process.getBuiltinModule('node:child_process');
  const killer = spawn('taskkill', ['/pid', String(root), '/T', '/F'], { stdio: 'ignore' });
  killer.once('error', () => resolve(false));
  killer.once('exit', (code) => resolve(code === 0));
  return promise;
}
