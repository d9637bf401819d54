/**
 * Bytes on a socket, at their time: whole answers, streams with pauses, and connections that break.
 * Ends at once when the client goes away; what was sent by then is known.
 */
import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../../errors/json.ts';
import type { EffectClock } from '../../clock.ts';
import type { Frame } from './protocol.ts';

/** What the connection is about rather than the answer. */
const HOP_BY_HOP = /^(?:content-length|transfer-encoding|content-encoding|connection|:.*)$/i;

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

export interface Pauses {
  readonly firstTokenMs: number;
  /** Infinity: nothing comes after the first piece. */
  readonly stallMs: number;
}

export type Sent = 'whole' | 'cut' | 'left';

export class Wire {
  readonly #response: ServerResponse;
  readonly #clock: EffectClock;
  readonly #left: Promise<false>;
  #isLeft = false;
  /** Pieces of the answer that were sent. */
  sentPieces = 0;

  constructor(response: ServerResponse, clock: EffectClock) {
    this.#response = response;
    this.#clock = clock;
    this.#left = new Promise((resolve) => {
      response.once('close', () => {
        this.#isLeft = true;
        resolve(false);
      });
    });
    // a client that goes away is no failure of the server; `close` tells
    response.on('error', () => this.break());
  }

  /** False when the client went away meanwhile. */
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

  /** Until the client goes away. */
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

  /** The headers promise all of it, and half of it comes. */
  async sendHalf(body: JsonValue): Promise<Sent> {
    const text = Buffer.from(textOf(body));
    const headers = { 'content-type': typeOf(body), 'content-length': String(text.length) };
    this.#response.writeHead(200, headers);
    await this.#write(text.subarray(0, Math.floor(text.length / 2)));
    this.break();
    return 'cut';
  }

  /** What is cut ends with the last piece, without what the protocol ends a stream with. */
  async stream(frames: readonly Frame[], { firstTokenMs, stallMs }: Pauses): Promise<Sent> {
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    this.#response.flushHeaders();
    for (const frame of frames) {
      const pauseMs = this.sentPieces === 0 ? firstTokenMs : stallMs;
      if (frame.isContent && !(await this.pause(pauseMs))) return 'left';
      if (!(await this.#write(frame.text))) return 'left';
      if (frame.isContent) this.sentPieces++;
    }
    return 'whole';
  }

  /** A last word, where the stream has one. */
  end(text = ''): void {
    this.#response.end(text);
  }

  /** False when the client went away. */
  async #write(bytes: string | Buffer): Promise<boolean> {
    if (this.#isLeft) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#response.write(bytes, (error) => resolve(error === null || error === undefined));
    return Promise.race([promise, this.#left]);
  }
}

function headersFor(
  given: Readonly<Record<string, string>>,
  type: string,
): Readonly<Record<string, string>> {
  const kept = Object.entries(given)
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
