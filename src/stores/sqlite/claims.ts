/**
 * Claims on runs. The epoch is in `heads` too, where each commit compares it, and the two must agree.
 */
import type {
  Claim,
  ClaimOwner,
  ClaimRequest,
  ClaimState,
} from '../../machine/ports/store-port.ts';
import { rowChecksum } from '../checksum.ts';
import { corrupt } from '../store-failure.ts';
import { grantClaim } from '../store-rules.ts';
import type { Preparer } from './meta.ts';
import { integerAt, textOrNullAt, type Row } from '../typed-row.ts';

export interface RunRef {
  readonly key: number;
  readonly run: string;
}

export interface PresentClaim {
  readonly epoch: number;
  /** Null when the run was released. */
  readonly held: ClaimState | null;
}

/** From a row of `claims`, whose checksum is called `claim_checksum`. */
export function readClaim(row: Row, { key, run }: RunRef): PresentClaim {
  if (row['claim_checksum'] === null) throw damagedClaim(run);
  const epoch = integerAt(row, 'epoch');
  const owner = textOrNullAt(row, 'owner');
  const untilMs = integerAt(row, 'until_ms');
  if (integerAt(row, 'claim_checksum') !== rowChecksum([key, epoch, owner, untilMs])) {
    throw damagedClaim(run);
  }
  if (owner === null) return { epoch, held: null };
  // its checksum is right, so it is what writeClaim wrote
  return { epoch, held: { owner: JSON.parse(owner) as ClaimOwner, epoch, untilMs } };
}

export function presentClaim(db: Preparer, ref: RunRef): PresentClaim {
  const row = db
    .prepare(
      `SELECT c.epoch, c.owner, c.until_ms, c.checksum AS claim_checksum, h.epoch AS fence
       FROM claims c LEFT JOIN heads h ON h.run = c.run WHERE c.run = ?`,
    )
    .get(ref.key);
  if (row === undefined) throw damagedClaim(ref.run);
  const claim = readClaim(row, ref);
  if (row['fence'] !== claim.epoch) throw damagedClaim(ref.run);
  return claim;
}

export function insertClaim(db: Preparer, key: number, state: ClaimState): void {
  writeClaim(db, key, { epoch: state.epoch, held: state });
}

export function takeClaim(
  db: Preparer,
  ref: RunRef,
  { request, nowMs }: { readonly request: ClaimRequest; readonly nowMs: number },
): Claim {
  const held = grantClaim(request, presentClaim(db, ref), nowMs);
  moveClaim(db, ref.key, { epoch: held.epoch, held });
  return { run: ref.run, epoch: held.epoch };
}

/** False when the claim is lost. */
export function prolongClaim(
  db: Preparer,
  ref: RunRef,
  { epoch, untilMs }: { readonly epoch: number; readonly untilMs: number },
): boolean {
  const present = presentClaim(db, ref);
  if (present.epoch !== epoch || present.held === null) return false;
  writeClaim(db, ref.key, { epoch, held: { ...present.held, untilMs } });
  return true;
}

export function releaseClaim(db: Preparer, ref: RunRef, epoch: number): void {
  if (presentClaim(db, ref).epoch !== epoch) return;
  moveClaim(db, ref.key, { epoch: epoch + 1, held: null });
}

function moveClaim(db: Preparer, key: number, claim: PresentClaim): void {
  writeClaim(db, key, claim);
  db.prepare('UPDATE heads SET epoch = ? WHERE run = ?').run(claim.epoch, key);
}

function writeClaim(db: Preparer, key: number, { epoch, held }: PresentClaim): void {
  const owner = held === null ? null : JSON.stringify(held.owner);
  const values = [key, epoch, owner, held?.untilMs ?? 0] as const;
  db.prepare(
    'INSERT OR REPLACE INTO claims (run, epoch, owner, until_ms, checksum) VALUES (?, ?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
}

function damagedClaim(run: string): Error {
  return corrupt(`The claim on run ${run} is missing or altered`, { run, table: 'claims' });
}
