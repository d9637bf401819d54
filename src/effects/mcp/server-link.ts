/**
 * Keeps the connection to one server: connects on first use, shares it between calls, and reconnects when
 * it is lost. Only connecting is retried, a few times with a growing wait; a call is never sent twice.
 */
import type { EffectClock } from '../clock.ts';
import {
  closedMeanwhile,
  connect,
  type ConnectOptions,
  type ServerConnection,
} from './server-connection.ts';
import type { NamedServer } from './resolve-server.ts';
import { Unreachable } from './unreachable.ts';

/** Waits before the second and the third attempt. */
const WAITS_MS = [200, 1000] as const;

/** Time for a server to respond to a ping after one of its calls timed out. */
const PROOF_MS = 2000;

export type LinkOptions = Omit<ConnectOptions, 'signal'>;

/** Limits for making a connection. */
export interface Patience {
  readonly timeoutMs?: number;
  /** Attempts to connect. Default: 3. */
  readonly attempts?: number;
}

export class ServerLink {
  readonly #server: NamedServer;
  readonly #options: LinkOptions;
  #current: Promise<ServerConnection> | undefined;
  /** Out of use, and still open for calls that are under way. */
  readonly #retired = new Set<ServerConnection>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;
  #isDoubtful = false;

  constructor(server: NamedServer, options: LinkOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Rejects as `connect` does, for all that wait; the next request connects anew. */
  async connection(patience: Patience = {}): Promise<ServerConnection> {
    const known = this.#current;
    if (known !== undefined) {
      const connection = await known;
      if (connection.isOpen && (await this.#isListening(connection))) return connection;
      await this.drop(connection);
      // other callers may have noticed too; one new connection is enough
      if (this.#current !== undefined) return this.connection(patience);
    }
    const opening = this.#open(patience);
    this.#current = opening;
    try {
      return await opening;
    } catch (thrown) {
      if (this.#current === opening) this.#current = undefined;
      throw thrown;
    }
  }

  /** Takes a broken connection out of use. Its process ends with the last call that is under way. */
  async drop(connection: ServerConnection): Promise<void> {
    const known = this.#current;
    if (
      known !== undefined &&
      (await settledValue(known)) === connection &&
      this.#current === known
    )
      this.#current = undefined;
    this.#retired.add(connection);
    await connection.retire();
    for (const each of this.#retired) if (!each.isOpen) this.#retired.delete(each);
  }

  /** A call timed out, so the next one first checks that the server responds. */
  suspect(): void {
    this.#isDoubtful = true;
  }

  /** Concurrent callers share one check. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#current === undefined ? undefined : await settledValue(this.#current);
    this.#current = undefined;
    const open = connection === undefined ? [] : [connection];
    await Promise.all([...open, ...this.#retired].map((each) => each.close()));
  }

  async #isListening(connection: ServerConnection): Promise<boolean> {
    if (!this.#isDoubtful) return true;
    this.#isDoubtful = false;
    try {
      await connection.refresh(PROOF_MS);
      return true;
    } catch {
      // it hangs or has ended: connect anew, which reports its own failure
      return false;
    }
  }

  async #open(patience: Patience): Promise<ServerConnection> {
    const options = { ...this.#options, ...patience };
    const { attempts = WAITS_MS.length + 1, clock } = options;
    const { signal } = this.#closing;
    for (let number = 1; ; number++) {
      try {
        return await connect(this.#server, { ...options, signal });
      } catch (thrown) {
        const isWorthIt = thrown instanceof Unreachable && !thrown.isFinal;
        if (!isWorthIt || number >= attempts) throw thrown;
        await pause(WAITS_MS[number - 1] ?? 0, clock, signal);
      }
    }
  }
}

async function settledValue(
  opening: Promise<ServerConnection>,
): Promise<ServerConnection | undefined> {
  try {
    return await opening;
  } catch {
    // the caller that opened it got the rejection
    return undefined;
  }
}

async function pause(ms: number, clock: EffectClock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopTimer = clock.after(ms, resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  stopTimer();
  if (signal.aborted) throw closedMeanwhile();
}
