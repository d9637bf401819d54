/**
 * The process that owns a claim, and whether it is alive. A pid has a meaning only within one boot
 * and one PID namespace, and is reused, so the start time of the process counts too. Where any of
 * these is unknown, its lease decides. A process that is known to be alive keeps its runs, however old
 * their leases: it may be suspended, and its effects still run.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ClaimOwner, SeenClaim } from '../../machine/ports/store-port.ts';

/** Facts that a system reports about its processes. */
export interface ProcessTable {
  readonly host: string;
  /** Empty where the system has no such thing. */
  readonly boot: string;
  readonly pidNamespace: string;
  /** Null when there is no such process; undefined fields are unknown. */
  find(pid: number): { readonly state?: string; readonly startedAt?: string } | null;
}

/** This process as the owner of claims; the id distinguishes its backends. */
export function newOwner(id = newName()): ClaimOwner {
  const { host, boot, pidNamespace } = THIS_SYSTEM;
  const processStartedAt = THIS_SYSTEM.find(process.pid)?.startedAt ?? '';
  return { id, host, boot, pidNamespace, pid: process.pid, processStartedAt };
}

function newName(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** `unknown`: only its lease says how long it has its runs. */
export type Liveness = 'alive' | 'gone' | 'unknown';

export function livenessOf(owner: ClaimOwner, table: ProcessTable = THIS_SYSTEM): Liveness {
  if (!isOfSystem(owner, table)) return 'unknown';
  const found = table.find(owner.pid);
  // `Z`: killed, but not yet reaped by its parent
  if (found === null || found.state === 'Z') return 'gone';
  if (owner.processStartedAt === '' || found.startedAt === undefined) return 'unknown';
  if (owner.processStartedAt !== found.startedAt) return 'gone';
  // a backend of this very process may have stopped
  return owner.pid === process.pid ? 'unknown' : 'alive';
}

export function isOwnerAlive(owner: ClaimOwner): boolean {
  return livenessOf(owner) !== 'gone';
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

/** Whether a live process owns the run; the store's clock judges the lease. */
export function isHeld(
  claim: SeenClaim | null,
  liveness: (owner: ClaimOwner) => Liveness = livenessOf,
): boolean {
  if (claim === null) return false;
  const seen = liveness(claim.owner);
  return seen === 'unknown' ? claim.leftMs > 0 : seen === 'alive';
}

const THIS_SYSTEM: ProcessTable = thisSystem();

function thisSystem(): ProcessTable {
  // a /proc of another namespace would report other processes under our pids
  const isOurs = readOrEmpty(() => readlinkSync('/proc/self')) === String(process.pid);
  const seen = (pid: number): NonNullable<ReturnType<ProcessTable['find']>> => {
    const [state, ...rest] = isOurs ? statOf(pid) : [];
    const startedAt = rest[18];
    return {
      ...(state === undefined ? {} : { state }),
      ...(startedAt === undefined ? {} : { startedAt }),
    };
  };
  // this process is alive and keeps its start time while it asks
  const own = seen(process.pid);
  return {
    host: hostname(),
    boot: isOurs ? readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) : '',
    pidNamespace: isOurs ? readOrEmpty(() => readlinkSync('/proc/self/ns/pid')) : '',
    find: (pid) => {
      if (pid === process.pid) return own;
      return doesExist(pid) ? seen(pid) : null;
    },
  };
}

function doesExist(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // the process exists and belongs to another user
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The fields behind the name, which may itself hold spaces and brackets. */
function statOf(pid: number): readonly string[] {
  const stat = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty where this system does not have the file, or no longer. */
function readOrEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    // a system without this file, or a process that has just ended
    return '';
  }
}
