/**
 * One server for as long as its host lives: connected when it is first used, shared by every call, and
 * connected again when the connection was lost. Only connecting is tried again, a few times with a
 * growing wait; a call is never sent twice from here.
 */
import type { EffectClock } from '../clock.ts';
import { closedMeanwhile, connect, type ConnectOptions, type Connection } from './connection.ts';
import type { NamedServer } from './place.ts';
import { Unreachable } from './unreachable.ts';

/** Before the second and the third try. */
const WAITS_MS = [200, 1000] as const;

/** For a server that has let a call run out of time to show that it still listens. */
const PROOF_MS = 2000;

export type LinkOptions = Omit<ConnectOptions, 'signal'>;

/** How long somebody is prepared to wait for a connection. */
export interface Patience {
  readonly timeoutMs?: number;
  /** Of one connection. Default: 3. */
  readonly tries?: number;
}

export class ServerLink {
  readonly #server: NamedServer;
  readonly #options: LinkOptions;
  #current: Promise<Connection> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;
  #isDoubtful = false;

  constructor(server: NamedServer, options: LinkOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Rejects as `connect` does, for all who wait; the next one tries anew. */
  async connection(patience: Patience = {}): Promise<Connection> {
    const known = this.#current;
    if (known !== undefined) {
      const connection = await known;
      if (connection.isOpen && (await this.#isListening(connection))) return connection;
      await this.drop(connection);
      // others may have found out at the same time, and one new connection is enough
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

  /** It is no good any more; what was started for it is ended. */
  async drop(connection: Connection): Promise<void> {
    const known = this.#current;
    if (
      known !== undefined &&
      (await settledValue(known)) === connection &&
      this.#current === known
    )
      this.#current = undefined;
    await connection.close();
  }

  /** A call ran out of time, so the next one asks first whether anybody is there. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Whoever asks for it waits for it, the second one too. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    const connection = this.#current === undefined ? undefined : await settledValue(this.#current);
    this.#current = undefined;
    await connection?.close();
  }

  async #isListening(connection: Connection): Promise<boolean> {
    if (!this.#isDoubtful) return true;
    this.#isDoubtful = false;
    try {
      await connection.refresh(PROOF_MS);
      return true;
    } catch {
      // it hangs or is gone: a new one takes its place, and says itself if it cannot be had
      return false;
    }
  }

  async #open(patience: Patience): Promise<Connection> {
    const options = { ...this.#options, ...patience };
    const { tries = WAITS_MS.length + 1, clock } = options;
    const { signal } = this.#closing;
    for (let number = 1; ; number++) {
      try {
        return await connect(this.#server, { ...options, signal });
      } catch (thrown) {
        const isWorthIt = thrown instanceof Unreachable && !thrown.isFinal;
        if (!isWorthIt || number >= tries) throw thrown;
        await pause(WAITS_MS[number - 1] ?? 0, clock, signal);
      }
    }
  }
}

async function settledValue(opening: Promise<Connection>): Promise<Connection | undefined> {
  try {
    return await opening;
  } catch {
    // whoever asked for the connection has been told
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
