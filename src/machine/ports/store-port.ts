/**
 * Port of a durable run store. Types only: the machine declares the port, `src/stores` implements it.
 * Events, plans, checkpoints and messages to a run are opaque JSON to a store.
 *
 * S1  A commit is all or nothing: its events, the status and the messages it takes.
 * S2  The events of a run are numbered from 1 without a gap, and never change.
 * S3  Only the holder of the latest claim writes; everyone else gets `store.claim_lost`.
 * S4  A write is durable when its promise is fulfilled. After a rejection with `store.unavailable` the
 *     same call can be repeated, and a commit that did get through counts as done.
 * S5  A read returns what was written, or `store.corrupt` names what is damaged.
 * S6  Leases are set and judged by one clock: the store's, never the caller's.
 * S7  A removed run leaves nothing but a tombstone: its id is known, and never used again.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { Waiting } from '../state/events.ts';
import type { Notice, SharedWork } from './shared-work-port.ts';

export const RUN_STATUSES = [
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
] as const;

/** Status of a run in lists. `interrupted` is also the status of a run whose owner is dead. */
export type RunStatusName = (typeof RUN_STATUSES)[number];

export interface RunStatusRow {
  readonly status: RunStatusName;
  /** ISO 8601. */
  readonly endedAt?: string;
  readonly error?: { readonly kind: string; readonly message: string };
  readonly waiting?: Waiting;
  readonly costUsdMicros: number;
}

/**
 * The process that runs a run, and how to find out whether it is alive. Its pid has a meaning only for
 * a process of the same boot and the same PID namespace.
 */
export interface ClaimOwner {
  /** Unique for each backend: two backends in one process are two owners. */
  readonly id: string;
  readonly host: string;
  /** Boot id of its system. Absent where the system has none: then only the lease counts. */
  readonly boot?: string;
  readonly pidNamespace?: string;
  readonly pid: number;
  /** Start time of the process, as its system reports it; a pid alone is reused. */
  readonly processStartedAt: string;
  /** How many processes in a row died with the run before this one took it. Default: 0. */
  readonly lostBefore?: number;
}

/** The right to write to a run. A later claim, or its release, ends it. */
export interface Claim {
  readonly run: string;
  /** Grows with each claim and each release of the run: the fencing token. */
  readonly epoch: number;
}

/** A position between two commits: all events before `nextSeq`, and the digest of exactly those. */
export interface LogHead {
  readonly nextSeq: number;
  readonly digest: string;
}

export interface NewRun {
  readonly id: string;
  readonly workflow: string;
  readonly file: string | null;
  /** JSON text; runs of the same plan share one copy. Later plans are in the events. */
  readonly plan: string;
  readonly input: JsonValue;
  /** ISO 8601. */
  readonly startedAt: string;
  /** At least one. */
  readonly events: readonly object[];
  readonly statusRow: RunStatusRow;
  /** To be sent to the endpoints that the store knows, in the same commit. */
  readonly notices?: readonly Notice[];
  readonly owner: ClaimOwner;
  readonly leaseMs: number;
}

export interface Commit {
  readonly claim: Claim;
  /** Number of the first event. */
  readonly seq: number;
  /** At least one. */
  readonly events: readonly object[];
  /** Replaces the whole status; absent: unchanged. Repeating it costs nothing. */
  readonly statusRow?: RunStatusRow | undefined;
  /** These events record all messages up to this number, which are thereby taken. */
  readonly messagesThrough?: number | undefined;
  /** To be sent to the endpoints that the store knows, in the same commit. */
  readonly notices?: readonly Notice[];
}

export interface StoredCommit {
  readonly seq: number;
  readonly events: readonly JsonObject[];
  /** The head of the log after this commit. */
  readonly head: LogHead;
}

export interface ClaimState {
  readonly owner: ClaimOwner;
  readonly epoch: number;
  /** When the lease ends, by the clock of the store; never compare it with another clock. */
  readonly untilMs: number;
}

/** A claim as a reader of the store sees it. */
export interface SeenClaim extends ClaimState {
  /** Time left of the lease at the read, by the clock of the store; 0 or less when it is over. */
  readonly leftMs: number;
}

export interface RunSummary extends RunStatusRow {
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  readonly startedAt: string;
  /** Null when no process has it. A claim may be held by a process that is gone. */
  readonly claim: SeenClaim | null;
}

export interface RunRecord extends RunSummary {
  readonly plan: string;
  /** As the run was started with it. */
  readonly input: JsonValue;
  readonly head: LogHead;
}

export interface ListQuery {
  /** Default: all. */
  readonly statuses?: readonly RunStatusName[];
  /** Default: all. */
  readonly limit?: number;
  /** Id of a run; lists only runs created before it. */
  readonly before?: string;
  /**
   * Called with `store.corrupt` for each damaged run; the others are listed. Without it, the list is
   * rejected with the first damage.
   */
  readonly onDamage?: (damage: unknown) => void;
}

