/**
 * The body of a response, piece by piece. Each check of a reply is a reader around another; only the last becomes a
 * stream, because streams around streams cost several times as much for every piece.
 */
export type Bytes = Uint8Array<ArrayBuffer>;

export interface ByteReader {
  /** Undefined at the end. */
  readonly read: () => Promise<Bytes | undefined>;
  readonly cancel: (reason?: unknown) => Promise<void>;
}

export function joinBytes(parts: readonly Bytes[]): Bytes {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function readerOf(body: ReadableStream<Bytes>): ByteReader {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    cancel: (reason) => reader.cancel(reason),
  };
}

export function streamOf(reader: ByteReader): ReadableStream<Bytes> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const bytes = await reader.read();
          if (bytes === undefined) controller.close();
          else controller.enqueue(bytes);
        } catch (error) {
          // a check has failed, and nobody reads the rest; a connection that cannot be closed ends
          // by itself
          reader.cancel(error).catch(() => undefined);
          throw error;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
