/**
 * Server-sent events. A stream is pulled: its source is asked for more only when the reader has
 * taken the last frames, so a stopped reader costs nothing.
 */
import type { EffectClock } from '../../effects/clock.ts';
import { jsonText } from '../../errors/support/printable.ts';

export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
  /** Only stored events have one. */
  readonly id?: number;
}

export const STREAM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const RETRY_MS = 1000;
const PING_MS = 15_000;

export interface StreamSource {
  /** The next frames; undefined ends the stream. The signal is aborted when the reader is gone. */
  next(signal: AbortSignal): Promise<string | Uint8Array | undefined>;
  /** Called once, when the stream is over. */
  close(): void;
}

export function eventStream(source: StreamSource, clock: EffectClock): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  let cancelPing: (() => void) | undefined;
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    cancelPing?.();
    gone.abort();
    source.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
        const ping = (): void => {
          if (isClosed) return;
          // a stopped reader needs no ping
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': ping\n\n'));
          cancelPing = clock.after(PING_MS, ping);
        };
        cancelPing = clock.after(PING_MS, ping);
      },
      async pull(controller) {
        const frames = await source.next(gone.signal);
        if (isClosed) return;
        if (frames !== undefined) {
          if (frames.length > 0)
            controller.enqueue(typeof frames === 'string' ? encoder.encode(frames) : frames);
          return;
        }
        close();
        controller.close();
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  );
}

/** Everything has a data line: without one browsers drop it. */
export function frame({ event, data, id }: StreamEvent): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${jsonText(data)}\n\n`;
}
