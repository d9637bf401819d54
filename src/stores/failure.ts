/** The failures of a store, one function each: what was asked, and why it cannot be. */
import { ErrandError, isKind } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import { toReport } from '../errors/to-report.ts';
import type { ClaimState, Tombstone } from '../machine/store-port.ts';

/** Why a store cannot be used now; goes into `details.reason`. */
export type OutageReason =
  | 'busy'
  | 'cannot_open'
  | 'closed'
  | 'disconnected'
  | 'file_missing'
  | 'file_replaced'
  | 'full'
  | 'interrupted'
  | 'io'
  | 'no_memory'
  | 'read_only';

const SAID: Readonly<Record<OutageReason, string>> = {
  busy: 'The store is locked by another process',
  cannot_open: 'The store cannot be opened',
  closed: 'The store is closed',
  disconnected: 'The server of the store cannot be reached',
  file_missing: 'The file of the store is gone',
  file_replaced: 'The file of the store was replaced by another one',
  full: 'There is no room left to write to the store',
  interrupted: 'The store broke off what it was doing',
  io: 'The file of the store cannot be read or written',
  no_memory: 'The store ran out of memory',
  read_only: 'The store cannot be written to',
};

export function unavailable(
  reason: OutageReason,
  details: JsonObject = {},
  cause?: unknown,
): ErrandError<'store.unavailable'> {
  const mended = MENDED_BY[reason];
  return new ErrandError(
    {
      kind: 'store.unavailable',
      message: SAID[reason],
      details: { reason, ...details },
      // unlike a store that is away, it does not come back by itself
      ...(mended === undefined
        ? {}
        : {
            category: 'configuration',
            retryable: false,
            action: { kind: 'fix_setup', detail: `${mended} ${THEN}` },
          }),
    },
    { cause },
  );
}

const THEN = 'Then run the command again, or `errand resume` on a run that was begun.';

/** What somebody has to do about it. */
const MENDED_BY: Partial<Readonly<Record<OutageReason, string>>> = {
  full: 'Make room on the disk that holds the store; errand prune removes old runs.',
  read_only: 'Let the store and its folder be written to by the user that runs Errand.',
  cannot_open: 'Let the store and its folder be opened by the user that runs Errand.',
};

/** Whether that is why it could not be used. */
export function isOutageBy(thrown: unknown, reason: OutageReason): boolean {
  return isKind(thrown, 'store.unavailable') && toReport(thrown).details?.['reason'] === reason;
}

/** What is damaged, in one sentence; `where` names the run and the row or the event. */
export function corrupt(
  message: string,
  where: JsonObject,
  cause?: unknown,
  mend?: string,
): ErrandError<'store.corrupt'> {
  const action = mend === undefined ? {} : { action: { kind: 'find_out' as const, detail: mend } };
  return new ErrandError({ kind: 'store.corrupt', message, details: where, ...action }, { cause });
}

/** A signal that was sent and is not there, or not as it was. */
export function damagedInbox(run: string, where: JsonObject = {}): ErrandError<'store.corrupt'> {
  return corrupt(`A signal to run ${run} is missing or altered`, {
    run,
    table: 'signals',
    ...where,
  });
}

/** `removed` is what was left of it, where it was there once. */
export function runNotFound(run: string, removed?: Tombstone | null): ErrandError<'run.not_found'> {
  if (removed === undefined || removed === null)
    return new ErrandError({
      kind: 'run.not_found',
      message: `There is no run ${run === '' ? 'with an empty id' : run} in this store`,
      details: { run },
    });
  const { removedAt, removedBy, workflow } = removed;
  return new ErrandError({
    kind: 'run.not_found',
    message: `Run ${run} was removed on ${removedAt.slice(0, 10)} by ${removedBy}`,
    details: { run, workflow, removedAt, removedBy },
    action: { kind: 'change_input', detail: 'Start a new run; nothing of this one is left.' },
  });
}

/** A new run by that name would have the idempotency keys of the one that was removed. */
export function idWasUsed({ run, removedAt }: Tombstone): ErrandError<'run.already_ended'> {
  return new ErrandError({
    kind: 'run.already_ended',
    message: `There was a run ${run}, which was removed on ${removedAt.slice(0, 10)}`,
    details: { run, removedAt },
    action: { kind: 'change_input', detail: 'Start the run under another id.' },
  });
}

/** The log ends before an event that was in it. `nextSeq` is where it ends, `knownSeq` where it did. */
export function logLostItsEnd(
  run: string,
  { nextSeq, knownSeq }: { readonly nextSeq: number; readonly knownSeq: number },
): ErrandError<'store.corrupt'> {
  return corrupt(
    `Event ${nextSeq} of run ${run} is missing: its log ends before it, and its checkpoint has ${knownSeq - 1} events`,
    { run, seq: nextSeq, table: 'events', knownSeq: knownSeq - 1 },
  );
}

export function claimLost(run: string, epoch: number): ErrandError<'store.claim_lost'> {
  return new ErrandError({
    kind: 'store.claim_lost',
    message: `The claim on run ${run} is no longer held`,
    details: { run, epoch },
  });
}

export function alreadyActive(run: string, held: ClaimState): ErrandError<'run.already_active'> {
  const { id, host, pid } = held.owner;
  return new ErrandError({
    kind: 'run.already_active',
    message: `Run ${run} is being carried on by process ${pid} on ${host}`,
    details: { run, owner: id, host, pid, leaseUntilMs: held.untilMs },
  });
}

/** The caller broke a rule of the port. */
export function misused(message: string, details: JsonObject): ErrandError<'internal.invariant'> {
  return new ErrandError({ kind: 'internal.invariant', message, details });
}
