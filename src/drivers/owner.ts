/**
 * The process that holds a claim, and whether it still lives. A pid says something only to those who
 * share its boot and its PID namespace, and is used again, so the start of the process counts too.
 * Where any of that cannot be told, the process is taken to live, and its lease decides.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ClaimOwner, SeenClaim } from '../machine/store-port.ts';

/** What a system tells of its processes. */
export interface ProcessTable {
  readonly host: string;
  /** Empty where the system has no such thing. */
  readonly boot: string;
  readonly pidNamespace: string;
  /** Null when there is no such process; a part that is undefined cannot be told. */
  find(pid: number): { readonly state?: string; readonly startedAt?: string } | null;
}

/** When a process began, as the system tells it; empty where it does not, or the process is gone. */
function processStart(pid: number): string {
  return THIS_SYSTEM.find(pid)?.startedAt ?? '';
}

/** This process, as one of its drivers claims runs; the name tells its drivers apart. */
export function newOwner(id = newName()): ClaimOwner {
  const { host, boot, pidNamespace } = THIS_SYSTEM;
  return { id, host, boot, pidNamespace, pid: process.pid, processStartedAt: OWN_START };
}

function newName(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

export function isOwnerAlive(owner: ClaimOwner, table: ProcessTable = THIS_SYSTEM): boolean {
  if (!isOfSystem(owner, table)) return true;
  const found = table.find(owner.pid);
  if (found === null) return false;
  // killed, but its parent has not asked for its end yet
  if (found.state === 'Z') return false;
  const isTold = owner.processStartedAt !== '' && found.startedAt !== undefined;
  return !isTold || owner.processStartedAt === found.startedAt;
}

/** Whether the pid of the owner means the same here as it does there. */
function isOfSystem(owner: ClaimOwner, { host, boot, pidNamespace }: ProcessTable): boolean {
  return (
    boot !== '' &&
    pidNamespace !== '' &&
    owner.host === host &&
    owner.boot === boot &&
    owner.pidNamespace === pidNamespace
  );
}

/** Whether a run is carried on by its owner; the lease is judged by the clock of the store. */
export function isHeld(
  claim: SeenClaim | null,
  isAlive: (owner: ClaimOwner) => boolean = isOwnerAlive,
): boolean {
  return claim !== null && claim.leftMs > 0 && isAlive(claim.owner);
}

const THIS_SYSTEM: ProcessTable = thisSystem();
const OWN_START = processStart(process.pid);

function thisSystem(): ProcessTable {
  // one that shows the processes of another namespace would tell of others by our pids
  const isOurs = told(() => readlinkSync('/proc/self')) === String(process.pid);
  return {
    host: hostname(),
    boot: isOurs ? told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) : '',
    pidNamespace: isOurs ? told(() => readlinkSync('/proc/self/ns/pid')) : '',
    find: (pid) => {
      if (!isThere(pid)) return null;
      const [state, ...rest] = isOurs ? statOf(pid) : [];
      const startedAt = rest[18];
      return {
        ...(state === undefined ? {} : { state }),
        ...(startedAt === undefined ? {} : { startedAt }),
      };
    },
  };
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // it may be there and be somebody else's
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The fields behind the name, which may itself hold spaces and brackets. */
function statOf(pid: number): readonly string[] {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty where this system does not tell, or no longer. */
function told(look: () => string): string {
  try {
    return look().trim();
  } catch {
    // a system without this place to look, or a process that has just gone
    return '';
  }
}
