/**
 * What the engine asks of a durable log. Types only: the machine declares the port, `src/stores`
 * implements it. Events, plans, checkpoints and signals are opaque JSON to a store.
 *
 * S1  A commit is all or nothing: its events, the standing and the signals it takes.
 * S2  The events of a run are numbered from 1 without a gap, and never change.
 * S3  Only the holder of the latest claim writes; everyone else gets `store.claim_lost`.
 * S4  A promise that is fulfilled is durable. One that is rejected with `store.unavailable` wrote
 *     nothing that matters: the same call can be made again, and a commit that did get through
 *     counts as done.
 * S5  What is read is what was written, or `store.corrupt` names what is not.
 * S6  Leases are set and judged by one clock, which is the store's, never that of whoever asks.
 * S7  A run that was removed leaves nothing but a tombstone: its id is known, and never used again.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { Waiting } from './events.ts';

/** Where a run stands, as far as lists show it. `interrupted` is also what a dead claim means. */
export type StandingStatus =
  | 'running'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'interrupted';

export interface RunStanding {
  readonly status: StandingStatus;
  /** ISO 8601. */
  readonly endedAt?: string;
  readonly error?: { readonly kind: string; readonly message: string };
  readonly waiting?: Waiting;
  readonly costUsdMicros: number;
}

/**
 * The process that carries a run on, and how to find out whether it still lives. Its pid means
 * something only to a process of the same boot and the same PID namespace.
 */
export interface ClaimOwner {
  /** Unique for each driver: two drivers in one process are two owners. */
  readonly id: string;
  readonly host: string;
  /** Of the system it runs on. Left out where the system does not say: then only the lease counts. */
  readonly boot?: string;
  readonly pidNamespace?: string;
  readonly pid: number;
  /** When the process began, as its system tells it; a process id alone is used again. */
  readonly processStartedAt: string;
}

/** The right to write to a run. A later claim, or its release, makes it void for good. */
export interface Claim {
  readonly run: string;
  /** Grows with each claim and each release of the run: the fencing token. */
  readonly epoch: number;
}

/** A place between two commits: all events before `nextSeq`, and the digest of exactly those. */
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
  readonly standing: RunStanding;
  readonly owner: ClaimOwner;
  readonly leaseMs: number;
}

export interface Commit {
  readonly claim: Claim;
  /** Number of the first event. */
  readonly seq: number;
  /** At least one. */
  readonly events: readonly object[];
  /** Replaces the standing as a whole; left out, it stays as it is. Repeating it costs nothing. */
  readonly standing?: RunStanding;
  /** These events record all signals up to this number, which are thereby taken. */
  readonly signalsThrough?: number;
}

export interface StoredCommit {
  readonly seq: number;
  readonly events: readonly JsonObject[];
  /** The log up to and with this commit. */
  readonly head: LogHead;
}

export interface ClaimState {
  readonly owner: ClaimOwner;
  readonly epoch: number;
  /** When the lease ends, by the clock of the store, which nobody else may compare with their own. */
  readonly untilMs: number;
}

/** A claim as somebody sees it who looks at the store. */
export interface SeenClaim extends ClaimState {
  /** What was left of the lease when the store looked, by its own clock; 0 or less when it is over. */
  readonly leftMs: number;
}

export interface RunSummary extends RunStanding {
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  readonly startedAt: string;
  /** Null when nobody has it. A claim may be held by a process that is gone. */
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
  readonly statuses?: readonly StandingStatus[];
  /** Default: all. */
  readonly limit?: number;
  /** The id of a run; gives only those created before it. */
  readonly before?: string;
  /**
   * Hears of each run that is damaged, as `store.corrupt`, and the others are listed. Without it the
   * first damage is what the list is rejected with.
   */
  readonly onDamage?: (damage: unknown) => void;
}

export interface ClaimRequest {
  readonly run: string;
  readonly owner: ClaimOwner;
  readonly leaseMs: number;
  /**
   * Whether the process of the present owner still runs. False hands the run over at once; true
   * (also for a process on another machine, which nobody here can see) leaves it to the lease.
   */
  readonly isAlive: (owner: ClaimOwner) => boolean;
}

