/**
 * Port for what the processes on a store share besides logs: due runs, runs that a person stopped,
 * notices to send, and notes that one process writes and all read. Types only. All times are set
 * and judged by the clock of the store (S6).
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Claim, ClaimRequest, ListQuery, RunSummary } from './store-port.ts';

export interface DueQuery extends Pick<ClaimRequest, 'isAlive'>, Pick<ListQuery, 'onDamage'> {
  /** The names of workflows. Default: all. */
  readonly workflows?: readonly string[] | undefined;
  /** The caller's time: a run is due when both this and the clock of the store say so. */
  readonly nowMs: number;
  readonly limit: number;
}

/** A run that can continue, and that no live process has. */
export interface DueRun extends RunSummary {
  /** Since when it can continue; 0 for a run whose process is gone. */
  readonly dueMs: number;
}

/** An event that is to be sent to the endpoints that the store knows. */
export interface Notice {
  readonly seq: number;
  /** Such as `run.completed`. */
  readonly type: string;
}

/** Where notices are sent. The store never has its address, which may contain a secret. */
export interface Endpoint {
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** One notice for one endpoint. */
export interface Delivery extends Notice {
  readonly endpoint: string;
  readonly run: string;
  /** How often it has failed. */
  readonly tries: number;
}

export type DeliveryResult =
  | { readonly isDelivered: true }
  /** `againInMs`: null when it is given up. */
  | { readonly isDelivered: false; readonly againInMs: number | null; readonly problem: string };

export interface EndpointState extends Endpoint {
  /** ISO 8601: the first start with this endpoint. */
  readonly since: string;
  /** ISO 8601: the latest time that a process could send to it. */
  readonly seen: string;
  /** Deliveries that wait for their first or next try. */
  readonly waiting: number;
  /** Deliveries that were given up. */
  readonly failed: number;
  /** The latest problem of those. */
  readonly problem?: string;
}

export interface TakeDeliveries {
  /** Ids of the endpoints that the caller can send to. */
  readonly endpoints: readonly string[];
  readonly limit: number;
  /** How long no other process takes them. */
  readonly leaseMs: number;
}

export interface Note {
  readonly value: JsonValue;
  /** The version that is read or replaced: grows by 1 with each change, 0 for a note that is not there. */
  readonly version: number;
}

export interface Notes {
  readonly nowMs: number;
  readonly notes: ReadonlyMap<string, Note>;
}

/** The part of a store that processes share their work by. */
export interface SharedWork {
  /**
   * Runs that can continue by themselves: a `running` one that no live process has, and a `paused` one
   * whose time has come or that has an unread message. Leaves out runs that a person stopped. Those due
   * for longest come first. Takes as long with a million ended runs as with none.
   */
  due(query: DueQuery): Promise<readonly DueRun[]>;

  /**
   * Notes that a person has stopped the run: `due` leaves it out until a later claim adds an event. Does
   * nothing when the claim is lost.
   */
  noteStop(claim: Claim): Promise<void>;

  /** From the first call on, notices are kept for this endpoint; later calls renew it. */
  addEndpoint(endpoint: Endpoint): Promise<void>;

  endpoints(): Promise<readonly EndpointState[]>;

  /** Deliveries whose time has come, each to one caller at a time. */
  takeDeliveries(request: TakeDeliveries): Promise<readonly Delivery[]>;

  settleDelivery(
    delivery: Pick<Delivery, 'endpoint' | 'run' | 'seq'>,
    result: DeliveryResult,
  ): Promise<void>;

  /** All notes of a topic, and the time. */
  notes(topic: string): Promise<Notes>;

  /** False, and nothing changes, when the note has another version by now. */
  setNote(topic: string, key: string, change: Note): Promise<boolean>;
}
