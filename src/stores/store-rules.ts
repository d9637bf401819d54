/** The rules that every store follows, wherever it keeps its data. */
import type {
  ClaimOwner,
  ClaimRequest,
  ClaimState,
  Commit,
  LogHead,
  NewRun,
  RemovedRun,
  RunStatusRow,
  SeenClaim,
  Tombstone,
} from '../machine/ports/store-port.ts';
import { alreadyActive, claimLost, corrupt, misused } from './store-failure.ts';

/** An endpoint that no process could send to for this long gets no more notices. */
export const ENDPOINT_IDLE_MS = 30 * 24 * 60 * 60 * 1000;

/** Where a run was when a person stopped it. */
export interface StopNote {
  readonly epoch: number;
  readonly nextSeq: number;
}

/** Whether the note still holds: the claim is the same, or no later claim has added an event. */
export function isStopped(
  note: StopNote | null,
  present: { readonly epoch: number; readonly nextSeq: number },
): boolean {
  return note !== null && (note.epoch === present.epoch || note.nextSeq === present.nextSeq);
}

export function removedRun(tombstone: Tombstone, unsent: number): RemovedRun {
  return unsent === 0 ? tombstone : { ...tombstone, unsent };
}

export function statusText(run: string, statusRow: RunStatusRow): string {
  return jsonText(statusRow, `The status of run ${run}`);
}

/** Returns what JSON keeps of a value; refuses what JSON cannot hold. */
export function jsonText(value: unknown, what: string): string {
  const text = tryStringify(value, what);
  // a function or undefined has no JSON text at all, which the type of stringify hides
  if (typeof text !== 'string') throw misused(`${what} is not JSON`, {});
  return text;
}

function tryStringify(value: unknown, what: string): unknown {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw misused(`${what} is not JSON`, { reason: String(error) });
  }
}

/** The claim that the request obtains; `epoch` is the present one. */
export function grantClaim(
  request: ClaimRequest,
  present: { readonly epoch: number; readonly held: ClaimState | null },
  nowMs: number,
): ClaimState {
  refuseHeld(request.run, present.held, { isAlive: request.isAlive, nowMs });
  return {
    owner: request.owner,
    epoch: present.epoch + 1,
    untilMs: nowMs + request.leaseMs,
  };
}

/**
 * Throws `run.already_active` while the owner is alive and its lease lasts; `nowMs` is the store's.
 */
export function refuseHeld(
  run: string,
  held: ClaimState | null,
  { isAlive, nowMs }: { readonly isAlive: ClaimRequest['isAlive']; readonly nowMs: number },
): void {
  if (held !== null && held.untilMs > nowMs && isAlive(held.owner)) throw alreadyActive(run, held);
}

/** The claim as a reader sees it now, by the clock of the store. */
export function seenClaim(held: ClaimState | null, nowMs: number): SeenClaim | null {
  return held === null ? null : { ...held, leftMs: held.untilMs - nowMs };
}

/**
 * Whether a commit goes to the end of the log, or may be there already. Throws when the claim is
 * lost, or when the log has lost a commit that was acknowledged to this writer.
 */
export function placeCommit(
  commit: Commit,
  present: { readonly epoch: number; readonly head: LogHead },
): 'next' | 'past' {
  const { run, epoch } = commit.claim;
  if (epoch !== present.epoch) throw claimLost(run, epoch);
  const { nextSeq } = present.head;
  if (commit.seq === nextSeq) return 'next';
  if (commit.seq < nextSeq) return 'past';
  throw corrupt(`The log of run ${run} ends before event ${commit.seq}`, {
    run,
    seq: nextSeq,
    expectedSeq: commit.seq,
  });
}

/** No two writers can have one claim; if the log shows two, this one has to stop. */
export function conflict(commit: Commit): Error {
  return claimLost(commit.claim.run, commit.claim.epoch);
}

/** Messages are taken in order and once. */
export function checkTaken(
  commit: Commit,
  inbox: { readonly sent: number; readonly taken: number },
): number {
  const through = commit.messagesThrough ?? inbox.taken;
  if (through >= inbox.taken && through <= inbox.sent) return through;
  throw misused(`Run ${commit.claim.run} has no message ${through} to take`, {
    run: commit.claim.run,
    through,
    ...inbox,
  });
}

/** Accepts a repeated call: returns the run's existing first commit. */
export function firstOfRepeated<First extends { readonly text: string }>(
  { id, owner }: NewRun,
  { epoch, held }: { readonly epoch: number; readonly held: ClaimState | null },
  { first, text }: { readonly first: First | undefined; readonly text: string },
): First {
  if (first?.text !== text) throw misused(`This store already has a run ${id}`, { run: id });
  const isOurs = epoch === 1 && held !== null && isSameOwner(held.owner, owner);
  // the first call succeeded, and another process has owned the run since
  if (!isOurs) throw claimLost(id, 1);
  return first;
}

function isSameOwner(one: ClaimOwner, other: ClaimOwner): boolean {
  return (
    one.id === other.id &&
    one.host === other.host &&
    one.boot === other.boot &&
    one.pidNamespace === other.pidNamespace &&
    one.pid === other.pid &&
    one.processStartedAt === other.processStartedAt
  );
}
