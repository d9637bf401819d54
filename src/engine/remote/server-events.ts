/** Follows the events of a run on a server, over any number of connections: each once and in order. */
import { setTimeout as after } from 'node:timers/promises';
import type { ErrorReport } from '../../errors/report/report.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { asEvent } from '../run/subscription.ts';
import { checkEvent } from './sent-shapes.ts';
import type { ServerClient } from './server-client.ts';
import { refusalIn } from './server-refusal.ts';
import { serverStreamFrames, type StreamFrame } from './server-stream.ts';
import { wholeValues } from './whole-values.ts';

export interface FollowedRun {
  readonly run: string;
  /** The last event that the caller has. */
  readonly after: number;
  /** Stops following. */
  readonly signal: AbortSignal;
  /** Called once whenever the server stops answering; following continues when it is back. */
  readonly onAway?: ((error: ErrorReport) => void) | undefined;
  /** How long a server may be away: a restart takes less. Default: a minute. */
  readonly patienceMs?: number;
}

const RECONNECT_MS = 500;
const PATIENCE_MS = 60_000;
/** A server continues an interrupted run within seconds; it pings every 15. */
const ABANDONED_PINGS = 2;

/** Ends when following is stopped, or when no server continues the run. */
export async function* serverEvents(
  client: ServerClient,
  { run, after: first, signal, onAway, patienceMs = PATIENCE_MS }: FollowedRun,
): AsyncGenerator<RunEvent, void, undefined> {
  let seq = first;
  let idlePings = 0;
  const outage = new Outage(client, { run, onAway, patienceMs });
  while (!signal.aborted) {
    try {
      let isAnswered = false;
      for await (const frame of connection(client, { run, after: seq, signal })) {
        isAnswered = true;
        outage.isOver();
        if (frame.event === 'ping') {
          idlePings = (await isAbandoned(client, run)) ? idlePings + 1 : 0;
          if (idlePings >= ABANDONED_PINGS) return;
        } else if (frame.event === 'problem') throw refusalIn(frame.data) ?? client.away();
        else if (frame.id !== undefined) {
          const event = await eventIn(client, frame.data, frame.id);
          seq = frame.id;
          yield event;
        }
      }
      // a server sends something at the beginning of each stream
      if (!isAnswered && !signal.aborted) outage.note(client.away());
    } catch (thrown) {
      if (signal.aborted) return;
      if (!isKind(thrown, 'store.unavailable')) throw thrown;
      outage.note(thrown);
    }
    await pause(RECONNECT_MS, signal);
  }
}

type OutageOptions = Pick<FollowedRun, 'run' | 'onAway'> & { readonly patienceMs: number };

/** An outage of the server: it is reported once, and ends after a limit. */
class Outage {
  readonly #client: ServerClient;
  readonly #options: OutageOptions;
  #sinceMs: number | undefined;

  constructor(client: ServerClient, options: OutageOptions) {
    this.#client = client;
    this.#options = options;
  }

  isOver(): void {
    this.#sinceMs = undefined;
  }

  /** Throws when the server has been away for too long. */
  note(thrown: unknown): void {
    const { run, onAway, patienceMs } = this.#options;
    const nowMs = performance.now();
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      onAway?.(this.#client.awayForNow(thrown));
    } else if (nowMs - this.#sinceMs > patienceMs)
      throw this.#client.away(
        thrown,
        `Start the server again; then follow the run with: errand watch ${run}`,
      );
  }
}

/** One connection, until it ends or breaks. An ended run sends nothing. */
async function* connection(
  client: ServerClient,
  { run, after: seq, signal }: FollowedRun,
): AsyncGenerator<StreamFrame, void, undefined> {
  const response = await client.open(`/v1/runs/${encodeURIComponent(run)}/events`, {
    headers: { accept: 'text/event-stream', 'last-event-id': String(seq) },
    signal,
  });
  try {
    yield* serverStreamFrames(response);
  } catch (thrown) {
    throw client.away(thrown);
  }
}

async function isAbandoned(client: ServerClient, run: string): Promise<boolean> {
  const shown = await client.get(`/v1/runs/${encodeURIComponent(run)}`);
  return isPlainObject(shown) && shown['status'] === 'interrupted';
}

async function eventIn(client: ServerClient, sent: JsonValue, seq: number): Promise<RunEvent> {
  const whole = await wholeValues(client, sent);
  checkEvent(whole, seq);
  return asEvent(whole);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await after(ms, undefined, { signal });
  } catch {
    // stopped
  }
}
