/**
 * The last output of a process that has ended. It is in the pipes by then, but its end may be told
 * before it has been read: Node learns of every child's end when it learns of one. And whatever time
 * is allowed for reading, this process may be held up for longer, by its disk or by a closed lid. So
 * time alone ends nothing here that can still be read.
 */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The most that a pipe can be made to hold without being the superuser. */
const PIPE_BYTES = 1024 * 1024;

/**
 * Until the streams are at their end; or, where something that was left running holds one, until that
 * time is over and there is nothing in it.
 */
export async function readOut(streams: readonly Readable[], graceMs: number): Promise<void> {
  let bytes = 0;
  const count = (chunk: Buffer): void => void (bytes += chunk.length);
  for (const stream of streams) stream.on('data', count);
  if (!(await areClosedWithin(streams, graceMs))) {
    // whoever writes without end cannot keep us: what came before the end is not more than this
    const most = bytes + streams.length * PIPE_BYTES;
    for (let before = -1; before < bytes && bytes < most;) {
      before = bytes;
      await turn();
    }
  }
  for (const stream of streams) stream.off('data', count);
}

/** Whether something still holds it, and may write more: what was to be read at once has been. */
export async function isStillHeld(stream: Readable | null): Promise<boolean> {
  await turn();
  return stream?.closed === false;
}

/** Has looked at every pipe once: the first may end in the middle of a look. */
async function turn(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

async function areClosedWithin(streams: readonly Readable[], ms: number): Promise<boolean> {
  const { promise: over, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ms);
  const closed = Promise.all(streams.map(whenClosed)).then(() => true);
  const areClosed = await Promise.race([closed, over]);
  clearTimeout(timer);
  return areClosed;
}

function whenClosed(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (stream.closed) resolve();
  else stream.once('close', resolve);
  return promise;
}