export interface RemoveRequest extends Pick<ClaimRequest, 'run' | 'isAlive'> {
  /** Who removes it. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
}

/** What is left of a run that was removed. */
export interface Tombstone {
  readonly run: string;
  readonly workflow: string;
  readonly removedAt: string;
  readonly removedBy: string;
}

/** A fold of the log up to `head`. It saves time and decides nothing: the log outranks it. */
export interface Checkpoint {
  readonly head: LogHead;
  readonly state: JsonValue;
}

/** Something said to a run from outside: an answer, a cancellation, a resumption. */
export interface StoredSignal {
  /** Counts from 1 for each run, without a gap. */
  readonly number: number;
  readonly signal: JsonObject;
}

/**
 * Writes take effect in the order in which they are asked for. Beside the kinds named below, each
 * call may reject with `store.unavailable` or `store.corrupt`, and with `run.not_found` where it
 * names a run; of one that was removed it says when.
 */
export interface RunStore {
  /**
   * Creates and claims the run. Repeating the same call by the same owner gives the same claim. The
   * id of a run that was removed is `run.already_ended`: it would be another run by the same keys.
   */
  create(run: NewRun): Promise<{ readonly claim: Claim; readonly head: LogHead }>;

  /** Durable when fulfilled. `store.claim_lost` when another owner has the run, or none. */
  append(commit: Commit): Promise<LogHead>;

  /**
   * The commits as of now that hold events from `fromSeq` (1 by default) on, checked as they are
   * read; the first one is cut to begin at `fromSeq`.
   */
  read(run: string, fromSeq?: number): AsyncIterable<StoredCommit>;

  get(run: string): Promise<RunRecord>;

  summary(run: string): Promise<RunSummary>;

  /** Newest first. */
  list(query?: ListQuery): Promise<readonly RunSummary[]>;

  /** `run.already_active` while the present owner lives and its lease lasts. */
  claim(request: ClaimRequest): Promise<Claim>;

  /** Prolongs the leases; gives back the claims that are lost. */
  heartbeat(claims: readonly Claim[], leaseMs: number): Promise<readonly Claim[]>;

  /** Does nothing when the claim is lost already. */
  release(claim: Claim): Promise<void>;

  /** Keeps only the latest. `store.claim_lost` as for a commit. */
  saveCheckpoint(claim: Claim, checkpoint: Checkpoint): Promise<void>;

  /**
   * Null when there is none that the log confirms. One that knows of more events than the log has is
   * `store.corrupt`: the log has lost its end.
   */
  loadCheckpoint(run: string): Promise<Checkpoint | null>;

  /** Of one run, or of all; always safe. */
  dropCheckpoints(run?: string): Promise<void>;

  /**
   * Removes the log, the checkpoint, the signals and the rest of a run, whatever its state is, also
   * where a part of it is damaged. `run.already_active` while its owner lives and its lease lasts.
   */
  remove(request: RemoveRequest): Promise<Tombstone>;

  /** Null when no run of that name was removed. */
  tombstone(run: string): Promise<Tombstone | null>;

  /** Gives back the room of what was removed, and leaves no trace of it where the store can tell. */
  compact(): Promise<void>;

  /** Leaves a signal for whoever has the run or will have it; gives its number. */
  send(run: string, signal: object): Promise<number>;

  /** What no commit has taken yet, in order. */
  signals(run: string): Promise<readonly StoredSignal[]>;

  /** The ids of all runs for which a signal waits. */
  runsWithSignals(): Promise<readonly string[]>;

  breakers(): Promise<ReadonlyMap<string, JsonValue>>;

  /** Null forgets it. */
  setBreaker(key: string, state: JsonValue): Promise<void>;

  /** Finishes what was asked before; everything asked later is `store.unavailable`. */
  close(): Promise<void>;
}

/** As far as looking goes. */
export type ReadableStore = Pick<RunStore, 'get' | 'summary' | 'list' | 'read' | 'close'>;
