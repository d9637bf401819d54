/** The failures of a store, one function each, with the request and the reason. */
import { ErrandError, isKind } from '../errors/thrown/errand-error.ts';
import type { JsonObject } from '../errors/support/safe-json.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import type { ClaimState, Tombstone } from '../machine/ports/store-port.ts';

/** The reason why a store cannot be used now; goes into `details.reason`. */
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
  | 'no_database'
  | 'no_memory'
  | 'read_only';

const MESSAGES: Readonly<Record<OutageReason, string>> = {
  busy: 'The store is locked by another process',
  cannot_open: 'The store cannot be opened',
  closed: 'The store is closed',
  disconnected: 'The server of the store cannot be reached',
  file_missing: 'The file of the store is gone',
  file_replaced: 'The file of the store was replaced by another one',
  full: 'There is no room left to write to the store',
  interrupted: 'The store interrupted the operation',
  io: 'The file of the store cannot be read or written',
  no_database: 'The database of the store does not exist on its server',
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
      message: MESSAGES[reason],
      details: { reason, ...details },
      // unlike an outage, this does not end by itself
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

const THEN = 'Then run the command again, or `errand resume` for a run that was started.';

/** Outages that a person has to end. */
const MENDED_BY: Partial<Readonly<Record<OutageReason, string>>> = {
  full: 'Make room on the disk that holds the store; errand prune removes old runs.',
  read_only: 'Give the user that runs Errand write access to the store and its folder.',
  cannot_open:
    'Give the user that runs Errand access to the store (to its file and folder, or to its server), or name another store in ERRAND_STORE.',
  closed: 'Open it again (`openErrand`): this program has closed it.',
  no_database:
    'Create it on that server, for instance with `createdb`, or name an existing one in ERRAND_STORE; Errand creates its tables itself.',
};

/** Whether the store was unavailable for that reason. */
export function isOutageBy(thrown: unknown, reason: OutageReason): boolean {
  return isKind(thrown, 'store.unavailable') && toReport(thrown).details?.['reason'] === reason;
}

/** The damage in one sentence; `where` names the run and the row or the event. */
export function corrupt(
  message: string,
  where: JsonObject,
  cause?: unknown,
  mend?: string,
): ErrandError<'store.corrupt'> {
  const action = mend === undefined ? {} : { action: { kind: 'find_out' as const, detail: mend } };
  return new ErrandError({ kind: 'store.corrupt', message, details: where, ...action }, { cause });
}

/** A message that was sent and is missing or altered. */
export function damagedInbox(run: string, where: JsonObject = {}): ErrandError<'store.corrupt'> {
  return corrupt(`A message to run ${run} is missing or altered`, {
    run,
    table: 'messages',
    ...where,
  });
}

/** `removed` is the tombstone of a run that existed once. */
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
    action: { kind: 'change_input', detail: 'Start a new run; this one was removed.' },
  });
}

/** A new run with that id would have the idempotency keys of the one that was removed. */
export function idWasUsed({ run, removedAt }: Tombstone): ErrandError<'run.already_ended'> {
  return new ErrandError({
    kind: 'run.already_ended',
    message: `Run ${run} was removed on ${removedAt.slice(0, 10)}, and its id cannot be used again`,
    details: { run, removedAt },
    action: { kind: 'change_input', detail: 'Start the run under another id.' },
  });
}

/**
 * The log ends before an event that it once had. `nextSeq`: its present end; `knownSeq`: its former
 * one.
 */
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
    message: `Process ${pid} on ${host} is running run ${run}`,
    details: { run, owner: id, host, pid, leaseUntilMs: held.untilMs },
  });
}

/** The caller broke a rule of the port. */
export function misused(message: string, details: JsonObject): ErrandError<'internal.invariant'> {
  return new ErrandError({ kind: 'internal.invariant', message, details });
}
