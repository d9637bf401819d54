/** Fixtures of the cases: a database with two handles, runs to store there, and ways to read them. */
import assert from 'node:assert/strict';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type {
  Claim,
  ClaimOwner,
  ClaimRequest,
  Commit,
  NewRun,
  RunStore,
  StoredCommit,
} from '../../machine/ports/store-port.ts';

export interface Scene {
  readonly store: RunStore;
  readonly other: RunStore;
  /** Lets this much time pass for the leases of the store. */
  readonly elapse: (ms: number) => Promise<void>;
}

export type Cases = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

export const OWNER: ClaimOwner = { id: 'process-1', host: 'here', pid: 7, processStartedAt: '100' };
export const RIVAL: ClaimOwner = { id: 'process-2', host: 'here', pid: 8, processStartedAt: '200' };
export const LEASE_MS = 30_000;

export function newRun(id: string, changes: Partial<NewRun> = {}): NewRun {
  return {
    id,
    workflow: 'triage',
    file: 'triage.yaml',
    plan: '{"nodes":["a"]}',
    input: { ticket: 'T-1' },
    startedAt: '2026-11-10T12:00:00.000Z',
    events: [{ seq: 1, type: 'run:started' }],
    statusRow: { status: 'running', costUsdMicros: 0 },
    owner: OWNER,
    leaseMs: LEASE_MS,
    ...changes,
  };
}

/** A commit of `count` events. */
export function commitAt(claim: Claim, seq: number, count = 1): Commit {
  return { claim, seq, events: numbered(seq, count) };
}

export async function readAll(
  store: RunStore,
  run: string,
  fromSeq?: number,
): Promise<StoredCommit[]> {
  const commits: StoredCommit[] = [];
  for await (const commit of store.read(run, fromSeq)) commits.push(commit);
  return commits;
}

/** A claim on a run whose present owner is alive. */
export function claiming(run: string, owner: ClaimOwner): ClaimRequest {
  return { run, owner, leaseMs: LEASE_MS, isAlive: () => true };
}

export async function seqsOf(store: RunStore, run: string, fromSeq?: number): Promise<unknown[]> {
  const commits = await readAll(store, run, fromSeq);
  return commits.flatMap(({ events }) => events.map((event) => event['seq']));
}

export function numbered(first: number, count: number): JsonObject[] {
  return range(first, first + count - 1).map((seq) => ({ seq, type: 'node:started' }));
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

interface Reported {
  readonly report: { readonly details?: JsonObject };
}

export async function rejects(promise: Promise<unknown>, kind: string): Promise<Reported> {
  const error = await promise.then(
    () => assert.fail(`Expected ${kind}, but nothing was thrown`),
    (reason: unknown) => reason,
  );
  if (!isKind(error, kind)) throw error;
  // every error of a kind carries its report
  return error as Reported;
}
