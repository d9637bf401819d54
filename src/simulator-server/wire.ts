/**
 * Writes one response to a socket: whole, as a stream with pauses, or with a deliberate break of
 * the connection. Stops at once when the client disconnects, and records what was sent by then.
 */
import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../errors/support/safe-json.ts';
import type { EffectClock } from '../effects/clock.ts';
import type { Frame } from './protocol.ts';

/** Headers of the connection, which a script cannot set. */
const HOP_BY_HOP = /^(?:content-length|transfer-encoding|content-encoding|connection|:.*)$/i;

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

export interface Pauses {
  readonly firstTokenMs: number;
  /** Infinity: nothing follows the first piece. */
  readonly stallMs: number;
}

export type Sent = 'whole' | 'cut' | 'left';

export class Wire {
  readonly #response: ServerResponse;
  readonly #clock: EffectClock;
  readonly #left: Promise<false>;
  #isLeft = false;
  #sentPieces = 0;

  constructor(response: ServerResponse, clock: EffectClock) {
    this.#response = response;
    this.#clock = clock;
    this.#left = new Promise((resolve) => {
      response.once('close', () => {
        this.#isLeft = true;
        resolve(false);
      });
    });
    // a disconnecting client is not a failure of the server; `close` reports it
    response.on('error', () => this.break());
  }

  /** Pieces of the reply that were sent. */
  get sentPieces(): number {
    return this.#sentPieces;
  }

  /** False if the client disconnected meanwhile. */
  async pause(ms: number): Promise<boolean> {
    if (this.#isLeft) return false;
    if (ms <= 0) return true;
    if (ms === Infinity) return this.#left;
    const { promise, resolve } = Promise.withResolvers<true>();
    const stop = this.#clock.after(ms, () => resolve(true));
    const isThere = await Promise.race([promise, this.#left]);
    stop();
    return isThere;
  }

  /** Waits until the client disconnects. */
  async hang(): Promise<void> {
    await this.#left;
  }

  break(): void {
    this.#response.socket?.destroy();
  }

  send({ status, headers, body }: WireAnswer): Sent {
    if (this.#isLeft) return 'left';
    const text = textOf(body);
    this.#response.writeHead(status, headersFor(headers, typeOf(body)));
    this.#response.end(text);
    return 'whole';
  }

  /** Announces the whole length and sends half of it. */
  async sendHalf(body: JsonValue): Promise<Sent> {
    const text = Buffer.from(textOf(body));
    const headers = { 'content-type': typeOf(body), 'content-length': String(text.length) };
    this.#response.writeHead(200, headers);
    await this.#write(text.subarray(0, Math.floor(text.length / 2)));
    this.break();
    return 'cut';
  }

  /** A cut stream ends with the last piece, without the protocol's end marker. */
  async stream(frames: readonly Frame[], { firstTokenMs, stallMs }: Pauses): Promise<Sent> {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    this.#response.flushHeaders();
    for (const frame of frames) {
      const pauseMs = this.#sentPieces === 0 ? firstTokenMs : stallMs;
      if (frame.isContent && !(await this.pause(pauseMs))) return 'left';
      if (!(await this.#write(frame.text))) return 'left';
      if (frame.isContent) this.#sentPieces++;
    }
    return 'whole';
  }

  /** Ends the stream, with a last event if there is one. */
  end(text = ''): void {
    this.#response.end(text);
  }

  /** False if the client disconnected. */
  async #write(bytes: string | Buffer): Promise<boolean> {
    if (this.#isLeft) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#response.write(bytes, (error) => resolve(error === null || error === undefined));
    return Promise.race([promise, this.#left]);
  }
}

function headersFor(
  scripted: Readonly<Record<string, string>>,
  type: string,
): Readonly<Record<string, string>> {
  const kept = Object.entries(scripted)
    .filter(([name]) => !HOP_BY_HOP.test(name))
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  return { 'content-type': type, ...Object.fromEntries(kept) };
}

function textOf(body: JsonValue): string {
  if (typeof body === 'string') return body;
  return body === null ? '' : JSON.stringify(body);
}

function typeOf(body: JsonValue): string {
  if (typeof body !== 'string') return 'application/json';
  if (body.startsWith('<')) return 'text/html';
  return /^\s*[[{]/.test(body) ? 'application/json' : 'text/plain';
}