export interface ClaimRequest {
  readonly run: string;
  readonly owner: ClaimOwner;
  readonly leaseMs: number;
  /**
   * Whether the process of the current owner still runs. False transfers the claim at once; true (also
   * for a process on another machine, which cannot be checked) waits for the lease to end.
   */
  readonly isAlive: (owner: ClaimOwner) => boolean;
}

export interface RemoveRequest extends Pick<ClaimRequest, 'run' | 'isAlive'> {
  /** Who removes it. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** The record that stays of a removed run. */
export interface Tombstone {
  readonly run: string;
  readonly workflow: string;
  readonly removedAt: string;
  readonly removedBy: string;
}

export interface RemovedRun extends Tombstone {
  /** How many of the run's notices were removed unsent; absent when none were. */
  readonly unsent?: number;
}

/** A fold of the log up to `head`. It only saves time: the log takes precedence. */
export interface Checkpoint {
  readonly head: LogHead;
  readonly state: JsonValue;
}

/** A message to a run from outside: an answer, a cancellation, a resume. */
export interface StoredMessage {
  /** Counts from 1 for each run, without a gap. */
  readonly number: number;
  readonly message: JsonObject;
}

/**
 * Writes take effect in the order of their calls. Beside the kinds named below, each call may reject
 * with `store.unavailable` or `store.corrupt`, and with `run.not_found` where it names a run; for a
 * removed run, the message says when it was removed.
 */
export interface RunStore extends SharedWork {
  /**
   * Creates and claims the run. Repeating the call by the same owner returns the same claim. Rejects
   * with `run.already_ended` for the id of a removed run: a new run would reuse its idempotency keys.
   */
  create(run: NewRun): Promise<{ readonly claim: Claim; readonly head: LogHead }>;

  /** Durable when fulfilled. `store.claim_lost` when another owner has the run, or none. */
  append(commit: Commit): Promise<LogHead>;

  /**
   * The current commits with events from `fromSeq` (default 1) on, checked as they are read; the first
   * one is cut to begin at `fromSeq`.
   */
  read(run: string, fromSeq?: number): AsyncIterable<StoredCommit>;

  get(run: string): Promise<RunRecord>;

  summary(run: string): Promise<RunSummary>;

  /** Newest first. */
  list(query?: ListQuery): Promise<readonly RunSummary[]>;

  /**
   * A text that changes with every write to the store, whichever process wrote. Absent where it
   * would cost as much as reading the data.
   */
  writeMark?(): Promise<string>;

  /** `run.already_active` while the current owner is alive and its lease lasts. */
  claim(request: ClaimRequest): Promise<Claim>;

  /** Extends the leases; returns the claims that are lost. */
  heartbeat(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]>;

  /** Does nothing when the claim is already lost. */
  release(claim: Claim): Promise<void>;

  /** Keeps only the latest one. `store.claim_lost` as for a commit. */
  saveCheckpoint(claim: Claim, checkpoint: Checkpoint): Promise<void>;

  /**
   * Null when there is none that matches the log. Rejects with `store.corrupt` when the log cannot be
   * trusted: it has fewer events than the checkpoint, or one of those is missing or altered.
   */
  loadCheckpoint(run: string): Promise<Checkpoint | null>;

  /** For one run, or for all; always safe. */
  dropCheckpoints(run?: string): Promise<void>;

  /**
   * Removes the log, the checkpoint, the messages and all else of a run, in any state, even damaged.
   * `run.already_active` while its owner is alive and its lease lasts.
   */
  remove(request: RemoveRequest): Promise<RemovedRun>;

  /** Null when no run with this id was removed. */
  tombstone(run: string): Promise<Tombstone | null>;

  /** Frees the space of removed runs, and erases their data where the store can. */
  compact(): Promise<void>;

  /** Stores a message for the current or next owner of the run; returns its number. */
  send(run: string, message: object): Promise<number>;

  /** The messages that no commit has taken yet, in order. */
  messages(run: string): Promise<readonly StoredMessage[]>;

  /** The ids of all runs with waiting messages. */
  runsWithMessages(): Promise<readonly string[]>;

  breakers(): Promise<ReadonlyMap<string, JsonValue>>;

  /**
   * Replaces the state of a breaker with what `change` returns for it, and returns that; no other
   * change comes between. Null means no state. `change` is pure, and may be called more than once.
   */
  changeBreaker(key: string, change: (state: JsonValue) => JsonValue): Promise<JsonValue>;

  /** Completes earlier calls; later calls reject with `store.unavailable`. */
  close(): Promise<void>;
}

/** The methods that only read. */
export type ReadableStore = Pick<RunStore, 'get' | 'summary' | 'list' | 'read' | 'close'> &
  Partial<Pick<RunStore, 'loadCheckpoint' | 'writeMark'>>;
