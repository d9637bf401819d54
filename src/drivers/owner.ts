/** The process that holds a claim, and whether it still lives: its id alone is used again. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { ClaimOwner, ClaimState } from '../machine/store-port.ts';

/** When a process began, as the system tells it; empty where it does not, or the process is gone. */
export function processStart(pid: number): string {
  return statOf(pid)?.[19] ?? '';
}

const OWN_START = processStart(process.pid);

/** This process, as one of its drivers claims runs; the name tells its drivers apart. */
export function newOwner(id = newName()): ClaimOwner {
  return { id, host: hostname(), pid: process.pid, processStartedAt: OWN_START };
}

function newName(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

export function isOwnerAlive(owner: ClaimOwner): boolean {
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const stat = statOf(owner.pid);
  // killed, but its parent has not asked for its end yet
  if (stat?.[0] === 'Z') return false;
  return owner.processStartedAt === '' || stat === undefined || owner.processStartedAt === stat[19];
}

/** Whether a run is carried on by whoever has it; on another machine only the lease tells. */
export function isHeld(claim: ClaimState | null, nowMs: number, isAlive = isOwnerAlive): boolean {
  return claim !== null && claim.untilMs > nowMs && isAlive(claim.owner);
}

/** The fields behind the name, which may itself hold spaces and brackets. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    // no such process, or a system without this place to look
    return undefined;
  }
}
